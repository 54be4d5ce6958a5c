#include "ops/pointwise_loss.hpp"

namespace minnow {
namespace ops {
namespace {

struct MseLoss : ReducedLoss<MseLoss, ReductionAttrs> {
  static constexpr OpDoc kDoc{"mse_loss", "mse_loss(x, target, reduction) -> loss",
                              "loss = (x - target)^2, averaged over all elements", "PyTorch nn.functional.mse_loss"};
  static constexpr Saves kSaves{.inputs = 0b11};

  template <class T>
  static T value(T x, T target, T, const Attrs&) {
    return (x - target) * (x - target);
  }
  template <class T>
  static T slope_x(T x, T target, T, const Attrs&) {
    return 2 * (x - target);
  }
  template <class T>
  static T slope_target(T x, T target, T, const Attrs&) {
    return 2 * (target - x);
  }

  static std::vector<Sample> samples() {
    std::vector<Sample> made;
    for (Reduction reduction : {Reduction::kMean, Reduction::kSum, Reduction::kNone}) {
      for (const Shape& shape : {Shape{3, 4}, Shape{}, Shape{130, 140}}) {
        made.push_back({.note = "shape " + shape.str(),
                        .inputs = {sample_numbers(shape, -2, 2), sample_numbers(shape, -2, 2, 1)},
                        .attrs = AttrBox::of(Attrs{reduction})});
      }
    }
    made.push_back({.note = "empty sum",
                    .inputs = {sample_numbers({0, 3}, 0, 1), sample_numbers({0, 3}, 0, 1)},
                    .attrs = AttrBox::of(Attrs{Reduction::kSum})});
    made.push_back({.note = "other shape",
                    .inputs = {sample_numbers({3, 4}, 0, 1), sample_numbers({4}, 0, 1)},
                    .attrs = AttrBox::of(Attrs{}),
                    .valid = false});
    return made;
  }
};

}  // namespace
MINNOW_OP(mse_loss, MseLoss);
}  // namespace ops

Tensor mse_loss(const Tensor& x, const Tensor& target, Reduction reduction) {
  return apply_one(ops::op_mse_loss, {x, target}, ops::ReductionAttrs{reduction});
}

}  // namespace minnow
