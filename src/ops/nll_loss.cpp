#include "ops/check.hpp"
#include "ops/cross_entropy.hpp"
#include "ops/norm_shape.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct NllLoss {
  using Attrs = NllOptions;
  static constexpr OpDoc kDoc{
      "nll_loss", "nll_loss(log_probs, targets, options, class_weight?) -> loss",
      "loss = -class_weight[target] log_probs[target], averaged by weight over the targets that "
      "count",
      "PyTorch nn.functional.nll_loss; 0 where all targets are ignored"};
  static constexpr unsigned kOptional = 0b100;     // class_weight
  static constexpr Saves kSaves{.inputs = 0b110};  // aux: what the sum was divided by
  static constexpr Index kRows = 4096;             // summed together

  static Inferred infer(Specs specs, const Attrs& attrs) {
    check_floating("nll_loss", specs[0]);
    check_loss("nll_loss", specs[0], specs[1], {});
    if (specs[2].present && specs[2].shape != Shape{specs[0].shape.back()}) {
      throw ShapeError(
          fmt::format("[nll_loss] class_weight must be ({},); got {}", specs[0].shape.back(), specs[2].shape.str()));
    }
    const Shape loss = attrs.reduction == Reduction::kNone ? specs[1].shape : Shape{};
    return {{{loss, specs[0].dtype}}, {{{}, DType::f64}}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const Index rows = c.inputs[1].numel();
    const Index classes = c.inputs[0].size(-1);
    const T* log_probs = c.inputs[0].data<T>();
    const T* weight = optional_data<T>(c.inputs[2]);
    T* y = c.outputs[0].mutable_data<T>();
    const bool each = attrs.reduction == Reduction::kNone;
    struct Part {
      double loss = 0, weight = 0;
    };
    std::vector<Part> parts(static_cast<std::size_t>((rows + kRows - 1) / kRows));
    with_ids(c.inputs[1], [&](const auto* targets) {
      refuse_bad_target("nll_loss", first_bad(targets, rows, classes, attrs), targets, classes,
                        {.ignore_index = attrs.ignore_index});
      parallel_ranges(rows, kRows, [&](Index begin, Index end, Index chunk) {
        Part part;
        for (Index row = begin; row < end; ++row) {
          const auto target = static_cast<Index>(targets[row]);
          const bool counts = target != attrs.ignore_index;
          const double w = !counts ? 0 : weight != nullptr ? static_cast<double>(weight[target]) : 1;
          const double loss = counts ? -w * static_cast<double>(log_probs[row * classes + target]) : 0;
          if (each) y[row] = static_cast<T>(loss);
          part.loss += loss;
          part.weight += w;
        }
        parts[static_cast<std::size_t>(chunk)] = part;
      });
    });
    Part total;
    for (const Part& part : parts) {
      total.loss += part.loss;
      total.weight += part.weight;
    }
    const double divisor = attrs.reduction == Reduction::kMean ? total.weight : 1;
    if (!each) *y = static_cast<T>(divisor == 0 ? 0 : total.loss / divisor);
    *c.aux[0].mutable_data<double>() = divisor;
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    if (c.specs.size() > 2 && c.wants(2)) {
      throw ShapeError("[nll_loss] class_weight must be a constant; it wants a gradient. Hint: detach it");
    }
    if (!c.wants(0)) return;
    c.dins[0].fill(0);
    const double divisor = *c.aux[0].data<double>();
    if (divisor == 0) return;
    const Index classes = c.specs[0].shape.back();
    const T* weight = optional_data<T>(c.inputs[2]);
    const T* dout = c.douts[0].data<T>();
    T* to = c.dins[0].mutable_data<T>();
    const bool each = attrs.reduction == Reduction::kNone;
    with_ids(c.inputs[1], [&](const auto* targets) {
      parallel_ranges(c.inputs[1].numel(), kRows, [&](Index begin, Index end, Index) {
        for (Index row = begin; row < end; ++row) {
          const auto target = static_cast<Index>(targets[row]);
          if (target == attrs.ignore_index) continue;
          const double w = weight != nullptr ? static_cast<double>(weight[target]) : 1;
          to[row * classes + target] = static_cast<T>(-w * static_cast<double>(dout[each ? row : 0]) / divisor);
        }
      });
    });
  }

  static std::vector<Sample> samples() {
    const Tensor logp = sample_numbers({6, 9}, -4, 0);
    const Tensor targets = sample_ids({6}, 0, 9);
    Tensor some = targets.clone();
    some.mutable_data<std::int64_t>()[2] = some.mutable_data<std::int64_t>()[5] = -100;
    const Tensor weight = sample_numbers({9}, 0.5, 2, 3);
    const auto with = [](const Attrs& attrs) { return AttrBox::of(attrs); };
    return {{.note = "mean", .inputs = {logp, targets, {}}, .attrs = with({})},
            {.note = "sum, some ignored", .inputs = {logp, some, {}}, .attrs = with({.reduction = Reduction::kSum})},
            {.note = "none, weights",
             .inputs = {logp, some, weight},
             .attrs = with({.reduction = Reduction::kNone}),
             .constant = {0, 0, 1}},
            {.note = "mean, weights", .inputs = {logp, some, weight}, .attrs = with({}), .constant = {0, 0, 1}},
            {.note = "i32 targets, two axes",
             .inputs = {sample_numbers({3, 4, 5}, -3, 0), sample_ids({3, 4}, 0, 5).to(DType::i32), {}},
             .attrs = with({.ignore_index = 1})},
            {.note = "all ignored", .inputs = {logp, Tensor::full({6}, -100, DType::i64), {}}, .attrs = with({})},
            {.note = "many rows",
             .inputs = {sample_numbers({5000, 7}, -3, 0), sample_ids({5000}, 0, 7), {}},
             .attrs = with({})},
            {.note = "too large",
             .inputs = {logp, Tensor::full({6}, 9, DType::i64), {}},
             .attrs = with({}),
             .valid = false},
            {.note = "negative",
             .inputs = {logp, Tensor::full({6}, -4, DType::i64), {}},
             .attrs = with({}),
             .valid = false},
            {.note = "too few targets", .inputs = {logp, sample_ids({5}, 0, 9), {}}, .attrs = with({}), .valid = false},
            {.note = "wrong weight",
             .inputs = {logp, targets, sample_numbers({8}, 0, 1)},
             .attrs = with({}),
             .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs&) {
    const auto rows = static_cast<double>(specs[1].shape.numel());
    return {2 * rows, rows * static_cast<double>(size_of(specs[0].dtype) + size_of(specs[1].dtype))};
  }

 private:
  template <class Id>
  static Index first_bad(const Id* targets, Index rows, Index classes, const Attrs& attrs) {
    for (Index row = 0; row < rows; ++row) {
      const auto target = static_cast<Index>(targets[row]);
      if (target != attrs.ignore_index && (target < 0 || target >= classes)) return row;
    }
    return -1;
  }
};

}  // namespace
MINNOW_OP(nll_loss, NllLoss);
}  // namespace ops

Tensor nll_loss(const Tensor& log_probs, const Tensor& targets, const NllOptions& options, const Tensor& class_weight) {
  return apply_one(ops::op_nll_loss, {log_probs, targets, class_weight}, options);
}

}  // namespace minnow
