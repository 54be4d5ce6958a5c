#include <cmath>

#include "ops/pointwise_loss.hpp"

namespace minnow {
namespace ops {
namespace {

struct KlDiv : PointwiseLoss<KlDiv, KlOptions> {
  static constexpr OpDoc kDoc{"kl_div", "kl_div(log_q, target, options) -> loss",
                              "loss = p (ln p - log_q), p = target or, given as a logarithm, e^target; 0 where p = 0",
                              "Kullback, Leibler 1951; PyTorch nn.functional.kl_div"};
  static constexpr Saves kSaves{.inputs = 0b11};

  static bool per_element(const Attrs& attrs) { return attrs.reduction == KlReduction::kNone; }
  static double divisor(const Shape& x, const Attrs& attrs) {
    if (attrs.reduction == KlReduction::kMean) return static_cast<double>(x.numel());
    return attrs.reduction == KlReduction::kBatchMean ? static_cast<double>(x[0]) : 1.0;
  }
  static Inferred infer(Specs specs, const Attrs& attrs) {
    if (attrs.reduction == KlReduction::kBatchMean && specs[0].shape.empty()) {
      throw ShapeError(fmt::format("[kl_div] the mean over a batch must have a first axis; got {}", specs[0].str()));
    }
    return PointwiseLoss::infer(specs, attrs);
  }

  template <class T>
  static T value(T log_q, T target, T, const Attrs& attrs) {
    const T p = attrs.log_target ? std::exp(target) : target;
    if (p == 0) return 0;
    return p * ((attrs.log_target ? target : std::log(target)) - log_q);
  }
  template <class T>
  static T slope_x(T, T target, T, const Attrs& attrs) {
    return attrs.log_target ? -std::exp(target) : -target;
  }
  template <class T>
  static T slope_target(T log_q, T target, T, const Attrs& attrs) {
    if (!attrs.log_target) return target == 0 ? T{0} : std::log(target) + 1 - log_q;
    const T p = std::exp(target);
    return p == 0 ? T{0} : p * (target + 1 - log_q);
  }

  static std::vector<Sample> samples() {
    using enum KlReduction;
    std::vector<Sample> made;
    for (KlReduction reduction : {kMean, kSum, kNone, kBatchMean}) {
      made.push_back({.note = "probabilities",
                      .inputs = {sample_numbers({3, 4}, -3, 0), sample_numbers({3, 4}, 0.1, 0.9, 1)},
                      .attrs = AttrBox::of(Attrs{reduction, false})});
      made.push_back({.note = "logarithms",
                      .inputs = {sample_numbers({3, 4}, -3, 0), sample_numbers({3, 4}, -3, 0, 1)},
                      .attrs = AttrBox::of(Attrs{reduction, true})});
    }
    made.push_back({.note = "zeros",
                    .inputs = {sample_numbers({5}, -3, 0), Tensor::from(std::vector<double>{0, 1, 0, 0.5, 0}, {5})},
                    .attrs = AttrBox::of(Attrs{kSum, false}),
                    .constant = {0, 1}});
    made.push_back({.note = "large",
                    .inputs = {sample_numbers({130, 140}, -3, 0), sample_numbers({130, 140}, 0.1, 0.9, 1)},
                    .attrs = AttrBox::of(Attrs{kBatchMean, false})});
    made.push_back({.note = "other shape",
                    .inputs = {sample_numbers({3, 4}, -1, 0), sample_numbers({4}, 0, 1)},
                    .attrs = AttrBox::of(Attrs{}),
                    .valid = false});
    made.push_back({.note = "no batch",
                    .inputs = {sample_numbers({}, -1, 0), sample_numbers({}, 0, 1)},
                    .attrs = AttrBox::of(Attrs{kBatchMean, false}),
                    .valid = false});
    return made;
  }
};

}  // namespace
MINNOW_OP(kl_div, KlDiv);
}  // namespace ops

Tensor kl_div(const Tensor& log_q, const Tensor& target, const KlOptions& options) {
  return apply_one(ops::op_kl_div, {log_q, target}, options);
}

}  // namespace minnow
