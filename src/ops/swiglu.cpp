#include <fmt/format.h>

#include "minnow/autograd/op.hpp"
#include "minnow/base/error.hpp"
#include "minnow/kernels/activation.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/gated.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct Swiglu {
  using Attrs = NoAttrs;
  static constexpr OpDoc kDoc{"swiglu", "swiglu(gate, up) -> y", "y = silu(gate) * up",
                              "Shazeer 2020, GLU Variants Improve Transformer"};
  static constexpr Saves kSaves{.inputs = 0b11};

  static Inferred infer(Specs specs, const Attrs&) {
    if (specs[0].shape != specs[1].shape) {
      throw ShapeError(fmt::format("[swiglu] gate and up must have one shape; got {} and {}", specs[0].shape.str(),
                                   specs[1].shape.str()));
    }
    return {{specs[0]}, {}};
  }

  /// Rows only cut the work; the last axis is one.
  struct Rows {
    Index count, width;
    explicit Rows(const Shape& shape)
        : count(shape.numel() == 0 || shape.rank() == 0 ? shape.numel() : shape.numel() / shape.back()),
          width(shape.rank() == 0 ? 1 : shape.back()) {}
  };

  template <class T>
  static void forward(const ForwardContext& c, const Attrs&) {
    const Rows rows(c.outputs[0].shape());
    kernels::swiglu_forward(c.outputs[0].mutable_data<T>(), rows.width, c.inputs[0].data<T>(), c.inputs[1].data<T>(),
                            rows.width, rows.count, rows.width);
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs&) {
    const Rows rows(c.specs[0].shape);
    Tensor spare;  // the kernel writes both
    const auto place = [&](std::size_t i) {
      if (c.wants(i)) return c.dins[i].mutable_data<T>();
      spare = Tensor::empty(c.specs[0].shape, dtype_of<T>);
      return spare.mutable_data<T>();
    };
    T* dgate = place(0);
    T* dup = place(1);
    kernels::swiglu_backward(dgate, dup, c.inputs[0].data<T>(), c.inputs[1].data<T>(), rows.width, c.douts[0].data<T>(),
                             rows.width, rows.count, rows.width);
  }

  static std::vector<Tensor> compose(std::span<const Tensor> in, const Attrs&) { return {mul(silu(in[0]), in[1])}; }

  static std::vector<Sample> samples() {
    std::vector<Sample> made;
    for (const Shape& shape : {Shape{3, 8}, Shape{2, 3, 17}, Shape{40, 344}, Shape{5}, Shape{}, Shape{0, 4}}) {
      made.push_back({.note = shape.str(),
                      .inputs = {sample_numbers(shape, -4, 4, 1), sample_numbers(shape, -2, 2, 2)},
                      .attrs = AttrBox::of(Attrs{})});
    }
    made.push_back({.note = "two shapes",
                    .inputs = {sample_numbers({3, 8}, -1, 1), sample_numbers({8}, -1, 1)},
                    .attrs = AttrBox::of(Attrs{}),
                    .valid = false});
    return made;
  }

  static Cost cost(Specs specs, const Attrs&) {
    const auto n = static_cast<double>(specs[0].shape.numel());
    return {5 * n, 3 * n * static_cast<double>(size_of(specs[0].dtype))};
  }
};

}  // namespace
MINNOW_OP(swiglu, Swiglu);
}  // namespace ops

Tensor swiglu(const Tensor& gate, const Tensor& up) { return apply_one(ops::op_swiglu, {gate, up}, NoAttrs{}); }

}  // namespace minnow
