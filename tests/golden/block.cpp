// Adapters of the kind block.

#include "golden/adapter.hpp"
#include "golden/model_options.hpp"
#include "minnow/models/gpt2.hpp"
#include "minnow/ops/elementwise.hpp"

namespace minnow::golden {
namespace {

nn::Linear linear_of(Call& call, const std::string& name, bool bias) {
  return {call.param(name + ".weight"), bias ? call.param(name + ".bias") : Tensor()};
}

nn::LayerNorm norm_of(Call& call, const std::string& name, bool bias, double eps) {
  return {call.param(name + ".weight"), bias ? call.param(name + ".bias") : Tensor(), eps};
}

Outcome gpt2_block(Call& call) {
  const bool bias = call.options.flag("bias");
  const double eps = call.options.number("eps");
  Gpt2Block block;
  block.ln_1 = norm_of(call, "ln_1", bias, eps);
  block.ln_2 = norm_of(call, "ln_2", bias, eps);
  block.c_attn = linear_of(call, "attn.c_attn", bias);
  block.c_proj = linear_of(call, "attn.c_proj", bias);
  block.c_fc = linear_of(call, "mlp.c_fc", bias);
  block.mlp_c_proj = linear_of(call, "mlp.c_proj", bias);
  block.n_head = call.options.integer("num_heads");
  block.activation = kernel_activation(call.options.text("activation"));
  const Tensor& x = call.in("x");
  call.options.require("d_model", x.size(-1));
  call.options.require("ff", block.c_fc.weight.size(0));
  return {{{"y", block.pre_norm(x, {})}}};
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

Outcome swiglu(Call& call) {
  const nn::Linear gate = linear_of(call, "gate_proj", false);
  const nn::Linear up = linear_of(call, "up_proj", false);
  const nn::Linear down = linear_of(call, "down_proj", false);
  const Tensor& x = call.in("x");
  call.options.require("d_model", x.size(-1));
  call.options.require("ff", gate.weight.size(0));
  return {{{"y", down(silu(gate(x)) * up(x))}}};
}

}  // namespace

AdapterTable block_adapters() { return {{"gpt2_block", gpt2_block}, {"ffn", feed_forward}, {"swiglu", swiglu}}; }

}  // namespace minnow::golden
