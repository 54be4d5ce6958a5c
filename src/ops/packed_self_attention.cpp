#include <fmt/format.h>

#include "minnow/base/error.hpp"
#include "minnow/ops/shape.hpp"
#include "ops/attention_call.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct PackedSelfAttention {
  using Attrs = PackedAttentionAttrs;
  static constexpr OpDoc kDoc{"packed_self_attention",
                              "packed_self_attention(qkv, n_head, options, key_lengths?, borders?) -> out",
                              "scaled_dot_product_attention of the heads in qkv (B, T, 3C), side by side in (B, T, C)",
                              "Vaswani et al. 2017; the layout of GPT-2's c_attn"};
  static constexpr unsigned kOptional = 0b110;                   // key_lengths, borders
  static constexpr Saves kSaves{.inputs = 0b111, .outputs = 1};  // aux: lse (B, H, T)

  static Inferred infer(Specs specs, const Attrs& attrs) {
    const Shape& qkv = specs[0].shape;
    if (qkv.rank() != 3 || attrs.n_head < 1 || qkv[2] % 3 != 0 || qkv[2] / 3 % attrs.n_head != 0) {
      throw ShapeError(
          fmt::format("[packed_self_attention] qkv must be (B, T, 3C) with C a multiple of n_head; got {} for {} heads",
                      qkv.str(), attrs.n_head));
    }
    if (specs[1].present && (specs[1].shape != Shape{qkv[0]} || specs[1].dtype != DType::i64)) {
      throw ShapeError(
          fmt::format("[packed_self_attention] key_lengths must be i64 ({},); got {}", qkv[0], specs[1].str()));
    }
    check_borders("packed_self_attention", specs[2], specs[1].present, qkv, qkv);
    check_options("packed_self_attention", attrs.options);
    return {{{{qkv[0], qkv[1], qkv[2] / 3}, specs[0].dtype}}, {{{qkv[0], attrs.n_head, qkv[1]}, specs[0].dtype}}};
  }

  /// @return head (b, h) of the part of qkv that begins at `first` in each row.
  template <class T>
  static kernels::HeadView<T> part(T* data, Index time, Index width, Index head_dim) {
    return {data, time * width, head_dim, width};
  }

  template <class T>
  static kernels::AttentionArgs<T> arguments(const Tensor& qkv, const Tensor& key_lengths, const Attrs& attrs) {
    const Index channels = qkv.size(2) / 3;
    const Index head_dim = channels / attrs.n_head;
    const Index time = qkv.size(1);
    const T* data = qkv.data<T>();
    kernels::AttentionArgs<T> args;
    args.batch = qkv.size(0);
    args.heads = args.kv_heads = attrs.n_head;
    args.q_len = args.k_len = time;
    args.head_dim = args.value_dim = head_dim;
    args.q = part(data, time, 3 * channels, head_dim);
    args.k = part(data + channels, time, 3 * channels, head_dim);
    args.v = part(data + 2 * channels, time, 3 * channels, head_dim);
    set_options(args, attrs.options);
    set_inputs(args, {}, key_lengths, {});
    return args;
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    auto args = arguments<T>(c.inputs[0], c.inputs[1], attrs);
    args.precision = c.precision;
    const Tensor scratch = attention_scratch(args);
    const auto out = part(c.outputs[0].mutable_data<T>(), args.q_len, c.outputs[0].size(2), args.head_dim);
    run_forward("packed_self_attention", args, c.inputs[2], out, c.aux[0].mutable_data<T>(), scratch.raw());
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    if (!c.wants(0)) return;
    auto args = arguments<T>(c.inputs[0], c.inputs[1], attrs);
    args.precision = c.precision;
    const Tensor scratch = attention_scratch(args);
    const Index channels = c.outputs[0].size(2);
    T* dqkv = c.dins[0].mutable_data<T>();
    kernels::AttentionGradient<T> to[3];
    for (Index i = 0; i < 3; ++i) to[i].to = part(dqkv + i * channels, args.q_len, 3 * channels, args.head_dim);
    run_backward(
        "packed_self_attention", args, c.inputs[2], part(c.outputs[0].data<T>(), args.q_len, channels, args.head_dim),
        part(c.douts[0].data<T>(), args.q_len, channels, args.head_dim), c.aux[0].data<T>(), to, scratch.raw());
  }

  static std::vector<Tensor> compose(std::span<const Tensor> in, const Attrs& attrs) {
    const Index batch = in[0].size(0);
    const Index time = in[0].size(1);
    const Index channels = in[0].size(2) / 3;
    if (in[2].defined()) {
      return {by_sequence(in[2], attrs.options, [&](Index begin, Index end, const AttentionOptions& options) {
        return packed_self_attention(slice(in[0], 1, begin, end), attrs.n_head, options);
      })};
    }
    const auto head = [&](Index i) {  // (B, T, 3C) -> (B, H, T, D)
      return transpose(reshape(slice(in[0], 2, i * channels, (i + 1) * channels), {batch, time, attrs.n_head, -1}), 1,
                       2);
    };
    const Tensor out = scaled_dot_product_attention(head(0), head(1), head(2), attrs.options, {.key_lengths = in[1]});
    return {reshape(transpose(out, 1, 2), {batch, time, channels})};
  }

  static std::vector<Sample> samples() {
    const AttentionOptions causal{.causal = true};
    const Tensor row = sample_numbers({1, 9, 24}, -1, 1);
    const auto with = [](Index heads, const AttentionOptions& options) { return AttrBox::of(Attrs{heads, options}); };
    return {
        {.note = "causal", .inputs = {sample_numbers({2, 5, 24}, -1, 1), {}, {}}, .attrs = with(2, causal)},
        {.note = "one head, all keys", .inputs = {sample_numbers({1, 4, 9}, -1, 1), {}, {}}, .attrs = with(1, {})},
        {.note = "key lengths",
         .inputs = {sample_numbers({3, 6, 12}, -1, 1),
                    Tensor::from<std::int64_t>(std::vector<std::int64_t>{1, 6, 3}, {3}),
                    {}},
         .attrs = with(2, {})},
        {.note = "dropout",
         .inputs = {sample_numbers({2, 7, 12}, -1, 1), {}, {}},
         .attrs = with(4, {.causal = true, .dropout = 0.2, .random = {.seed = 1}, .first_batch = 3})},
        {.note = "borders", .inputs = {row, {}, sample_borders({0, 3, 3, 4, 9})}, .attrs = with(2, causal)},
        {.note = "borders and dropout",
         .inputs = {row, {}, sample_borders({0, 7, 9})},
         .attrs = with(2, {.causal = true,
                           .window = 3,
                           .dropout = 0.2,
                           .random = {.seed = 1},
                           .first_batch = 3,
                           .dropout_length = 8})},
        {.note = "a long sequence and short ones",
         .inputs = {sample_numbers({1, 264, 3}, -1, 1), {}, sample_borders({0, 4, 263, 264})},
         .attrs = with(1, causal)},
        {.note = "borders that fall",
         .inputs = {row, {}, sample_borders({0, 5, 4, 9})},
         .attrs = with(2, causal),
         .valid = false},
        {.note = "borders that end early",
         .inputs = {row, {}, sample_borders({0, 5})},
         .attrs = with(2, causal),
         .valid = false},
        {.note = "borders in two rows",
         .inputs = {sample_numbers({2, 5, 24}, -1, 1), {}, sample_borders({0, 5})},
         .attrs = with(2, causal),
         .valid = false},
        {.note = "a GPT's size", .inputs = {sample_numbers({2, 64, 384}, -1, 1), {}, {}}, .attrs = with(4, causal)},
        {.note = "several tiles", .inputs = {sample_numbers({1, 150, 48}, -1, 1), {}, {}}, .attrs = with(2, causal)},
        {.note = "channels do not divide",
         .inputs = {sample_numbers({2, 5, 24}, -1, 1), {}, {}},
         .attrs = with(3, causal),
         .valid = false},
        {.note = "two axes",
         .inputs = {sample_numbers({5, 24}, -1, 1), {}, {}},
         .attrs = with(2, causal),
         .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs& attrs) {
    const Shape& qkv = specs[0].shape;
    const Shape head{qkv[0], attrs.n_head, qkv[1], qkv[2] / 3 / attrs.n_head};
    return {attention_flops(head, head, head, attrs.options.causal) * part_of_sequences(specs[2]),
            static_cast<double>(qkv.numel()) * 4 / 3 * static_cast<double>(size_of(specs[0].dtype))};
  }
};

}  // namespace
MINNOW_OP(packed_self_attention, PackedSelfAttention);
}  // namespace ops

Tensor packed_self_attention(const Tensor& qkv, Index n_head, const AttentionOptions& options,
                             const Tensor& key_lengths, const Tensor& borders) {
  return apply_one(ops::op_packed_self_attention, {qkv, key_lengths, borders},
                   ops::PackedSelfAttention::Attrs{n_head, options});
}

}  // namespace minnow
