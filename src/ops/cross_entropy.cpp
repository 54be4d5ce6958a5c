#include "ops/cross_entropy.hpp"

#include "ops/norm_shape.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct CrossEntropy {
  using Attrs = CrossEntropyOptions;
  static constexpr OpDoc kDoc{"cross_entropy", "cross_entropy(logits, targets, options, class_weight?) -> loss",
                              "loss = -log softmax(logits)[target], averaged over the targets that count",
                              "PyTorch nn.functional.cross_entropy; 0 where all targets are ignored"};
  static constexpr unsigned kOptional = 0b100;     // class_weight
  static constexpr Saves kSaves{.inputs = 0b111};  // aux: what the sum was divided by

  static Inferred infer(Specs specs, const Attrs& attrs) {
    check_loss("cross_entropy", specs[0], specs[1], attrs);
    if (specs[2].present && specs[2].shape != Shape{specs[0].shape.back()}) {
      throw ShapeError(fmt::format("[cross_entropy] class_weight must be ({},); got {}", specs[0].shape.back(),
                                   specs[2].shape.str()));
    }
    const Shape loss = attrs.reduction == Reduction::kNone ? specs[1].shape : Shape{};
    return {{{loss, specs[0].dtype}}, {{{}, DType::f64}}};
  }

  template <class T, class Id>
  static kernels::CrossEntropy<T, Id> arguments(const Tensor& logits, const Id* targets, const Tensor& weight,
                                                Tensor& scratch, const Attrs& attrs) {
    kernels::CrossEntropy<T, Id> args;
    args.logits = logits.data<T>();
    args.targets = targets;
    args.class_weight = optional_data<T>(weight);
    args.label_smoothing = attrs.label_smoothing;
    args.classes = logits.size(-1);
    args.rows = args.classes == 0 ? 0 : logits.numel() / args.classes;
    args.ignore_index = attrs.ignore_index;
    scratch = Tensor::empty({kernels::cross_entropy_scratch_size(args.rows)}, DType::f64);
    args.scratch = scratch.mutable_data<double>();
    return args;
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    with_ids(c.inputs[1], [&](const auto* targets) {
      Tensor scratch;
      auto args = arguments<T>(c.inputs[0], targets, c.inputs[2], scratch, attrs);
      Tensor loss = c.outputs[0];
      if (attrs.reduction == Reduction::kNone) args.row_loss = loss.mutable_data<T>();
      const kernels::CrossEntropyTotal total = kernels::cross_entropy(args);
      refuse_bad_target("cross_entropy", total.bad_row, targets, args.classes, attrs);
      const double divisor = attrs.reduction == Reduction::kNone ? 1 : divisor_of(attrs, total.weight);
      if (attrs.reduction != Reduction::kNone)
        *loss.mutable_data<T>() = static_cast<T>(divisor == 0 ? 0 : total.loss / divisor);
      *c.aux[0].mutable_data<double>() = divisor;
    });
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    if (c.specs.size() > 2 && c.wants(2)) {
      throw ShapeError("[cross_entropy] class_weight must be a constant; it wants a gradient. Hint: detach it");
    }
    if (!c.wants(0)) return;
    with_ids(c.inputs[1], [&](const auto* targets) {
      Tensor scratch;
      auto args = arguments<T>(c.inputs[0], targets, c.inputs[2], scratch, attrs);
      const double divisor = *c.aux[0].data<double>();
      if (divisor == 0) {
        c.dins[0].fill(0);
        return;
      }
      args.dlogits = c.dins[0].mutable_data<T>();
      if (attrs.reduction == Reduction::kNone) {
        args.row_scale = c.douts[0].data<T>();
      } else {
        args.grad_scale = static_cast<double>(*c.douts[0].data<T>()) / divisor;
      }
      (void)kernels::cross_entropy(args);
    });
  }

  static std::vector<Sample> samples() {
    const Tensor logits = sample_numbers({6, 9}, -3, 3);
    const Tensor targets = sample_ids({6}, 0, 9);
    Tensor some = targets.clone();
    some.mutable_data<std::int64_t>()[2] = some.mutable_data<std::int64_t>()[5] = -100;
    const Tensor weight = sample_numbers({9}, 0.5, 2, 3);
    const auto with = [](Attrs attrs) { return AttrBox::of(attrs); };
    // The class weights are constants: PyTorch gives them no gradient either.
    return {
        {.note = "mean", .inputs = {logits, targets, {}}, .attrs = with({})},
        {.note = "sum, some ignored", .inputs = {logits, some, {}}, .attrs = with({.reduction = Reduction::kSum})},
        {.note = "none, smoothed",
         .inputs = {logits, some, {}},
         .attrs = with({.reduction = Reduction::kNone, .label_smoothing = 0.1})},
        {.note = "class weights", .inputs = {logits, some, weight}, .attrs = with({}), .constant = {0, 0, 1}},
        {.note = "weights, smoothed, divisor",
         .inputs = {logits, some, weight},
         .attrs = with({.label_smoothing = 0.2, .divisor = 11}),
         .constant = {0, 0, 1}},
        {.note = "i32 targets, two axes",
         .inputs = {sample_numbers({3, 4, 5}, -3, 3), sample_ids({3, 4}, 0, 5).to(DType::i32), {}},
         .attrs = with({})},
        {.note = "all ignored", .inputs = {logits, Tensor::full({6}, -100, DType::i64), {}}, .attrs = with({})},
        {.note = "many rows",
         .inputs = {sample_numbers({300, 65}, -3, 3), sample_ids({300}, 0, 65), {}},
         .attrs = with({})},
        {.note = "target too large",
         .inputs = {logits, Tensor::full({6}, 9, DType::i64), {}},
         .attrs = with({}),
         .valid = false},
        {.note = "target negative",
         .inputs = {logits, Tensor::full({6}, -4, DType::i64), {}},
         .attrs = with({.ignore_index = -1}),
         .valid = false},
        {.note = "too few targets", .inputs = {logits, sample_ids({5}, 0, 9), {}}, .attrs = with({}), .valid = false},
        {.note = "smoothing 2",
         .inputs = {logits, targets, {}},
         .attrs = with({.label_smoothing = 2}),
         .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs&) {
    const auto n = static_cast<double>(specs[0].shape.numel());
    return {4 * n, n * static_cast<double>(size_of(specs[0].dtype))};
  }
};

}  // namespace
MINNOW_OP(cross_entropy, CrossEntropy);
}  // namespace ops

Tensor cross_entropy(const Tensor& logits, const Tensor& targets, const CrossEntropyOptions& options,
                     const Tensor& class_weight) {
  return apply_one(ops::op_cross_entropy, {logits, targets, class_weight}, options);
}

}  // namespace minnow
