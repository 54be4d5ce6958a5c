#include "minnow/optim/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace minnow {
namespace {

/// @return how far `step` has come from `begin` to `end`, cut to [0, 1].
double progress(std::int64_t step, std::int64_t begin, std::int64_t end) {
  if (step >= end) return 1;
  return std::max(0.0, static_cast<double>(step - begin) / static_cast<double>(end - begin));
}

}  // namespace

double Schedule::at(std::int64_t step) const {
  const auto s = static_cast<double>(step);
  const auto ramp = static_cast<double>(warmup);
  if (kind == Kind::kNoam) {
    const double n = s + 1;
    return std::pow(static_cast<double>(width), -0.5) * std::min(std::pow(n, -0.5), n * std::pow(ramp, -1.5));
  }
  if (step < warmup) return peak * (s + 1) / (ramp + 1);
  const double span = peak - min;
  switch (kind) {
    case Kind::kCosine:
      return min + span * (1 + std::cos(std::numbers::pi * progress(step, warmup, total))) / 2;
    case Kind::kLinear:
      return min + span * (1 - progress(step, warmup, total));
    case Kind::kInverseSqrt:
      return peak * std::sqrt(std::max(1.0, ramp) / std::max(1.0, s));
    case Kind::kWsdLinear:
      return min + span * (1 - progress(step, total - decay, total));
    case Kind::kWsdSqrt:
      return min + span * (1 - std::sqrt(progress(step, total - decay, total)));
    case Kind::kConstant:
    case Kind::kNoam:
      break;
  }
  return peak;
}

}  // namespace minnow
