// Adapter of the kind attention.

#include "minnow/ops/attention.hpp"

#include <cmath>

#include "golden/adapter.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/linear.hpp"
#include "minnow/ops/loss.hpp"
#include "minnow/ops/position.hpp"
#include "minnow/ops/shape.hpp"

namespace minnow::golden {
namespace {

CausalAlign align_of(Call& call) {
  const std::string align = call.options.text("align");
  if (align == "top_left") return CausalAlign::kTopLeft;
  if (align == "bottom_right") return CausalAlign::kBottomRight;
  throw Unsupported("option align is " + align);
}

void read_mask(Call& call, AttentionOptions& options, AttentionInputs& inputs) {
  const std::string mask = call.options.text("mask");
  if (mask == "causal") {
    options.causal = true;
    options.align = align_of(call);
  } else if (mask == "sliding_window") {
    options.causal = true;
    options.window = call.options.integer("window");
    if (call.options.has("align")) options.align = align_of(call);
  } else if (mask == "bool") {
    call.options.require("bool_mask_true", "attend");
    inputs.mask = call.in("mask");
  } else if (mask == "additive") {
    inputs.mask = call.in("bias");
  } else if (mask != "none") {
    throw Unsupported("option mask is " + mask);
  }
}

/// Repeats key/value heads for grouped queries: (B, Hkv, T, D) -> (B, H, T, D).
Tensor repeat_heads(const Tensor& x, Index heads) {
  if (x.size(1) == heads) return x;
  const Index times = heads / x.size(1);
  const Tensor one = reshape(x, {x.size(0), x.size(1), 1, x.size(2), x.size(3)});
  return reshape(expand(one, {x.size(0), x.size(1), times, x.size(2), x.size(3)}),
                 {x.size(0), heads, x.size(2), x.size(3)});
}

/// A bias that has a gradient: attention out of simple operations, since the coarse one takes its masks as constants.
Tensor with_learned_bias(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options,
                         const AttentionInputs& inputs) {
  if (inputs.alibi_slopes.defined()) throw Unsupported("a bias with gradient beside ALiBi");
  const double scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(q.size(-1))));
  const Tensor scores = matmul(q, transpose(repeat_heads(k, q.size(1)), -2, -1)) * scale + inputs.mask;
  return matmul(softmax(scores, -1), repeat_heads(v, q.size(1)));
}

Outcome attend(Call& call) {
  AttentionOptions options;
  AttentionInputs inputs;
  read_mask(call, options, inputs);
  options.scale = call.options.number_or_null("scale");
  if (call.options.has("alibi") && call.options.flag("alibi")) {
    call.options.require("heads", call.in("q").size(1));
    inputs.alibi_slopes = alibi_slopes(call.in("q").size(1), call.dtype());
  }
  const Tensor& q = call.in("q");
  const Tensor& k = call.in("k");
  const Tensor& v = call.in("v");
  call.options.require("q_heads", q.size(1));
  call.options.require("kv_heads", k.size(1));
  const Tensor y = inputs.mask.defined() && requires_grad(inputs.mask)
                       ? with_learned_bias(q, k, v, options, inputs)
                       : scaled_dot_product_attention(q, k, v, options, inputs);
  return {{{"y", y}, {"attn", attention_weights(q, k, options, inputs)}}};
}

}  // namespace

AdapterTable attention_adapters() { return {{"sdpa", attend}}; }

}  // namespace minnow::golden
