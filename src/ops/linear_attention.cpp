#include "minnow/kernels/linear_attention.hpp"

#include <fmt/format.h>

#include "minnow/base/error.hpp"
#include "minnow/ops/attention.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/linear.hpp"
#include "minnow/ops/reduction.hpp"
#include "minnow/ops/shape.hpp"
#include "ops/check.hpp"
#include "ops/norm_shape.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct LinearAttention {
  struct Attrs {
    bool causal = false;
    double eps = 0;
  };
  static constexpr OpDoc kDoc{"linear_attention", "linear_attention(q, k, v, causal, eps) -> y",
                              "y_i = sum_j f(q_i) f(k_j) v_j / (eps + sum_j f(q_i) f(k_j)), f(x) = elu(x) + 1, j <= i "
                              "when causal",
                              "Katharopoulos et al. 2020, Transformers are RNNs"};
  static constexpr Saves kSaves{.inputs = 0b111, .outputs = 0b1};  // aux: divisors (B, H, Tq)

  static Inferred infer(Specs specs, const Attrs& attrs) {
    check_floating("linear_attention", specs[0]);
    const Shape& q = specs[0].shape;
    const Shape& k = specs[1].shape;
    const Shape& v = specs[2].shape;
    const bool fits = q.rank() == 4 && k.rank() == 4 && v.rank() == 4 && k == Shape{q[0], q[1], k[2], q[3]} &&
                      v == Shape{q[0], q[1], k[2], v[3]} && (!attrs.causal || q[2] == k[2]);
    if (!fits || !(attrs.eps >= 0)) {
      throw ShapeError(fmt::format(
          "[linear_attention] q must be (B, H, Tq, D), k (B, H, Tk, D), v (B, H, Tk, Dv), with Tq = Tk when "
          "causal, and eps not negative; got {}, {}, {} and {}",
          q.str(), k.str(), v.str(), attrs.eps));
    }
    return {{{{q[0], q[1], q[2], v[3]}, specs[0].dtype}}, {{{q[0], q[1], q[2]}, DType::f64}}};
  }

  template <class T>
  static kernels::LinearAttentionHead<T> head(std::span<const Tensor> in, Index number, const Attrs& attrs) {
    kernels::LinearAttentionHead<T> one;
    one.q_len = in[0].size(2);
    one.k_len = in[1].size(2);
    one.head_dim = in[0].size(3);
    one.value_dim = in[2].size(3);
    one.q = in[0].data<T>() + number * one.q_len * one.head_dim;
    one.k = in[1].data<T>() + number * one.k_len * one.head_dim;
    one.v = in[2].data<T>() + number * one.k_len * one.value_dim;
    one.causal = attrs.causal;
    one.eps = attrs.eps;
    return one;
  }

  static std::vector<double> scratch_of(std::span<const Tensor> in) {
    return std::vector<double>(
        static_cast<std::size_t>(kernels::linear_attention_scratch_size(in[0].size(3), in[2].size(3))));
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    T* y = c.outputs[0].mutable_data<T>();
    double* divisors = c.aux[0].mutable_data<double>();
    const Index queries = c.inputs[0].size(2);
    const Index width = c.inputs[2].size(3);
    parallel_chunks(c.inputs[0].size(0) * c.inputs[0].size(1), [&](Index number) {
      std::vector<double> scratch = scratch_of(c.inputs);
      kernels::linear_attention_forward(y + number * queries * width, divisors + number * queries,
                                        head<T>(c.inputs, number, attrs), scratch.data());
    });
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    const T* y = c.outputs[0].data<T>();
    const T* dout = c.douts[0].data<T>();
    const double* divisors = c.aux[0].data<double>();
    T* const to[3] = {wanted<T>(c, 0), wanted<T>(c, 1), wanted<T>(c, 2)};
    const Index queries = c.inputs[0].size(2);
    const Index width = c.inputs[2].size(3);
    parallel_chunks(c.inputs[0].size(0) * c.inputs[0].size(1), [&](Index number) {
      std::vector<double> scratch = scratch_of(c.inputs);
      const auto of_head = [&](std::size_t i) {
        return to[i] == nullptr ? nullptr : to[i] + number * c.inputs[i].size(2) * c.inputs[i].size(3);
      };
      kernels::linear_attention_backward(of_head(0), of_head(1), of_head(2), y + number * queries * width,
                                         dout + number * queries * width, divisors + number * queries,
                                         head<T>(c.inputs, number, attrs), scratch.data());
    });
  }

  static std::vector<Tensor> compose(std::span<const Tensor> in, const Attrs& attrs) {
    const Tensor q = elu(in[0]) + 1.0;
    const Tensor k = elu(in[1]) + 1.0;
    Tensor weights = matmul(q, transpose(k, -2, -1));
    if (attrs.causal) weights = tril(weights);
    return {matmul(weights, in[2]) / (sum(weights, {-1}, true) + attrs.eps)};
  }

  static std::vector<Sample> samples() {
    const auto call = [](const char* note, const Shape& q, const Shape& k, Index width, const Attrs& attrs,
                         bool valid = true) {
      return Sample{.note = note,
                    .inputs = {sample_numbers(q, -2, 2, 1), sample_numbers(k, -2, 2, 2),
                               sample_numbers({k[0], k[1], k[2], width}, -1, 1, 3)},
                    .attrs = AttrBox::of(attrs),
                    .valid = valid};
    };
    return {call("all keys", {2, 2, 6, 4}, {2, 2, 6, 4}, 3, {}),
            call("more keys than queries", {1, 3, 4, 2}, {1, 3, 7, 2}, 5, {false, 0.1}),
            call("causal", {2, 2, 6, 4}, {2, 2, 6, 4}, 3, {.causal = true}),
            call("causal, eps", {1, 1, 5, 3}, {1, 1, 5, 3}, 3, {true, 0.5}),
            call("large", {2, 4, 120, 32}, {2, 4, 120, 32}, 32, {.causal = true}),
            call("no heads", {2, 0, 6, 4}, {2, 0, 6, 4}, 3, {}),
            call("causal, lengths differ", {1, 1, 5, 3}, {1, 1, 6, 3}, 3, {.causal = true}, false),
            call("widths differ", {1, 1, 5, 3}, {1, 1, 5, 4}, 3, {}, false),
            call("heads differ", {1, 2, 5, 3}, {1, 1, 5, 3}, 3, {}, false)};
  }

  static Cost cost(Specs specs, const Attrs&) {
    const Shape& q = specs[0].shape;
    const Shape& k = specs[1].shape;
    const auto width = static_cast<double>(specs[2].shape[3]);
    const auto rows = static_cast<double>(q[0] * q[1] * (q[2] + k[2]));
    return {2 * rows * static_cast<double>(q[3]) * width,
            rows * (static_cast<double>(q[3]) + width) * static_cast<double>(size_of(specs[0].dtype))};
  }
};

}  // namespace
MINNOW_OP(linear_attention, LinearAttention);
}  // namespace ops

Tensor linear_attention(const Tensor& q, const Tensor& k, const Tensor& v, bool causal, double eps) {
  return apply_one(ops::op_linear_attention, {q, k, v}, ops::LinearAttention::Attrs{causal, eps});
}

}  // namespace minnow
