// Adapters of the kind block.

#include "golden/adapter.hpp"
#include "golden/model_options.hpp"
#include "minnow/models/decoder_block.hpp"
#include "minnow/ops/elementwise.hpp"

namespace minnow::golden {
namespace {

nn::Linear linear_of(Call& call, const std::string& name, bool bias) {
  return {call.param(name + ".weight"), bias ? call.param(name + ".bias") : Tensor()};
}

nn::Norm norm_of(Call& call, const std::string& name, bool bias, double eps) {
  return {call.param(name + ".weight"), bias ? call.param(name + ".bias") : Tensor(), eps};
}

nn::Norm rms_norm_of(Call& call, const std::string& name, double eps) {
  return {call.param(name + ".weight"), {}, eps, nn::NormType::kRms};
}

Outcome gpt2_block(Call& call) {
  const bool bias = call.options.flag("bias");
  const double eps = call.options.number("eps");
  DecoderBlock block;
  block.norm_1 = norm_of(call, "ln_1", bias, eps);
  block.norm_2 = norm_of(call, "ln_2", bias, eps);
  block.attention.qkv = linear_of(call, "attn.c_attn", bias);
  block.attention.out = linear_of(call, "attn.c_proj", bias);
  block.attention.n_head = call.options.integer("num_heads");
  block.mlp.up = linear_of(call, "mlp.c_fc", bias);
  block.mlp.down = linear_of(call, "mlp.c_proj", bias);
  block.mlp.activation = kernel_activation(call.options.text("activation"));
  const Tensor& x = call.in("x");
  call.options.require("d_model", x.size(-1));
  call.options.require("ff", block.mlp.up.weight.size(0));
  return {{{"y", block.pre_norm(x, {}, {})}}};
}

FeedForward gated_layers(Call& call, const std::string& prefix) {
  FeedForward mlp;
  mlp.gate = linear_of(call, prefix + "gate_proj", false);
  mlp.up = linear_of(call, prefix + "up_proj", false);
  mlp.down = linear_of(call, prefix + "down_proj", false);
  mlp.activation = kernels::Activation::kSilu;
  call.options.require("d_model", mlp.up.weight.size(1));
  call.options.require("ff", mlp.up.weight.size(0));
  return mlp;
}

Outcome llama_block(Call& call) {
  const double eps = call.options.number("eps");
  DecoderBlock block;
  block.norm_1 = rms_norm_of(call, "input_layernorm", eps);
  block.norm_2 = rms_norm_of(call, "post_attention_layernorm", eps);
  block.attention.q = linear_of(call, "self_attn.q_proj", false);
  block.attention.k = linear_of(call, "self_attn.k_proj", false);
  block.attention.v = linear_of(call, "self_attn.v_proj", false);
  block.attention.out = linear_of(call, "self_attn.o_proj", false);
  block.attention.n_head = call.options.integer("num_heads");
  block.attention.n_kv_head = call.options.integer("kv_heads");
  block.attention.window = call.options.integer_or_null("sliding_window").value_or(0);
  block.attention.pairs = rope_pairs(call.options.text("rope_style"));
  block.mlp = gated_layers(call, "mlp.");
  const Tensor& x = call.in("x");
  const Tensor angles = nn::rotary_table(0, x.size(1), x.size(2) / block.attention.n_head,
                                         call.options.number("rope_theta"), call.dtype());
  return {{{"y", block.pre_norm(x, angles, {})}}};
}

/// Both linear layers of a feed-forward network have a bias or neither has: the file says which.
Outcome feed_forward(Call& call) {
  const nn::Linear first = linear_of(call, "linear1", call.has_param("linear1.bias"));
  const nn::Linear second = linear_of(call, "linear2", call.has_param("linear2.bias"));
  const Tensor& x = call.in("x");
  call.options.require("d_model", x.size(-1));
  call.options.require("ff", first.weight.size(0));
  return {{{"y", second(first(x, kernel_activation(call.options.text("activation"))))}}};
}

Outcome swiglu_network(Call& call) { return {{{"y", gated_layers(call, "")(call.in("x"))}}}; }

}  // namespace

AdapterTable block_adapters() {
  return {{"gpt2_block", gpt2_block}, {"llama_block", llama_block}, {"ffn", feed_forward}, {"swiglu", swiglu_network}};
}

}  // namespace minnow::golden
