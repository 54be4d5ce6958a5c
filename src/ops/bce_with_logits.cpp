#include <cmath>

#include "ops/pointwise_loss.hpp"

namespace minnow {
namespace ops {
namespace {

/// ln(1 + e^-x), without overflow.
template <class T>
T softplus_of_minus(T x) {
  return std::max(-x, T{0}) + std::log1p(std::exp(-std::abs(x)));
}

template <class T>
T logistic(T x) {
  const T e = std::exp(-std::abs(x));
  return (x >= 0 ? T{1} : e) / (1 + e);
}

struct BceWithLogits : ReducedLoss<BceWithLogits, ReductionAttrs> {
  static constexpr OpDoc kDoc{
      "bce_with_logits", "bce_with_logits(x, target, reduction, pos_weight?) -> loss",
      "loss = -(pos_weight target ln s(x) + (1 - target) ln(1 - s(x))), s the sigmoid, averaged over all elements",
      "PyTorch nn.functional.binary_cross_entropy_with_logits"};
  static constexpr unsigned kOptional = 0b100;  // pos_weight
  static constexpr Saves kSaves{.inputs = 0b111};

  template <class T>
  static T value(T x, T target, T weight, const Attrs&) {
    return (1 - target) * softplus_of_minus(-x) + weight * target * softplus_of_minus(x);
  }
  template <class T>
  static T slope_x(T x, T target, T weight, const Attrs&) {
    return (1 - target) * logistic(x) - weight * target * logistic(-x);
  }
  template <class T>
  static T slope_target(T x, T, T weight, const Attrs&) {
    return weight * softplus_of_minus(x) - softplus_of_minus(-x);
  }

  static std::vector<Sample> samples() {
    std::vector<Sample> made;
    for (Reduction reduction : {Reduction::kMean, Reduction::kSum, Reduction::kNone}) {
      made.push_back({.note = "plain",
                      .inputs = {sample_numbers({4, 5}, -4, 4), sample_numbers({4, 5}, 0, 1, 1), {}},
                      .attrs = AttrBox::of(Attrs{reduction})});
      made.push_back(
          {.note = "weighted",
           .inputs = {sample_numbers({4, 5}, -4, 4), sample_numbers({4, 5}, 0, 1, 1), sample_numbers({5}, 0.5, 3, 2)},
           .attrs = AttrBox::of(Attrs{reduction}),
           .constant = {0, 0, 1}});
    }
    made.push_back({.note = "far out",
                    .inputs = {sample_numbers({30}, -80, 80), sample_numbers({30}, 0, 1, 1), {}},
                    .attrs = AttrBox::of(Attrs{Reduction::kSum})});
    made.push_back({.note = "large",
                    .inputs = {sample_numbers({130, 140}, -4, 4), sample_numbers({130, 140}, 0, 1, 1), {}},
                    .attrs = AttrBox::of(Attrs{})});
    made.push_back({.note = "other shape",
                    .inputs = {sample_numbers({3, 4}, 0, 1), sample_numbers({4}, 0, 1), {}},
                    .attrs = AttrBox::of(Attrs{}),
                    .valid = false});
    made.push_back({.note = "wrong weight",
                    .inputs = {sample_numbers({4}, 0, 1), sample_numbers({4}, 0, 1), sample_numbers({3}, 0, 1)},
                    .attrs = AttrBox::of(Attrs{}),
                    .valid = false});
    return made;
  }
};

}  // namespace
MINNOW_OP(bce_with_logits, BceWithLogits);
}  // namespace ops

Tensor bce_with_logits(const Tensor& x, const Tensor& target, Reduction reduction, const Tensor& pos_weight) {
  return apply_one(ops::op_bce_with_logits, {x, target, pos_weight}, ops::ReductionAttrs{reduction});
}

}  // namespace minnow
