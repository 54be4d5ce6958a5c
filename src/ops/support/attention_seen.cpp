#include "minnow/autograd/observe.hpp"
#include "minnow/ops/attention.hpp"
#include "ops/attention_call.hpp"

namespace minnow {
namespace {

/// @return (B, heads, T, D) of heads that lie side by side in rows, from channel `first` on. @param x (B, T, ...)
Tensor heads_in_rows(const Tensor& x, Index first, Index heads, Index width) {
  const Shape& strides = x.strides();
  return x.as_strided({x.size(0), heads, x.size(1), width}, {strides[0], width * strides[2], strides[1], strides[2]},
                      x.offset() + first * strides[2]);
}

AttentionCall seen_packed(const OpCall& call) {
  const auto& attrs = call.attrs.as<ops::PackedAttentionAttrs>();
  const Tensor& qkv = call.inputs[0];
  const Index channels = qkv.size(2) / 3;
  const auto part = [&](Index i) { return heads_in_rows(qkv, i * channels, attrs.n_head, channels / attrs.n_head); };
  return {part(0), part(1), part(2), attrs.options, {.key_lengths = call.inputs[1]}};
}

AttentionCall seen_rows(const OpCall& call) {
  const auto& attrs = call.attrs.as<ops::RowAttentionAttrs>();
  const auto apart = [&](std::size_t i, Index heads) {
    return heads_in_rows(call.inputs[i], 0, heads, call.inputs[i].size(2) / heads);
  };
  return {apart(0, attrs.n_head),
          apart(1, attrs.n_kv_head),
          apart(2, attrs.n_kv_head),
          attrs.options,
          {.key_lengths = call.inputs[3]}};
}

}  // namespace

std::optional<AttentionCall> attention_call(const OpCall& call) {
  const bool packed = call.op.doc.name == "packed_self_attention", rows = call.op.doc.name == "row_attention";
  if ((packed || rows) && call.inputs.back().defined()) return std::nullopt;  // sequences cut by borders
  if (packed) return seen_packed(call);
  if (rows) return seen_rows(call);
  if (call.op.doc.name != "scaled_dot_product_attention") return std::nullopt;
  const auto in = call.inputs;
  return AttentionCall{
      in[0].alias(), in[1].alias(), in[2].alias(), call.attrs.as<AttentionOptions>(), {in[3], in[4], in[5]}};
}

}  // namespace minnow
