// Adapters of the kind multihead.

#include "golden/adapter.hpp"
#include "minnow/nn/multihead_attention.hpp"

namespace minnow::golden {
namespace {

Tensor optional_param(Call& call, const std::string& name) {
  return call.has_param(name) ? call.param(name) : Tensor();
}

nn::MultiheadAttention layer_of(Call& call) {
  nn::MultiheadAttention layer;
  layer.num_heads = call.options.integer("num_heads");
  layer.batch_first = call.options.flag("batch_first");
  layer.in_proj_weight = optional_param(call, "in_proj_weight");
  layer.q_proj_weight = optional_param(call, "q_proj_weight");
  layer.k_proj_weight = optional_param(call, "k_proj_weight");
  layer.v_proj_weight = optional_param(call, "v_proj_weight");
  const bool bias = call.options.flag("bias");
  if (bias) layer.in_proj_bias = call.param("in_proj_bias");
  layer.out_proj = {call.param("out_proj.weight"), bias ? call.param("out_proj.bias") : Tensor()};
  call.options.require("embed_dim", layer.out_proj.weight.size(0));
  call.options.require("dropout", 0.0);
  return layer;
}

Outcome multihead(Call& call) {
  const nn::MultiheadAttention layer = layer_of(call);
  const Tensor& query = call.in("query");
  const bool self = call.options.flag("self_attention");
  const Tensor key = self ? query : call.in("key");
  const Tensor value = self ? query : call.in("value");
  call.options.require("kdim", key.size(-1));
  call.options.require("vdim", value.size(-1));
  const nn::MultiheadMasks masks{.attn_mask = call.optional_in("attn_mask"),
                                 .key_padding_mask = call.optional_in("key_padding_mask")};
  if (call.options.has("bool_mask_true")) call.options.require("bool_mask_true", "blocked");
  const nn::WeightsWanted wanted =
      call.options.flag("average_attn_weights") ? nn::WeightsWanted::kMean : nn::WeightsWanted::kPerHead;
  const nn::Attended all = layer(query, key, value, masks, wanted);
  return {{{"y", all.output}, {"attn", all.weights}}};
}

Outcome parameter_count(Call& call) {
  const Index width = call.options.integer("embed_dim");
  const Index heads = call.options.integer("num_heads");
  const auto count = [&](bool bias) {
    ParameterList list;
    (void)nn::MultiheadAttention::make(list, "", width, heads, {.bias = bias}, {});
    return Tensor::full({}, static_cast<double>(list.count()), DType::i64);
  };
  return {{{"with_bias", count(true)}, {"without_bias", count(false)}}};
}

Outcome additive(Call& call) {
  const nn::AdditiveAttention layer{
      {call.param("W_q.weight"), {}}, {call.param("W_k.weight"), {}}, {call.param("w_v.weight"), {}}};
  call.options.require("hidden", layer.w_q.weight.size(0));
  const Tensor lengths = call.options.flag("masked") ? call.in("valid_len") : Tensor();
  const nn::Attended all = layer(call.in("query"), call.in("key"), call.in("value"), lengths);
  return {{{"y", all.output}, {"attn", all.weights}}};
}

}  // namespace

AdapterTable multihead_adapters() {
  return {{"multihead_attention", multihead},
          {"multihead_attention_parameter_count", parameter_count},
          {"additive_attention", additive}};
}

}  // namespace minnow::golden
