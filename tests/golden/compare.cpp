#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "golden/run_case.hpp"

namespace minnow::golden {
namespace {

std::string index_text(Index flat, const Shape& shape) {
  Shape index = shape;
  for (Index axis = shape.rank() - 1; axis >= 0; --axis) {
    index[axis] = flat % shape[axis];
    flat /= shape[axis];
  }
  return index.str();
}

bool skipped(Index at, const std::vector<std::pair<Index, Index>>& skip) {
  return std::any_of(skip.begin(), skip.end(),
                     [at](const auto& range) { return range.first <= at && at < range.second; });
}

std::optional<std::string> integer_mismatch(const Tensor& got, const Tensor& reference) {
  if (got.dtype() != DType::i64) return fmt::format("must be i64; got {}", name_of(got.dtype()));
  const std::vector<std::int64_t> a = got.to_vector<std::int64_t>();
  const std::vector<std::int64_t> b = reference.to_vector<std::int64_t>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    return fmt::format("at {}: got {}, want exactly {}", index_text(static_cast<Index>(i), got.shape()), a[i], b[i]);
  }
  return std::nullopt;
}

/// How far beyond its tolerance an entry is: 1 is the limit, infinity is hopeless.
double excess(double got, double want, double allowed) {
  if (std::isnan(got) || std::isnan(want)) return INFINITY;
  if (got == want) return 0;
  if (std::isinf(got) || std::isinf(want)) return INFINITY;
  return allowed == 0 ? INFINITY : std::abs(got - want) / allowed;
}

}  // namespace

std::optional<std::string> mismatch(const Tensor& got, const Tensor& reference, Tolerance tolerance,
                                    const std::vector<std::pair<Index, Index>>& skip) {
  if (got.shape() != reference.shape()) {
    return fmt::format("has shape {}, want {}", got.shape().str(), reference.shape().str());
  }
  if (!is_floating(reference.dtype())) return integer_mismatch(got, reference);
  const std::vector<double> a = got.to_vector<double>();
  const std::vector<double> b = reference.to_vector<double>();
  double scale = 0;
  for (double value : b) scale = std::isfinite(value) ? std::max(scale, std::abs(value)) : scale;
  if (scale == 0) scale = 1;
  double worst = 1;
  std::optional<std::string> text;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto at = static_cast<Index>(i);
    if (skipped(at, skip)) continue;
    const double allowed = tolerance.atol * scale + tolerance.rtol * std::abs(b[i]);
    const double share = excess(a[i], b[i], allowed);
    if (share <= worst) continue;
    worst = share;
    text = fmt::format("at {}: got {:.17g}, want {:.17g} within {:.3g} (off by {:.3g}, {:.3g} times the tolerance)",
                       index_text(at, got.shape()), a[i], b[i], allowed, std::abs(a[i] - b[i]), share);
  }
  return text;
}

double typical_size(const Tensor& x) {
  double sum = 0, count = 0;
  for (const double value : x.to_vector<double>()) {
    if (std::isfinite(value)) sum += value * value, ++count;
  }
  return count == 0 ? 0 : std::sqrt(sum / count);
}

std::optional<std::string> norm_mismatch(const Tensor& got, const Tensor& reference, double bound, double typical,
                                         const std::vector<std::pair<Index, Index>>& skip) {
  if (got.shape() != reference.shape()) {
    return fmt::format("has shape {}, want {}", got.shape().str(), reference.shape().str());
  }
  const std::vector<double> a = got.to_vector<double>();
  const std::vector<double> b = reference.to_vector<double>();
  double off = 0, size = 0, count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto at = static_cast<Index>(i);
    if (skipped(at, skip) || a[i] == b[i]) continue;
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) {
      return fmt::format("at {}: got {:.9g}, want {:.9g}", index_text(at, got.shape()), a[i], b[i]);
    }
    off += (a[i] - b[i]) * (a[i] - b[i]);
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (skipped(static_cast<Index>(i), skip) || !std::isfinite(b[i])) continue;
    size += b[i] * b[i];
    ++count;
  }
  const double allowed = bound * std::max(std::sqrt(size), typical * std::sqrt(count));
  if (std::sqrt(off) <= allowed) return std::nullopt;
  return fmt::format("is off by a norm of {:.3g}, want at most {:.3g} ({:.3g} times its own)", std::sqrt(off), allowed,
                     std::sqrt(off / size));
}

}  // namespace minnow::golden
