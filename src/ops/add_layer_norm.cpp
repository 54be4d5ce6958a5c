#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/norm.hpp"
#include "ops/check.hpp"
#include "ops/layer_norm_call.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct AddLayerNorm {
  using Attrs = NormAttrs;
  static constexpr OpDoc kDoc{"add_layer_norm", "add_layer_norm(x, residual, weight?, bias?, eps) -> sum, y",
                              "sum = x + residual, y = layer_norm(sum)",
                              "residual connection and the norm behind it in one pass"};
  static constexpr unsigned kOptional = 0b1100;                      // weight, bias
  static constexpr Saves kSaves{.inputs = 0b0100, .outputs = 0b01};  // weight, sum; aux: mean, rstd (rows)

  static Inferred infer(Specs specs, const Attrs& attrs) {
    check_norm("add_layer_norm", specs, attrs, 2);
    if (specs[0].shape != specs[1].shape) {
      throw ShapeError(fmt::format("[add_layer_norm] x and residual must have one shape; got {} and {}",
                                   specs[0].shape.str(), specs[1].shape.str()));
    }
    return {{specs[0], specs[0]}, norm_statistics(specs[0], attrs)};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    kernels::LayerNormForward<T> args;
    args.x = c.inputs[0].data<T>();
    args.residual = c.inputs[1].data<T>();
    args.sum = c.outputs[0].mutable_data<T>();
    args.y = c.outputs[1].mutable_data<T>();
    run_layer_norm_forward(args, c, 2, attrs);
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    kernels::LayerNormBackward<T> args;
    args.dout = c.douts[1].data<T>();
    args.dsum = c.douts[0].data<T>();
    args.x = c.outputs[0].data<T>();
    const std::size_t first = c.wants(0) ? 0 : 1;  // both get the same gradient: one pass, then a copy
    args.dx = wanted<T>(c, first);
    run_layer_norm_backward(args, c, 2, attrs);
    if (first == 0 && c.wants(1)) c.dins[1].copy_from(c.dins[0]);
  }

  static std::vector<Tensor> compose(std::span<const Tensor> in, const Attrs& attrs) {
    const Tensor sum = add(in[0], in[1]);
    return {sum, layer_norm(sum, attrs.normalized, in[2], in[3], attrs.eps)};
  }

  static std::vector<Sample> samples() {
    std::vector<Sample> made;
    for (const Shape& shape : {Shape{3, 8}, Shape{2, 3, 17}, Shape{40, 128}}) {
      const Shape row{shape.back()};
      made.push_back({.note = "affine " + shape.str(),
                      .inputs = {sample_numbers(shape, -2, 2, 1), sample_numbers(shape, -1, 1, 2),
                                 sample_numbers(row, 0.5, 1.5, 3), sample_numbers(row, -1, 1, 4)},
                      .attrs = AttrBox::of(Attrs{row, 1e-5})});
    }
    made.push_back({.note = "no parameters",
                    .inputs = {sample_numbers({4, 6}, -1, 3), sample_numbers({4, 6}, -1, 3, 1), {}, {}},
                    .attrs = AttrBox::of(Attrs{{6}, 1e-5})});
    made.push_back({.note = "residual of another shape",
                    .inputs = {sample_numbers({4, 6}, -1, 3), sample_numbers({6}, -1, 3), {}, {}},
                    .attrs = AttrBox::of(Attrs{{6}, 1e-5}),
                    .valid = false});
    return made;
  }

  static Cost cost(Specs specs, const Attrs&) {
    const auto n = static_cast<double>(specs[0].shape.numel());
    return {9 * n, 4 * n * static_cast<double>(size_of(specs[0].dtype))};
  }
};

}  // namespace
MINNOW_OP(add_layer_norm, AddLayerNorm);
}  // namespace ops

std::pair<Tensor, Tensor> add_layer_norm(const Tensor& x, const Tensor& residual, const Tensor& weight,
                                         const Tensor& bias, double eps) {
  ops::check_given("add_layer_norm", x);
  const Tensor inputs[] = {x, residual, weight, bias};
  std::vector<Tensor> outputs =
      apply(ops::op_add_layer_norm, inputs,
            AttrBox::of(ops::NormAttrs{{x.shape()[x.shape().axis(-1, "add_layer_norm")]}, eps}));
  return {outputs[0], outputs[1]};
}

}  // namespace minnow
