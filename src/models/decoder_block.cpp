#include "minnow/models/decoder_block.hpp"

#include "minnow/autograd/backward.hpp"
#include "minnow/ops/attention.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/gated.hpp"
#include "minnow/ops/position.hpp"
#include "minnow/ops/shape.hpp"

namespace minnow {
namespace {

/// (B, T, H D) -> (B, H, T, D)
Tensor split_heads(const Tensor& x, Index heads) {
  return transpose(reshape(x, {x.size(0), x.size(1), heads, x.size(2) / heads}), 1, 2);
}

}  // namespace

SelfAttention::Projected SelfAttention::project(const Tensor& y, const Tensor& rope) const {
  Projected made;
  if (qkv.weight.defined()) {
    const Tensor all = qkv(y);  // (B, T, (H + 2 Hkv) D)
    const Index head_dim = all.size(2) / (n_head + 2 * kv_heads());
    const Index first_key = n_head * head_dim;
    const Index first_value = first_key + kv_heads() * head_dim;
    made = {slice(all, 2, 0, first_key), slice(all, 2, first_key, first_value),
            slice(all, 2, first_value, all.size(2))};
  } else {
    made = {q(y), k(y), v(y)};
  }
  if (rope.defined()) {
    made.q = row_rope(made.q, rope, n_head, pairs);
    made.k = row_rope(made.k, rope, kv_heads(), pairs);
  }
  return made;
}

Tensor SelfAttention::operator()(const Tensor& y, const Tensor& rope, const ForwardMode& mode) const {
  AttentionOptions options{.causal = true, .window = window};
  if (mode.training && dropout > 0) {
    options.dropout = dropout;
    options.random = mode.dropout_key(dropout_site);
    options.first_batch = mode.first_sequence;
    options.dropout_length = mode.sequences.longest;
  }
  const Tensor& borders = mode.sequences.borders;
  if (qkv.weight.defined() && !rope.defined() && kv_heads() == n_head) {  // nothing has to be taken apart
    return out(packed_self_attention(qkv(y), n_head, options, {}, borders));
  }
  const Projected in = project(y, rope);
  return out(row_attention(in.q, in.k, in.v, n_head, kv_heads(), options, {}, borders));
}

Tensor SelfAttention::cached(const Tensor& y, const Tensor& rope, KeyValueCache& cache, Index layer) const {
  const Index total = cache.length + y.size(1);
  const Projected in = project(y, rope);
  Tensor& keys = cache.keys[static_cast<std::size_t>(layer)];  // (B, Hkv, capacity, D)
  Tensor& values = cache.values[static_cast<std::size_t>(layer)];
  slice(keys, 2, cache.length, total).copy_from(split_heads(in.k, kv_heads()));
  slice(values, 2, cache.length, total).copy_from(split_heads(in.v, kv_heads()));
  const Tensor heads = scaled_dot_product_attention(
      split_heads(in.q, n_head), slice(keys, 2, 0, total), slice(values, 2, 0, total),
      {.causal = true, .align = CausalAlign::kBottomRight, .window = window});  // (B, H, N, D)
  return out(reshape(transpose(heads, 1, 2), {y.size(0), y.size(1), -1}));
}

Tensor FeedForward::operator()(const Tensor& y) const {
  if (!gate.weight.defined()) return down(up(y, activation));
  if (activation == kernels::Activation::kSilu) return down(swiglu(gate(y), up(y)));
  return down(mul(gate(y, activation), up(y)));
}

Tensor DecoderBlock::attend(const Tensor& y, const Tensor& rope, const ForwardMode& mode) const {
  const Scope scope("attn");
  return nn::dropout_at(attention(y, rope, mode), residual_dropout, first_site + 1, mode);
}

Tensor DecoderBlock::attend_cached(const Tensor& y, const Tensor& rope, KeyValueCache& cache, Index layer) const {
  const Scope scope("attn");
  return attention.cached(y, rope, cache, layer);
}

Tensor DecoderBlock::feed_forward(const Tensor& y, const ForwardMode& mode) const {
  const Scope scope("mlp");
  return nn::dropout_at(mlp(y), residual_dropout, first_site + 2, mode);
}

Tensor DecoderBlock::pre_norm(const Tensor& x, const Tensor& rope, const ForwardMode& mode) const {
  const auto [middle, y] = norm_2.add(x, attend(norm_1(x), rope, mode));
  return add(middle, feed_forward(y, mode));
}

Tensor DecoderBlock::post_norm(const Tensor& x, const Tensor& rope, const ForwardMode& mode) const {
  const Tensor y = norm_1.add(x, attend(x, rope, mode)).second;
  return norm_2.add(y, feed_forward(y, mode)).second;
}

}  // namespace minnow
