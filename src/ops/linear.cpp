#include "minnow/ops/linear.hpp"

#include <fmt/format.h>

#include "minnow/base/error.hpp"
#include "minnow/kernels/gemm.hpp"
#include "minnow/kernels/packed_matrix.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/frozen_weights.hpp"
#include "minnow/ops/shape.hpp"
#include "ops/norm_shape.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct Linear {
  struct Attrs {
    std::optional<kernels::Activation> activation;
  };
  static constexpr OpDoc kDoc{"linear", "linear(x, weight, bias?, activation?) -> y",
                              "y = activation(x weight^T + bias)",
                              "PyTorch nn.functional.linear; the activation runs on each tile of the product"};
  static constexpr unsigned kOptional = 0b100;     // bias
  static constexpr Saves kSaves{.inputs = 0b011};  // x, weight; aux: activation'(x weight^T + bias)
  static constexpr bool kAddsNatively = true;
  static constexpr bool kAuxForBackward = true;

  static Inferred infer(Specs specs, const Attrs& attrs) {
    const Shape& x = specs[0].shape;
    const Shape& weight = specs[1].shape;
    if (x.rank() < 1 || weight.rank() != 2 || x.back() != weight[1]) {
      throw ShapeError(
          fmt::format("[linear] x must be (..., I) and weight (O, I); got {} and {}", x.str(), weight.str()));
    }
    if (specs[2].present && specs[2].shape != Shape{weight[0]}) {
      throw ShapeError(fmt::format("[linear] bias must be ({},); got {}", weight[0], specs[2].shape.str()));
    }
    TensorSpec y = specs[0];
    y.shape[y.shape.rank() - 1] = weight[0];
    return {{y}, attrs.activation ? std::vector<TensorSpec>{y} : std::vector<TensorSpec>{}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const Index out = c.inputs[1].size(0);
    const Index in = c.inputs[1].size(1);
    kernels::GemmArgs<T> args{.m = rows(c.inputs[0].spec()),
                              .n = out,
                              .k = in,
                              .a = c.inputs[0].data<T>(),
                              .lda = in,
                              .b = c.inputs[1].data<T>(),
                              .ldb = in,
                              .trans_b = true,
                              .c = c.outputs[0].mutable_data<T>(),
                              .ldc = out};
    args.precision = c.precision;
    args.epilogue.bias = optional_data<T>(c.inputs[2]);
    args.epilogue.activation = attrs.activation;
    if (!c.aux.empty()) {
      args.epilogue.slope = c.aux[0].mutable_data<T>();
      args.epilogue.ld_slope = out;
    }
    if constexpr (std::is_same_v<T, float>) {
      FrozenWeights* const frozen = FrozenWeights::current();
      if (frozen != nullptr) return kernels::gemm_packed(args, frozen->packed(c.inputs[1], c.precision));
    }
    kernels::gemm(args);
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    const Index out = c.specs[1].shape[0];
    const Index in = c.specs[1].shape[1];
    const Index m = rows(c.specs[0]);
    Tensor dz_storage;
    const T* dz = c.douts[0].data<T>();
    if (attrs.activation) {  // dz = dout activation'(z)
      dz_storage = Tensor::empty(c.douts[0].shape(), dtype_of<T>);
      T* to = dz_storage.mutable_data<T>();
      kernels::activation_backward_by_slope(*attrs.activation, to, c.aux[0].data<T>(), dz, dz_storage.numel());
      dz = to;
    }
    std::vector<kernels::GemmArgs<T>> products;
    if (c.wants(0)) {
      products.push_back({.m = m,
                          .n = in,
                          .k = out,
                          .a = dz,
                          .lda = out,
                          .b = c.inputs[1].data<T>(),
                          .ldb = in,
                          .c = c.dins[0].mutable_data<T>(),
                          .ldc = in,
                          .add = c.add[0] != 0,
                          .precision = c.precision});
    }
    if (c.wants(1)) {
      products.push_back({.m = out,
                          .n = in,
                          .k = m,
                          .a = dz,
                          .lda = out,
                          .trans_a = true,
                          .b = c.inputs[0].data<T>(),
                          .ldb = in,
                          .c = c.dins[1].mutable_data<T>(),
                          .ldc = in,
                          .add = c.add[1] != 0,
                          .precision = c.precision});
    }
    std::vector<kernels::ColumnSum<T>> sums;
    if (c.wants(2)) sums.push_back({dz, m, out, c.dins[2].mutable_data<T>(), c.add[2] != 0});
    kernels::gemm_group<T>(products, sums);
  }

  static std::vector<Sample> samples() {
    using kernels::Activation;
    std::vector<Sample> made;
    const auto call = [&](const char* note, const Shape& x, Index out, bool bias, std::optional<Activation> activation,
                          bool valid = true) {
      made.push_back(
          {.note = note,
           .inputs = {sample_numbers(x, -1, 1, 1), sample_numbers({out, valid ? x.back() : x.back() + 1}, -1, 1, 2),
                      bias ? sample_numbers({out}, -1, 1, 3) : Tensor()},
           .attrs = AttrBox::of(Attrs{activation}),
           .valid = valid});
    };
    call("bias", {4, 3}, 5, true, std::nullopt);
    call("no bias", {2, 3, 4}, 3, false, std::nullopt);
    call("one row", {7}, 2, true, std::nullopt);
    call("gelu_tanh", {6, 5}, 9, true, Activation::kGeluTanh);
    call("gelu_erf", {6, 5}, 9, true, Activation::kGeluErf);
    call("silu, no bias", {6, 5}, 9, false, Activation::kSilu);
    call("relu", {6, 5}, 9, true, Activation::kRelu);
    call("larger than a tile", {300, 40}, 260, true, Activation::kGeluErf);
    call("no rows", {0, 3}, 2, true, std::nullopt);
    call("inner sizes differ", {4, 3}, 5, true, std::nullopt, false);
    made.push_back(
        {.note = "wrong bias",
         .inputs = {sample_numbers({4, 3}, -1, 1), sample_numbers({5, 3}, -1, 1), sample_numbers({4}, -1, 1)},
         .attrs = AttrBox::of(Attrs{}),
         .valid = false});
    return made;
  }

  static Cost cost(Specs specs, const Attrs&) {
    const auto m = static_cast<double>(rows(specs[0]));
    const auto out = static_cast<double>(specs[1].shape[0]);
    const auto in = static_cast<double>(specs[1].shape[1]);
    return {2 * m * out * in, (m * in + out * in + m * out) * static_cast<double>(size_of(specs[0].dtype))};
  }

 private:
  static Index rows(const TensorSpec& x) {
    return x.shape.back() == 0 ? Shape(std::span(x.shape.begin(), x.shape.end() - 1)).numel()
                               : x.shape.numel() / x.shape.back();
  }
};

}  // namespace
MINNOW_OP(linear, Linear);
}  // namespace ops

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
              std::optional<kernels::Activation> activation) {
  return apply_one(ops::op_linear, {x, weight, bias}, ops::Linear::Attrs{activation});
}

}  // namespace minnow
