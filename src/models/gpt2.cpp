#include "minnow/models/gpt2.hpp"

#include <fmt/format.h>

#include <cmath>

#include "minnow/autograd/backward.hpp"
#include "minnow/base/error.hpp"
#include "minnow/ops/attention.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/embedding.hpp"
#include "minnow/ops/linear.hpp"
#include "minnow/ops/loss.hpp"
#include "minnow/ops/shape.hpp"

namespace minnow {
namespace {

constexpr double kGpt2Std = 0.02;
constexpr Index kSitesPerBlock = 3;  // attention weights, behind attention, behind the MLP; site 0 is the embedding's

kernels::Activation activation_of(Activation kind) {
  switch (kind) {
    case Activation::kGeluErf:
      return kernels::Activation::kGeluErf;
    case Activation::kGeluTanh:
      return kernels::Activation::kGeluTanh;
    case Activation::kRelu:
      return kernels::Activation::kRelu;
  }
  return kernels::Activation::kGeluErf;
}

/// GPT-2's own 0.02, or 1 / sqrt(C), which keeps the scale of what each layer adds at any width.
double init_std(const ModelConfig& config) {
  if (config.init_std > 0) return config.init_std;
  return config.init == InitKind::kScaled ? 1.0 / std::sqrt(static_cast<double>(config.n_embd)) : kGpt2Std;
}

Gpt2Block make_block(ParameterList& list, const ModelConfig& config, Index layer) {
  const std::string name = fmt::format("transformer.h.{}", layer);
  const Index width = config.n_embd;
  const Initializer plain = Initializer::normal(init_std(config));
  const Initializer residual =
      Initializer::normal(init_std(config) / std::sqrt(2.0 * static_cast<double>(config.n_layer)));
  Gpt2Block block;
  block.ln_1 = nn::LayerNorm::make(list, name + ".ln_1", width, config.bias, config.norm_eps);
  block.c_attn = nn::Linear::make(list, name + ".attn.c_attn", width, 3 * width, config.bias, plain);
  block.c_proj = nn::Linear::make(list, name + ".attn.c_proj", width, width, config.bias, residual);
  block.ln_2 = nn::LayerNorm::make(list, name + ".ln_2", width, config.bias, config.norm_eps);
  block.c_fc = nn::Linear::make(list, name + ".mlp.c_fc", width, config.hidden_width(), config.bias, plain);
  block.mlp_c_proj = nn::Linear::make(list, name + ".mlp.c_proj", config.hidden_width(), width, config.bias, residual);
  block.n_head = config.n_head;
  block.activation = activation_of(config.activation);
  block.attention_dropout = config.attention_dropout();
  block.residual_dropout = config.residual_dropout();
  block.first_site = 1 + layer * kSitesPerBlock;
  return block;
}

}  // namespace

Gpt2::Gpt2(const ModelConfig& config, Index vocab_size, DType dtype)
    : config_(config), vocab_size_(vocab_size), parameters_(dtype) {
  if (vocab_size < 1 || config.n_layer < 1 || config.n_head < 1 || config.block_size < 1 ||
      config.n_embd % config.n_head != 0) {
    throw ConfigError(fmt::format(
        "[gpt2] sizes must be at least 1 and n_embd a multiple of n_head; got vocabulary {}, n_layer {}, n_head {}, "
        "n_embd {}, block_size {}",
        vocab_size, config.n_layer, config.n_head, config.n_embd, config.block_size));
  }
  const Initializer plain = Initializer::normal(init_std(config));
  wte_ = parameters_.add("transformer.wte.weight", {vocab_size, config.n_embd}, plain);
  if (config.position == PositionKind::kLearned)
    wpe_ = parameters_.add("transformer.wpe.weight", {config.block_size, config.n_embd}, plain);
  for (Index layer = 0; layer < config.n_layer; ++layer) blocks_.push_back(make_block(parameters_, config, layer));
  if (config.norm_position == NormPosition::kPre) {
    ln_f_ = nn::LayerNorm::make(parameters_, "transformer.ln_f", config.n_embd, config.bias, config.norm_eps);
  }
  if (!config.tie_head) head_.weight = parameters_.add("lm_head.weight", {vocab_size, config.n_embd}, plain);
  if (config.head_bias) head_.bias = parameters_.add("lm_head.bias", {vocab_size}, Initializer::zeros());
}

Tensor Gpt2::positions(Index first, Index length) {
  if (config_.position == PositionKind::kLearned) {
    if (first + length > config_.block_size) {
      throw ConfigError(
          fmt::format("[gpt2] positions must lie below model.block_size = {}, the rows of the learned table; got "
                      "position {}. Hint: "
                      "train with a larger model.block_size, or with model.position = \"sinusoidal\", which goes on",
                      config_.block_size, first + length - 1));
    }
    return slice(wpe_, 0, first, first + length);
  }
  if (!sinusoids_.defined() || sinusoids_.size(0) < first + length) {
    sinusoids_ =
        nn::sinusoidal_table(0, std::max(config_.block_size, 2 * (first + length)), config_.n_embd, wte_.dtype());
  }
  return slice(sinusoids_, 0, first, first + length);
}

Tensor Gpt2::embed(const Tensor& tokens, Index first_position, const ForwardMode& mode) {
  const Scope scope("embed");
  const Tensor x = add(embedding(wte_, tokens), positions(first_position, tokens.size(1)));
  return nn::dropout_at(x, config_.embedding_dropout(), 0, mode);
}

template <class Attend>
Tensor Gpt2::run_blocks(Tensor x, const ForwardMode& mode, Attend&& attend) {
  const bool pre = config_.norm_position == NormPosition::kPre;
  Tensor y = pre ? blocks_.front().ln_1(x) : x;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Scope scope(fmt::format("h.{}", i));
    const Gpt2Block& block = blocks_[i];
    if (pre) {  // each residual addition is one pass with the norm behind it
      std::tie(x, y) = block.ln_2.add(x, attend(static_cast<Index>(i), y));
      const nn::LayerNorm& next = i + 1 < blocks_.size() ? blocks_[i + 1].ln_1 : ln_f_;
      std::tie(x, y) = next.add(x, block.feed_forward(y, mode));
    } else {
      y = block.ln_1.add(y, attend(static_cast<Index>(i), y)).second;
      y = block.ln_2.add(y, block.feed_forward(y, mode)).second;
    }
  }
  return y;
}

Tensor Gpt2::hidden(const Tensor& tokens, const ForwardMode& mode) {
  const Scope scope("transformer");
  return run_blocks(embed(tokens, 0, mode), mode, [&](Index layer, const Tensor& y) {
    return blocks_[static_cast<std::size_t>(layer)].attend(y, mode);
  });
}

Tensor Gpt2::loss(const Tensor& tokens, const Tensor& targets, double divisor, const ForwardMode& mode) {
  const Tensor y = hidden(tokens, mode);
  const Scope scope("lm_head");
  return linear_cross_entropy(y, head_weight(), head_.bias, targets, {.divisor = divisor});
}

Tensor Gpt2::token_losses(const Tensor& tokens, const Tensor& targets, const ForwardMode& mode) {
  const Tensor y = hidden(tokens, mode);
  const Scope scope("lm_head");
  return linear_cross_entropy(y, head_weight(), head_.bias, targets, {.reduction = Reduction::kNone});
}

Tensor Gpt2::logits(const Tensor& tokens, const ForwardMode& mode) {
  const Tensor y = hidden(tokens, mode);
  const Scope scope("lm_head");
  return linear(y, head_weight(), head_.bias);
}

KeyValueCache Gpt2::make_cache(Index batch, Index capacity) const {
  KeyValueCache cache;
  cache.capacity = capacity;
  const Shape shape{batch, config_.n_head, capacity, config_.n_embd / config_.n_head};
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    cache.keys.push_back(Tensor::zeros(shape, wte_.dtype()));
    cache.values.push_back(Tensor::zeros(shape, wte_.dtype()));
  }
  return cache;
}

Tensor Gpt2::decode(const Tensor& tokens, KeyValueCache& cache) {
  const Index count = tokens.size(1);
  if (cache.length + count > cache.capacity) {
    throw ShapeError(fmt::format("[gpt2] the cache must have room for {} further positions; it holds {} of {}", count,
                                 cache.length, cache.capacity));
  }
  const ForwardMode mode;
  const Scope scope("transformer");
  const Tensor y = run_blocks(embed(tokens, cache.length, mode), mode, [&](Index layer, const Tensor& in) {
    return blocks_[static_cast<std::size_t>(layer)].attend_cached(in, cache, layer);
  });
  cache.length += count;
  const Tensor last = reshape(slice(y, 1, count - 1, count), {tokens.size(0), config_.n_embd});
  return linear(last, head_weight(), head_.bias);
}

std::unique_ptr<LanguageModel> make_language_model(const ModelConfig& config, Index vocab_size, DType dtype) {
  switch (config.family) {
    case Family::kGpt2:
      return std::make_unique<Gpt2>(config, vocab_size, dtype);
  }
  throw ConfigError("[model] model.family must name a known family");
}

}  // namespace minnow
