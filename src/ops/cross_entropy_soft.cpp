#include <fmt/format.h>

#include "minnow/base/error.hpp"
#include "minnow/kernels/softmax.hpp"
#include "minnow/kernels/vector_math.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/loss.hpp"
#include "minnow/ops/reduction.hpp"
#include "ops/check.hpp"
#include "ops/reduce_to.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct CrossEntropySoft {
  struct Attrs {
    Reduction reduction = Reduction::kMean;
  };
  static constexpr OpDoc kDoc{"cross_entropy_soft", "cross_entropy_soft(logits, targets, reduction) -> loss",
                              "loss = -sum_c targets[c] log softmax(logits)[c] per row, averaged over the rows",
                              "PyTorch nn.functional.cross_entropy with class probabilities"};
  static constexpr Saves kSaves{.inputs = 0b10};  // targets; aux: log softmax

  static Inferred infer(Specs specs, const Attrs& attrs) {
    check_floating("cross_entropy_soft", specs[0]);
    check_floating("cross_entropy_soft", specs[1]);
    const Shape& logits = specs[0].shape;
    if (logits.empty() || logits != specs[1].shape) {
      throw ShapeError(fmt::format("[cross_entropy_soft] logits and targets must both be (..., V); got {} and {}",
                                   logits.str(), specs[1].shape.str()));
    }
    Shape loss;
    if (attrs.reduction == Reduction::kNone) {
      loss = logits;
      loss.erase(logits.rank() - 1);
    }
    return {{{loss, specs[0].dtype}}, {specs[0]}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const Index classes = c.inputs[0].size(-1);
    const Index rows = row_count(c.inputs[0].shape());
    T* log_probs = c.aux[0].mutable_data<T>();
    kernels::log_softmax_forward(log_probs, c.inputs[0].data<T>(), rows, classes);
    const T* targets = c.inputs[1].data<T>();
    std::vector<double> losses(static_cast<std::size_t>(rows));
    parallel_ranges(rows, kRows, [&](Index begin, Index end, Index) {
      for (Index row = begin; row < end; ++row) {
        double sum = 0;
        for (Index i = row * classes; i < (row + 1) * classes; ++i) {
          if (targets[i] != 0) sum -= static_cast<double>(targets[i]) * static_cast<double>(log_probs[i]);
        }
        losses[static_cast<std::size_t>(row)] = sum;
      }
    });
    T* y = c.outputs[0].mutable_data<T>();
    if (attrs.reduction == Reduction::kNone) {
      for (Index row = 0; row < rows; ++row) y[row] = static_cast<T>(losses[static_cast<std::size_t>(row)]);
      return;
    }
    *y = static_cast<T>(sum_in_line(losses.data(), rows) / divisor(rows, attrs));
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    const Index classes = c.specs[0].shape.back();
    const Index rows = row_count(c.specs[0].shape);
    const T* log_probs = c.aux[0].data<T>();
    const T* targets = c.inputs[1].data<T>();
    const T* dout = c.douts[0].data<T>();
    T* dlogits = c.wants(0) ? c.dins[0].mutable_data<T>() : nullptr;
    T* dtargets = c.wants(1) ? c.dins[1].mutable_data<T>() : nullptr;
    const bool each = attrs.reduction == Reduction::kNone;
    parallel_ranges(rows, kRows, [&](Index begin, Index end, Index) {
      for (Index row = begin; row < end; ++row) {
        const Index at = row * classes;
        const T scale = static_cast<T>(static_cast<double>(dout[each ? row : 0]) / divisor(rows, attrs));
        if (dtargets != nullptr) {
          for (Index i = at; i < at + classes; ++i) dtargets[i] = scale == 0 ? T{0} : -scale * log_probs[i];
        }
        if (dlogits == nullptr) continue;
        const T mass = static_cast<T>(sum_in_line(targets + at, classes));
        kernels::vexp(dlogits + at, log_probs + at, classes);
        for (Index i = at; i < at + classes; ++i) dlogits[i] = scale * (mass * dlogits[i] - targets[i]);
      }
    });
  }

  static std::vector<Tensor> compose(std::span<const Tensor> in, const Attrs& attrs) {
    const Tensor rows = -sum(in[1] * log_softmax(in[0], -1), {-1});
    if (attrs.reduction == Reduction::kNone) return {rows};
    return {attrs.reduction == Reduction::kSum ? sum(rows) : mean(rows)};
  }

  static std::vector<Sample> samples() {
    std::vector<Sample> made;
    for (Reduction reduction : {Reduction::kMean, Reduction::kSum, Reduction::kNone}) {
      for (const Shape& shape : {Shape{6, 9}, Shape{5}, Shape{2, 3, 17}, Shape{300, 65}}) {
        made.push_back({.note = "shape " + shape.str(),
                        .inputs = {sample_numbers(shape, -3, 3), sample_numbers(shape, 0, 1, 1)},
                        .attrs = AttrBox::of(Attrs{reduction})});
      }
    }
    made.push_back({.note = "other shape",
                    .inputs = {sample_numbers({3, 4}, 0, 1), sample_numbers({3, 5}, 0, 1)},
                    .attrs = AttrBox::of(Attrs{}),
                    .valid = false});
    made.push_back({.note = "scalars",
                    .inputs = {sample_numbers({}, 0, 1), sample_numbers({}, 0, 1)},
                    .attrs = AttrBox::of(Attrs{}),
                    .valid = false});
    return made;
  }

  static Cost cost(Specs specs, const Attrs&) {
    const auto n = static_cast<double>(specs[0].shape.numel());
    return {6 * n, 2 * n * static_cast<double>(size_of(specs[0].dtype))};
  }

 private:
  static constexpr Index kRows = 64;
  static Index row_count(const Shape& logits) { return logits.back() == 0 ? 0 : logits.numel() / logits.back(); }
  static double divisor(Index rows, const Attrs& attrs) {
    return attrs.reduction == Reduction::kMean ? static_cast<double>(rows) : 1.0;
  }
};

}  // namespace
MINNOW_OP(cross_entropy_soft, CrossEntropySoft);
}  // namespace ops

Tensor cross_entropy_soft(const Tensor& logits, const Tensor& targets, Reduction reduction) {
  return apply_one(ops::op_cross_entropy_soft, {logits, targets}, ops::CrossEntropySoft::Attrs{reduction});
}

}  // namespace minnow
