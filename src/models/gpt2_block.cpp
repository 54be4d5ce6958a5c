#include "minnow/autograd/backward.hpp"
#include "minnow/models/gpt2.hpp"
#include "minnow/ops/attention.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/shape.hpp"

namespace minnow {

Tensor Gpt2Block::attend(const Tensor& y, const ForwardMode& mode) const {
  const Scope scope("attn");
  AttentionOptions options{.causal = true};
  if (mode.training && attention_dropout > 0) {
    options.dropout = attention_dropout;
    options.random = mode.dropout_key(first_site);
    options.first_batch = mode.first_sequence;
  }
  const Tensor heads = packed_self_attention(c_attn(y), n_head, options);  // (B, T, C)
  return nn::dropout_at(c_proj(heads), residual_dropout, first_site + 1, mode);
}

Tensor Gpt2Block::attend_cached(const Tensor& y, KeyValueCache& cache, Index layer) const {
  const Scope scope("attn");
  const Index batch = y.size(0);
  const Index count = y.size(1);
  const Index width = y.size(2);
  const Index total = cache.length + count;
  const Tensor qkv = c_attn(y);     // (B, N, 3C)
  const auto part = [&](Index i) {  // (B, H, N, D)
    return transpose(reshape(slice(qkv, 2, i * width, (i + 1) * width), {batch, count, n_head, width / n_head}), 1, 2);
  };
  Tensor& keys = cache.keys[static_cast<std::size_t>(layer)];
  Tensor& values = cache.values[static_cast<std::size_t>(layer)];
  slice(keys, 2, cache.length, total).copy_from(part(1));
  slice(values, 2, cache.length, total).copy_from(part(2));
  const Tensor out = scaled_dot_product_attention(part(0), slice(keys, 2, 0, total), slice(values, 2, 0, total),
                                                  {.causal = true, .align = CausalAlign::kBottomRight});
  return c_proj(reshape(transpose(out, 1, 2), {batch, count, width}));
}

Tensor Gpt2Block::feed_forward(const Tensor& y, const ForwardMode& mode) const {
  const Scope scope("mlp");
  return nn::dropout_at(mlp_c_proj(c_fc(y, activation)), residual_dropout, first_site + 2, mode);
}

Tensor Gpt2Block::pre_norm(const Tensor& x, const ForwardMode& mode) const {
  const auto [middle, y] = ln_2.add(x, attend(ln_1(x), mode));
  return add(middle, feed_forward(y, mode));
}

Tensor Gpt2Block::post_norm(const Tensor& x, const ForwardMode& mode) const {
  const Tensor y = ln_1.add(x, attend(x, mode)).second;
  return ln_2.add(y, feed_forward(y, mode)).second;
}

}  // namespace minnow
