#include "minnow/ops/norm.hpp"
#include "ops/rms_norm_call.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct RmsNorm {
  using Attrs = NormAttrs;
  static constexpr OpDoc kDoc{"rms_norm", "rms_norm(x, normalized_shape, weight?, eps) -> y",
                              "y = x / sqrt(mean(x^2) + eps) * weight, over the last axes",
                              "Zhang, Sennrich 2019, Root Mean Square Layer Normalization"};
  static constexpr unsigned kOptional = 0b10;     // weight
  static constexpr Saves kSaves{.inputs = 0b11};  // x, weight; aux: rstd (rows)

  static Inferred infer(Specs specs, const Attrs& attrs) {
    check_norm("rms_norm", specs, attrs);
    return {{specs[0]}, rms_norm_statistics(specs[0], attrs)};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    kernels::RmsNormForward<T> args;
    args.x = c.inputs[0].data<T>();
    args.y = c.outputs[0].mutable_data<T>();
    run_rms_norm_forward(args, c, 1, attrs);
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    kernels::RmsNormBackward<T> args;
    args.dout = c.douts[0].data<T>();
    args.x = c.inputs[0].data<T>();
    args.dx = wanted<T>(c, 0);
    run_rms_norm_backward(args, c, 1, attrs);
  }

  static std::vector<Sample> samples() {
    std::vector<Sample> made;
    for (const Shape& shape : {Shape{3, 8}, Shape{2, 3, 17}, Shape{5, 1}, Shape{40, 128}, Shape{7, 33}, Shape{0, 6}}) {
      const Shape row{shape.back()};
      made.push_back({.note = "with weight " + shape.str(),
                      .inputs = {sample_numbers(shape, 0.5, 2, 1), sample_numbers(row, 0.5, 1.5, 2)},
                      .attrs = AttrBox::of(Attrs{row, 1e-2})});
    }
    made.push_back({.note = "no weight, two axes",
                    .inputs = {sample_numbers({4, 3, 5}, -1, 3), {}},
                    .attrs = AttrBox::of(Attrs{{3, 5}, 1e-6})});
    made.push_back({.note = "a row of zeros",
                    .inputs = {Tensor::zeros({2, 6}, DType::f64), sample_numbers({6}, 0.5, 1)},
                    .attrs = AttrBox::of(Attrs{{6}, 1e-6}),
                    .smooth = false});
    made.push_back({.note = "wrong weight",
                    .inputs = {sample_numbers({4, 6}, 0, 1), sample_numbers({5}, 0, 1)},
                    .attrs = AttrBox::of(Attrs{{6}, 1e-5}),
                    .valid = false});
    return made;
  }

  static Cost cost(Specs specs, const Attrs&) {
    const auto n = static_cast<double>(specs[0].shape.numel());
    return {5 * n, 2 * n * static_cast<double>(size_of(specs[0].dtype))};
  }
};

}  // namespace
MINNOW_OP(rms_norm, RmsNorm);
}  // namespace ops

Tensor rms_norm(const Tensor& x, const Shape& normalized_shape, const Tensor& weight, double eps) {
  return apply_one(ops::op_rms_norm, {x, weight}, ops::NormAttrs{normalized_shape, eps});
}

}  // namespace minnow
