#include "minnow/exchange/foreign_tensors.hpp"

#include <fmt/format.h>

#include <utility>

namespace minnow::exchange {
namespace {

using Shape2 = std::vector<std::int64_t>;

/// Collects the tensors of one block, or of what is around the blocks.
class TensorList {
 public:
  TensorList(std::vector<ForeignTensor>& list, std::string prefix) : list_(list), prefix_(std::move(prefix)) {}

  void add(std::string_view name, Shape2 shape, bool transposed = false) {
    list_.push_back({prefix_ + std::string(name), std::move(shape), transposed});
  }
  void norm(const std::string& name, std::int64_t width, bool bias) {
    add(name + ".weight", {width});
    if (bias) add(name + ".bias", {width});
  }
  /// Conv1D stores (in, out), Linear (out, in).
  void layer(const std::string& name, std::int64_t in, std::int64_t out, bool bias, bool conv) {
    conv ? add(name + ".weight", {in, out}, true) : add(name + ".weight", {out, in});
    if (bias) add(name + ".bias", {out});
  }

 private:
  std::vector<ForeignTensor>& list_;
  std::string prefix_;
};

void gpt2_block(TensorList& block, const ModelConfig& model) {
  const std::int64_t width = model.n_embd;
  const bool attention_bias = model.attention_has_bias();
  const bool mlp_bias = model.mlp_has_bias();
  block.norm("ln_1", width, model.bias);
  block.layer("attn.c_attn", width, 3 * width, attention_bias, true);
  block.layer("attn.c_proj", width, width, attention_bias, true);
  block.norm("ln_2", width, model.bias);
  block.layer("mlp.c_fc", width, model.hidden_width(), mlp_bias, true);
  block.layer("mlp.c_proj", model.hidden_width(), width, mlp_bias, true);
}

void llama_block(TensorList& block, const ModelConfig& model) {
  const std::int64_t width = model.n_embd;
  const std::int64_t narrow = model.kv_heads() * model.head_dim();
  const bool attention_bias = model.attention_has_bias();
  const bool mlp_bias = model.mlp_has_bias();
  block.norm("input_layernorm", width, false);
  block.layer("self_attn.q_proj", width, width, attention_bias, false);
  block.layer("self_attn.k_proj", width, narrow, attention_bias, false);
  block.layer("self_attn.v_proj", width, narrow, attention_bias, false);
  block.layer("self_attn.o_proj", width, width, attention_bias, false);
  block.norm("post_attention_layernorm", width, false);
  block.layer("mlp.gate_proj", width, model.hidden_width(), mlp_bias, false);
  block.layer("mlp.up_proj", width, model.hidden_width(), mlp_bias, false);
  block.layer("mlp.down_proj", model.hidden_width(), width, mlp_bias, false);
}

/// @return whether `name` is `front`, a number, `back`.
bool is_numbered(std::string_view name, std::string_view front, std::string_view back) {
  if (!name.starts_with(front) || !name.ends_with(back) || name.size() <= front.size() + back.size()) return false;
  const std::string_view number = name.substr(front.size(), name.size() - front.size() - back.size());
  return number.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::vector<ForeignTensor> foreign_tensors(const ModelConfig& model, std::int64_t vocab_size) {
  const bool gpt2 = model.family == Family::kGpt2;
  const std::string root = gpt2 ? "transformer." : "model.";
  std::vector<ForeignTensor> list;
  TensorList around(list, root);
  around.add(gpt2 ? "wte.weight" : "embed_tokens.weight", {vocab_size, model.n_embd});
  if (gpt2) around.add("wpe.weight", {model.block_size, model.n_embd});
  for (std::int64_t i = 0; i < model.n_layer; ++i) {
    TensorList block(list, fmt::format("{}{}.{}.", root, gpt2 ? "h" : "layers", i));
    gpt2 ? gpt2_block(block, model) : llama_block(block, model);
  }
  around.norm(gpt2 ? "ln_f" : "norm", model.n_embd, gpt2 && model.bias);
  if (!model.tie_head) list.push_back({"lm_head.weight", {vocab_size, model.n_embd}});
  return list;
}

ForeignName read_foreign_name(std::string_view name, Family family) {
  const bool gpt2 = family == Family::kGpt2;
  const std::string_view root = gpt2 ? "transformer." : "model.";
  std::string_view inner = name;
  if (inner.starts_with(root)) inner.remove_prefix(root.size());
  ForeignName read;
  read.name = inner.starts_with("lm_head.") ? std::string(inner) : std::string(root) + std::string(inner);
  read.buffer = gpt2
                    ? is_numbered(inner, "h.", ".attn.bias") || is_numbered(inner, "h.", ".attn.masked_bias")
                    : inner == "rotary_emb.inv_freq" || is_numbered(inner, "layers.", ".self_attn.rotary_emb.inv_freq");
  return read;
}

}  // namespace minnow::exchange
