#include "minnow/ops/norm.hpp"
#include "ops/layer_norm_call.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct LayerNorm {
  using Attrs = NormAttrs;
  static constexpr OpDoc kDoc{"layer_norm", "layer_norm(x, normalized_shape, weight?, bias?, eps) -> y",
                              "y = (x - mean) / sqrt(var + eps) * weight + bias, over the last axes, biased variance",
                              "Ba, Kiros, Hinton 2016, Layer Normalization"};
  static constexpr unsigned kOptional = 0b110;     // weight, bias
  static constexpr Saves kSaves{.inputs = 0b011};  // x, weight; aux: mean, rstd (rows)

  static Inferred infer(Specs specs, const Attrs& attrs) {
    check_norm("layer_norm", specs, attrs);
    return {{specs[0]}, norm_statistics(specs[0], attrs)};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    kernels::LayerNormForward<T> args;
    args.x = c.inputs[0].data<T>();
    args.y = c.outputs[0].mutable_data<T>();
    run_layer_norm_forward(args, c, 1, attrs);
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    kernels::LayerNormBackward<T> args;
    args.dout = c.douts[0].data<T>();
    args.x = c.inputs[0].data<T>();
    args.dx = wanted<T>(c, 0);
    run_layer_norm_backward(args, c, 1, attrs);
  }

  static std::vector<Sample> samples() {
    std::vector<Sample> made;
    for (const Shape& shape : {Shape{3, 8}, Shape{2, 3, 17}, Shape{5, 1}, Shape{40, 128}, Shape{7, 33}}) {
      const Shape row{shape.back()};
      made.push_back(
          {.note = "affine " + shape.str(),
           .inputs = {sample_numbers(shape, -2, 2, 1), sample_numbers(row, 0.5, 1.5, 2), sample_numbers(row, -1, 1, 3)},
           .attrs = AttrBox::of(Attrs{row, 1e-5}),
           .smooth = shape.back() > 1});
    }
    made.push_back({.note = "no parameters, two axes",
                    .inputs = {sample_numbers({4, 3, 5}, -1, 3), {}, {}},
                    .attrs = AttrBox::of(Attrs{{3, 5}, 1e-2})});
    made.push_back({.note = "no bias",
                    .inputs = {sample_numbers({4, 6}, -1, 3), sample_numbers({6}, -1, 1), {}},
                    .attrs = AttrBox::of(Attrs{{6}, 1e-5})});
    made.push_back({.note = "no rows",
                    .inputs = {sample_numbers({0, 6}, 0, 1), sample_numbers({6}, -1, 1), sample_numbers({6}, 0, 1)},
                    .attrs = AttrBox::of(Attrs{{6}, 1e-5})});
    made.push_back({.note = "wrong weight",
                    .inputs = {sample_numbers({4, 6}, 0, 1), sample_numbers({5}, 0, 1), {}},
                    .attrs = AttrBox::of(Attrs{{6}, 1e-5}),
                    .valid = false});
    made.push_back({.note = "wrong row",
                    .inputs = {sample_numbers({4, 6}, 0, 1), {}, {}},
                    .attrs = AttrBox::of(Attrs{{4}, 1e-5}),
                    .valid = false});
    return made;
  }

  static Cost cost(Specs specs, const Attrs&) {
    const auto n = static_cast<double>(specs[0].shape.numel());
    return {8 * n, 2 * n * static_cast<double>(size_of(specs[0].dtype))};
  }
};

}  // namespace
MINNOW_OP(layer_norm, LayerNorm);
}  // namespace ops

Tensor layer_norm(const Tensor& x, const Shape& normalized_shape, const Tensor& weight, const Tensor& bias,
                  double eps) {
  return apply_one(ops::op_layer_norm, {x, weight, bias}, ops::NormAttrs{normalized_shape, eps});
}

}  // namespace minnow
