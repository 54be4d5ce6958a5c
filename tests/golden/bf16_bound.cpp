// How far results may be from those in f32 when the factors of matrix products are rounded to bf16.

#include <map>

#include "golden/run_case.hpp"

namespace minnow::golden {
namespace {

/// bf16 keeps 8 significant bits: rounding to nearest changes a number by at most this part of it.
constexpr double kUnit = 1.0 / 512;

/// Products one behind the other on the longest way from the inputs of a case to an output or a gradient: a linear
/// layer has one in either direction; attention two forward and three back (dP, dS, dq); blocks and models add theirs
/// up, and a model's training steps start from each other's results. Kinds without products are not here.
const std::map<std::string, int>& products_in_a_row() {
  static const std::map<std::string, int> counts = {{"matmul", 1}, {"attention", 5},     {"multihead", 9},
                                                    {"block", 18}, {"linear_sparse", 5}, {"model", 36}};
  return counts;
}

}  // namespace

/// Both factors are off by up to kUnit of themselves, so each product by up to 2 kUnit |A||B|, and what it is handed on
/// to adds its own. |A||B| exceeds |A B| where terms cancel; the errors of the terms cancel as well, so that a factor
/// of 2 is enough for sums as short as those of the cases (measured: at most 0.7 of the bound). Two sorts of cases have
/// no meaning: those where f32 already needs a tolerance of 1e-3 (scores of many tens), and those through relu, whose
/// slope jumps where rounding changes a sign.
std::optional<double> bf16_bound(const Case& which) {
  constexpr double kHopeless = 1e-3;
  constexpr double kCancelled = 2;
  const auto found = products_in_a_row().find(which.kind);
  if (found == products_in_a_row().end() || which.f32.rtol >= kHopeless) return std::nullopt;
  if (which.name.find("relu") != std::string::npos) return std::nullopt;
  return kCancelled * 2 * kUnit * found->second;
}

}  // namespace minnow::golden
