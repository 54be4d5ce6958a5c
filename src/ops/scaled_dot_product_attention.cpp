#include <fmt/format.h>

#include "minnow/autograd/backward.hpp"
#include "minnow/base/error.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/linear.hpp"
#include "minnow/ops/loss.hpp"
#include "minnow/ops/shape.hpp"
#include "ops/attention_call.hpp"
#include "ops/check.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct Sdpa {
  using Attrs = AttentionOptions;
  static constexpr OpDoc kDoc{
      "scaled_dot_product_attention",
      "scaled_dot_product_attention(q, k, v, mask?, key_lengths?, alibi_slopes?, options) -> out",
      "out_i = sum_j softmax_j(scale q_i . k_j + masks) v_j", "Vaswani et al. 2017; tiles as in Dao et al. 2022"};
  static constexpr unsigned kOptional = 0b111000;                   // mask, key_lengths, alibi_slopes
  static constexpr Saves kSaves{.inputs = 0b111111, .outputs = 1};  // aux: lse (B, H, Tq)
  static constexpr bool kStrided = true;

  static Inferred infer(Specs specs, const Attrs& attrs) {
    const Shape& q = specs[0].shape;
    const Shape& k = specs[1].shape;
    const Shape& v = specs[2].shape;
    const bool fits = q.rank() == 4 && k.rank() == 4 && v.rank() == 4 && q[0] == k[0] && q[0] == v[0] && k[1] == v[1] &&
                      k[2] == v[2] && q[3] == k[3] && k[1] > 0 && q[1] % k[1] == 0;
    if (!fits) {
      throw ShapeError(fmt::format(
          "[scaled_dot_product_attention] q must be (B, H, Tq, D), k (B, Hkv, Tk, D), v (B, Hkv, Tk, Dv), H a "
          "multiple of Hkv; got {}, {} and {}",
          q.str(), k.str(), v.str()));
    }
    check_optional(specs, {q[0], q[1], q[2], k[2]});
    check_options("scaled_dot_product_attention", attrs);
    return {{{{q[0], q[1], q[2], v[3]}, specs[0].dtype}}, {{{q[0], q[1], q[2]}, specs[0].dtype}}};
  }

  static void check_optional(Specs specs, const Shape& scores) {
    const TensorSpec& mask = specs[3];
    const char* who = "scaled_dot_product_attention";
    const bool mask_fits = !mask.present || (mask.shape.rank() <= 4 && broadcast(mask.shape, scores, who) == scores &&
                                             (mask.dtype == DType::boolean || is_floating(mask.dtype)));
    if (!mask_fits) {
      throw ShapeError(
          fmt::format("[{}] the mask must be bool (true = may attend) or floats to add, broadcastable to {}; got {}",
                      who, scores.str(), mask.str()));
    }
    if (specs[4].present && (specs[4].shape != Shape{scores[0]} || specs[4].dtype != DType::i64)) {
      throw ShapeError(fmt::format("[{}] key_lengths must be i64 ({},); got {}", who, scores[0], specs[4].str()));
    }
    if (specs[5].present && specs[5].shape != Shape{scores[1]}) {
      throw ShapeError(fmt::format("[{}] alibi_slopes must be ({},); got {}", who, scores[1], specs[5].str()));
    }
  }

  /// Heads may lie anywhere, as in a key/value cache; only the channels of a row must lie in line.
  static std::vector<Tensor> rows_in_line(std::span<const Tensor> in) {
    std::vector<Tensor> lines(in.begin(), in.end());
    for (std::size_t i = 0; i < 3; ++i) {
      if (lines[i].size(-1) > 1 && lines[i].strides().back() != 1) lines[i] = lines[i].contiguous();
    }
    for (std::size_t i = 4; i < lines.size(); ++i) {
      if (lines[i].defined()) lines[i] = lines[i].contiguous();
    }
    return lines;
  }

  /// @param in what rows_in_line gave; must live as long as the result
  template <class T>
  static kernels::AttentionArgs<T> arguments(std::span<const Tensor> in, const Attrs& attrs) {
    kernels::AttentionArgs<T> args;
    args.batch = in[0].size(0);
    args.heads = in[0].size(1);
    args.kv_heads = in[1].size(1);
    args.q_len = in[0].size(2);
    args.k_len = in[1].size(2);
    args.head_dim = in[0].size(3);
    args.value_dim = in[2].size(3);
    args.q = heads_of(in[0].data<T>(), in[0].strides());
    args.k = heads_of(in[1].data<T>(), in[1].strides());
    args.v = heads_of(in[2].data<T>(), in[2].strides());
    set_options(args, attrs);
    set_inputs(args, in[3], in[4], in[5]);
    return args;
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const std::vector<Tensor> in = rows_in_line(c.inputs);
    auto args = arguments<T>(in, attrs);
    args.precision = c.precision;
    const Tensor scratch = attention_scratch(args);
    kernels::attention_forward<T>(args, heads_of(c.outputs[0].mutable_data<T>(), c.outputs[0].strides()),
                                  c.aux[0].mutable_data<T>(), nullptr, scratch.raw());
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    const std::vector<Tensor> in = rows_in_line(c.inputs);
    auto args = arguments<T>(in, attrs);
    args.precision = c.precision;
    const Tensor scratch = attention_scratch(args);
    kernels::AttentionGradient<T> to[3];
    for (std::size_t i = 0; i < 3; ++i) {
      if (c.wants(i)) to[i].to = heads_of(c.dins[i].mutable_data<T>(), c.dins[i].strides());
    }
    kernels::attention_backward<T>(args, heads_of(c.outputs[0].data<T>(), c.outputs[0].strides()),
                                   heads_of(c.douts[0].data<T>(), c.douts[0].strides()), c.aux[0].data<T>(), to[0],
                                   to[1], to[2], scratch.raw());
    for (std::size_t i : {3U, 5U}) {
      if (c.wants(i))
        throw ShapeError(
            "[scaled_dot_product_attention] masks and slopes must be constants; one wants a gradient. Hint: detach it");
    }
  }

  static std::vector<Sample> samples();

  static Cost cost(Specs specs, const Attrs& attrs) {
    const auto elements =
        static_cast<double>(specs[0].shape.numel() * 2 + specs[1].shape.numel() + specs[2].shape.numel());
    return {attention_flops(specs[0].shape, specs[1].shape, specs[2].shape, attrs.causal),
            elements * static_cast<double>(size_of(specs[0].dtype))};
  }
};

std::vector<Sample> Sdpa::samples() {
  std::vector<Sample> made;
  const auto call = [&](const char* note, const Shape& q, const Shape& k, Index dv, Attrs attrs,
                        const AttentionInputs& extra = {}) {
    Shape v = k;
    v[3] = dv;
    made.push_back({.note = note,
                    .inputs = {sample_numbers(q, -1, 1, 1), sample_numbers(k, -1, 1, 2), sample_numbers(v, -1, 1, 3),
                               extra.mask, extra.key_lengths, extra.alibi_slopes},
                    .attrs = AttrBox::of(attrs),
                    .constant = {0, 0, 0, 1, 1, 1}});
  };
  call("plain", {2, 3, 5, 4}, {2, 3, 5, 4}, 4, {});
  call("causal", {2, 2, 9, 8}, {2, 2, 9, 8}, 8, {.causal = true});
  call("more keys, bottom right", {1, 2, 3, 4}, {1, 2, 7, 4}, 6, {.causal = true, .align = CausalAlign::kBottomRight});
  call("more queries, bottom right", {1, 2, 7, 4}, {1, 2, 3, 4}, 4,
       {.causal = true, .align = CausalAlign::kBottomRight});
  call("grouped queries", {2, 4, 6, 4}, {2, 2, 6, 4}, 4, {.causal = true});
  call("window", {1, 2, 11, 4}, {1, 2, 11, 4}, 4, {.causal = true, .window = 3});
  call("dropout", {2, 2, 6, 4}, {2, 2, 6, 4}, 4,
       {.causal = true, .dropout = 0.3, .random = {.seed = 9, .stream = 1}, .first_batch = 4});
  call("bool mask with a dead row", {1, 2, 4, 8}, {1, 2, 4, 8}, 8, {},
       {.mask = Tensor::from<float>(std::vector<float>{1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1}, {4, 4})
                    .to(DType::boolean)});
  call("added mask", {2, 2, 4, 3}, {2, 2, 5, 3}, 3, {.scale = 0.3}, {.mask = sample_numbers({2, 1, 4, 5}, -1, 1, 4)});
  call("key lengths and ALiBi", {2, 2, 5, 4}, {2, 2, 5, 4}, 4, {.causal = true},
       {.key_lengths = Tensor::from<std::int64_t>(std::vector<std::int64_t>{3, 5}, {2}),
        .alibi_slopes = sample_numbers({2}, 0.1, 0.5, 5)});
  call("several tiles", {1, 2, 200, 16}, {1, 2, 200, 16}, 16, {.causal = true});
  made.push_back({.note = "widths differ",
                  .inputs = {sample_numbers({1, 1, 2, 3}, 0, 1),
                             sample_numbers({1, 1, 2, 4}, 0, 1),
                             sample_numbers({1, 1, 2, 4}, 0, 1),
                             {},
                             {},
                             {}},
                  .attrs = AttrBox::of(Attrs{}),
                  .valid = false});
  made.push_back({.note = "heads do not group",
                  .inputs = {sample_numbers({1, 3, 2, 4}, 0, 1),
                             sample_numbers({1, 2, 2, 4}, 0, 1),
                             sample_numbers({1, 2, 2, 4}, 0, 1),
                             {},
                             {},
                             {}},
                  .attrs = AttrBox::of(Attrs{}),
                  .valid = false});
  made.push_back({.note = "mask of another shape",
                  .inputs = {sample_numbers({1, 2, 2, 4}, 0, 1),
                             sample_numbers({1, 2, 2, 4}, 0, 1),
                             sample_numbers({1, 2, 2, 4}, 0, 1),
                             sample_mask({3, 2}, 0.5),
                             {},
                             {}},
                  .attrs = AttrBox::of(Attrs{}),
                  .valid = false});
  return made;
}

template <class T>
Tensor weights_of(std::span<const Tensor> in, const AttentionOptions& options) {
  auto args = Sdpa::arguments<T>(in, options);
  args.precision = current_precision();
  const Tensor scratch = attention_scratch(args);
  Tensor out = Tensor::empty({args.batch, args.heads, args.q_len, args.value_dim}, dtype_of<T>);
  Tensor lse = Tensor::empty({args.batch, args.heads, args.q_len}, dtype_of<T>);
  Tensor weights = Tensor::empty({args.batch, args.heads, args.q_len, args.k_len}, dtype_of<T>);
  kernels::attention_forward<T>(args, heads_of(out.mutable_data<T>(), out.strides()), lse.mutable_data<T>(),
                                weights.mutable_data<T>(), scratch.raw());
  return weights;
}

}  // namespace
MINNOW_OP(scaled_dot_product_attention, Sdpa);
}  // namespace ops

Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options,
                                    const AttentionInputs& inputs) {
  return apply_one(ops::op_scaled_dot_product_attention,
                   {q, k, v, inputs.mask, inputs.key_lengths, inputs.alibi_slopes}, options);
}

Tensor attention_weights(const Tensor& q, const Tensor& k, const AttentionOptions& options,
                         const AttentionInputs& inputs) {
  ops::check_given("attention_weights", q);
  ops::check_given("attention_weights", k);
  Tensor in[] = {q, k, k, inputs.mask, inputs.key_lengths, inputs.alibi_slopes};
  for (Tensor& x : in) {
    if (x.defined()) x = x.contiguous();
  }
  std::vector<TensorSpec> specs;
  for (const Tensor& x : in) specs.push_back(x.defined() ? x.spec() : TensorSpec::absent());
  (void)ops::Sdpa::infer(specs, options);
  return q.dtype() == DType::f64 ? ops::weights_of<double>(in, options) : ops::weights_of<float>(in, options);
}

}  // namespace minnow
