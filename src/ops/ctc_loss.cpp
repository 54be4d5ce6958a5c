#include <fmt/format.h>

#include <cmath>

#include "minnow/base/error.hpp"
#include "minnow/kernels/ctc.hpp"
#include "minnow/ops/loss.hpp"
#include "ops/check.hpp"
#include "ops/ids.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct CtcLoss {
  using Attrs = CtcOptions;
  static constexpr OpDoc kDoc{
      "ctc_loss", "ctc_loss(log_probs, targets, input_lengths, target_lengths, options) -> loss",
      "loss = -ln of the probability of the targets, summed over all alignments with the frames",
      "Graves et al. 2006, Connectionist Temporal Classification"};
  static constexpr Saves kSaves{.inputs = 0b1111};  // aux: alpha (N, T, states), ln of the total probability (N)

  static Inferred infer(Specs specs, const Attrs& attrs) {
    check_floating("ctc_loss", specs[0]);
    for (std::size_t i : {1U, 2U, 3U}) check_ids("ctc_loss", specs[i]);
    const Shape& x = specs[0].shape;
    const Shape& targets = specs[1].shape;
    const bool fits = x.rank() == 3 && targets.rank() == 2 && targets[0] == x[1] && specs[2].shape == Shape{x[1]} &&
                      specs[3].shape == Shape{x[1]};
    if (!fits || attrs.blank < 0 || attrs.blank >= x[2]) {
      throw ShapeError(fmt::format(
          "[ctc_loss] log_probs must be (T, N, C), targets (N, L), both lengths (N) and the blank a class; got {}, {}, "
          "{}, {} and {}",
          x.str(), targets.str(), specs[2].shape.str(), specs[3].shape.str(), attrs.blank));
    }
    const Shape loss = attrs.reduction == Reduction::kNone ? Shape{x[1]} : Shape{};
    return {{{loss, specs[0].dtype}}, {{{x[1], x[0], 2 * targets[1] + 1}, DType::f64}, {{x[1]}, DType::f64}}};
  }

  /// The tensors that say what the items are.
  struct Batch {
    Tensor targets, frames, labels;  // i64, contiguous
    Index items, width, classes;

    Batch(std::span<const Tensor> in, const Shape& x)
        : targets(in[1].to(DType::i64).contiguous()),
          frames(in[2].to(DType::i64).contiguous()),
          labels(in[3].to(DType::i64).contiguous()),
          items(x[1]),
          width(in[1].size(1)),
          classes(x[2]) {}

    template <class T>
    [[nodiscard]] kernels::CtcItem<T> item(const T* log_probs, Index n, const Attrs& attrs) const {
      return {.log_probs = log_probs + n * classes,
              .frame_stride = items * classes,
              .frames = frames.data<std::int64_t>()[n],
              .labels = targets.data<std::int64_t>() + n * width,
              .label_count = labels.data<std::int64_t>()[n],
              .blank = attrs.blank};
    }

    /// What the loss of an item is multiplied by.
    [[nodiscard]] double share(Index n, const Attrs& attrs) const {
      if (attrs.reduction != Reduction::kMean) return 1;
      const auto count = static_cast<double>(std::max<Index>(1, labels.data<std::int64_t>()[n]));
      return 1 / (count * static_cast<double>(items));
    }
  };

  /// Throws: DataError naming the item whose lengths or labels are out of range.
  static void check_items(const Batch& batch, Index time, const Attrs& attrs) {
    for (Index n = 0; n < batch.items; ++n) {
      const Index frames = batch.frames.data<std::int64_t>()[n];
      const Index count = batch.labels.data<std::int64_t>()[n];
      if (frames < 0 || frames > time || count < 0 || count > batch.width) {
        throw DataError(
            fmt::format("[ctc_loss] input lengths must lie in [0, {}], target lengths in [0, {}]; got {} and "
                        "{} for item {}",
                        time, batch.width, frames, count, n));
      }
      const std::int64_t* labels = batch.targets.data<std::int64_t>() + n * batch.width;
      for (Index i = 0; i < count; ++i) {
        if (labels[i] < 0 || labels[i] >= batch.classes || labels[i] == attrs.blank) {
          throw DataError(
              fmt::format("[ctc_loss] labels must lie in [0, {}) and not be the blank {}; got {} at place {} "
                          "of item {}",
                          batch.classes, attrs.blank, labels[i], i, n));
        }
      }
    }
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const Batch batch(c.inputs, c.inputs[0].shape());
    check_items(batch, c.inputs[0].size(0), attrs);
    const T* log_probs = c.inputs[0].data<T>();
    double* alpha = c.aux[0].mutable_data<double>();
    double* totals = c.aux[1].mutable_data<double>();
    const Index per_item = c.aux[0].size(1) * c.aux[0].size(2);
    parallel_chunks(batch.items, [&](Index n) {
      totals[n] = kernels::ctc_forward(batch.item(log_probs, n, attrs), alpha + n * per_item);
    });
    T* y = c.outputs[0].mutable_data<T>();
    double sum = 0;
    for (Index n = 0; n < batch.items; ++n) {
      const bool dropped = attrs.zero_infinity && totals[n] == -INFINITY;
      const double loss = dropped ? 0 : -totals[n];
      if (attrs.reduction == Reduction::kNone) {
        y[n] = static_cast<T>(loss);
      } else {
        sum += loss * batch.share(n, attrs);
      }
    }
    if (attrs.reduction != Reduction::kNone) *y = static_cast<T>(sum);
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    if (!c.wants(0)) return;
    const Batch batch(c.inputs, c.specs[0].shape);
    const T* log_probs = c.inputs[0].data<T>();
    const T* dout = c.douts[0].data<T>();
    const double* alpha = c.aux[0].data<double>();
    const double* totals = c.aux[1].data<double>();
    const Index per_item = c.aux[0].size(1) * c.aux[0].size(2);
    c.dins[0].fill(0);  // frames beyond an item's length, classes that are no label, items without alignment
    T* to = c.dins[0].mutable_data<T>();
    parallel_chunks(batch.items, [&](Index n) {
      const double scale =
          batch.share(n, attrs) * static_cast<double>(dout[attrs.reduction == Reduction::kNone ? n : 0]);
      if (totals[n] == -INFINITY || scale == 0) return;
      const kernels::CtcItem<T> item = batch.item(log_probs, n, attrs);
      std::vector<double> scratch(static_cast<std::size_t>(2 * item.states()));
      kernels::ctc_backward(item, alpha + n * per_item, totals[n], scale, to + n * batch.classes, scratch.data());
    });
  }

  static Tensor ids(const std::vector<std::int64_t>& values) {
    return Tensor::from(values, {static_cast<Index>(values.size())});
  }
  static AttrBox with(Reduction reduction, bool zero_infinity = false, Index blank = 0) {
    return AttrBox::of(Attrs{blank, reduction, zero_infinity});
  }

  static std::vector<Sample> samples() {
    using enum Reduction;
    const Tensor x = sample_numbers({7, 3, 5}, -3, -0.5);
    const Tensor targets = Tensor::from(std::vector<std::int64_t>{1, 1, 2, 3, 4, 3, 2, 0, 0}, {3, 3});
    const Tensor frames = ids({7, 6, 4});
    const Tensor labels = ids({3, 3, 0});
    std::vector<Sample> made = refused(x, targets, frames, labels);
    const Tensor impossible = ids({3, 6, 4});
    const std::vector<Sample> taken = {
        {.note = "mean, i32",
         .inputs = {x, targets.to(DType::i32), frames.to(DType::i32), labels},
         .attrs = with(kMean)},
        {.note = "sum", .inputs = {x, targets, frames, labels}, .attrs = with(kSum)},
        {.note = "none", .inputs = {x, targets, frames, labels}, .attrs = with(kNone)},
        {.note = "blank is the last class",
         .inputs = {sample_numbers({9, 2, 6}, -3, -0.5), sample_ids({2, 3}, 0, 5), ids({9, 8}), ids({3, 2})},
         .attrs = with(kSum, false, 5)},
        {.note = "no alignment, counted as 0",
         .inputs = {x, targets, impossible, labels},
         .attrs = with(kMean, true),
         .smooth = false},
        {.note = "no alignment", .inputs = {x, targets, impossible, labels}, .attrs = with(kNone), .smooth = false},
        {.note = "long",
         .inputs = {sample_numbers({120, 4, 12}, -4, -1), sample_ids({4, 20}, 1, 12), ids({120, 100, 90, 120}),
                    ids({20, 20, 3, 0})},
         .attrs = with(kMean)},
        {.note = "no items",
         .inputs = {sample_numbers({4, 0, 5}, 0, 1), sample_ids({0, 2}, 0, 1), ids({}), ids({})},
         .attrs = with(kSum)}};
    made.insert(made.end(), taken.begin(), taken.end());
    return made;
  }

  static std::vector<Sample> refused(const Tensor& x, const Tensor& targets, const Tensor& frames,
                                     const Tensor& labels) {
    using enum Reduction;
    return {{.note = "a blank as label",
             .inputs = {x, Tensor::zeros({3, 3}, DType::i64), frames, labels},
             .attrs = with(kMean),
             .valid = false},
            {.note = "a label too large",
             .inputs = {x, Tensor::full({3, 3}, 5, DType::i64), frames, labels},
             .attrs = with(kMean),
             .valid = false},
            {.note = "more frames than there are",
             .inputs = {x, targets, ids({8, 6, 4}), labels},
             .attrs = with(kMean),
             .valid = false},
            {.note = "no such blank",
             .inputs = {x, targets, frames, labels},
             .attrs = with(kMean, false, 5),
             .valid = false},
            {.note = "two lengths", .inputs = {x, targets, ids({7, 6}), labels}, .attrs = with(kMean), .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs&) {
    const Shape& x = specs[0].shape;
    const auto cells = static_cast<double>(x[0] * x[1] * (2 * specs[1].shape[1] + 1));
    return {40 * cells, static_cast<double>(x.numel()) * static_cast<double>(size_of(specs[0].dtype)) + 8 * cells};
  }
};

}  // namespace
MINNOW_OP(ctc_loss, CtcLoss);
}  // namespace ops

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, const CtcOptions& options) {
  return apply_one(ops::op_ctc_loss, {log_probs, targets, input_lengths, target_lengths}, options);
}

}  // namespace minnow
