#include "minnow/models/decoder.hpp"

#include <fmt/format.h>

#include "minnow/autograd/backward.hpp"
#include "minnow/base/error.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/embedding.hpp"
#include "minnow/ops/frozen_weights.hpp"
#include "minnow/ops/linear.hpp"
#include "minnow/ops/loss.hpp"
#include "minnow/ops/shape.hpp"
#include "models/decoder_parts.hpp"

namespace minnow {
namespace {

void check_sizes(const ModelConfig& config, Index vocab_size) {
  if (vocab_size < 1 || config.n_layer < 1 || config.n_head < 1 || config.block_size < 1 ||
      config.n_embd % config.n_head != 0 || config.n_head % config.kv_heads() != 0) {
    throw ConfigError(fmt::format(
        "[model] sizes must be at least 1, n_embd a multiple of n_head and n_head one of n_kv_head; got vocabulary {}, "
        "n_layer {}, n_head {}, n_kv_head {}, n_embd {}, block_size {}",
        vocab_size, config.n_layer, config.n_head, config.n_kv_head, config.n_embd, config.block_size));
  }
  if (config.rotary_width() % 2 != 0 || config.rotary_width() > config.head_dim()) {
    throw ConfigError(
        fmt::format("[model] the channels that turn must be even in number and at most those of a head; got {} of {}",
                    config.rotary_width(), config.head_dim()));
  }
}

}  // namespace

Decoder::Decoder(const ModelConfig& config, Index vocab_size, DType dtype)
    : config_(config), vocab_size_(vocab_size), parameters_(dtype) {
  check_sizes(config, vocab_size);
  const DecoderNames& names = decoder_names(config.family);
  const Initializer plain = Initializer::normal(decoder_init_std(config));
  embedding_ = parameters_.add(std::string(names.embedding), {vocab_size, config.n_embd}, plain);
  if (config.position == PositionKind::kLearned)
    position_table_ = parameters_.add(std::string(names.positions), {config.block_size, config.n_embd}, plain);
  for (Index layer = 0; layer < config.n_layer; ++layer)
    blocks_.push_back(make_decoder_block(parameters_, config, layer));
  if (config.norm_position == NormPosition::kPre) {
    final_norm_ = nn::Norm::make(parameters_, std::string(names.final_norm), config.n_embd, norm_type(config.norm),
                                 config.bias, config.norm_eps);
  }
  if (!config.tie_head) head_.weight = parameters_.add("lm_head.weight", {vocab_size, config.n_embd}, plain);
  if (config.head_bias) head_.bias = parameters_.add("lm_head.bias", {vocab_size}, Initializer::zeros());
  // Tables now, not in the first step: the memory plan recorded there must fit the steps that follow.
  if (config.position == PositionKind::kSinusoidal) (void)positions(0, 1);
  (void)angles(0, 1);
}

Tensor Decoder::positions(Index first, Index length) {
  if (config_.position == PositionKind::kLearned) {
    if (first + length > config_.block_size) {
      throw ConfigError(
          fmt::format("[model] positions must lie below model.block_size = {}, the rows of the learned table; got "
                      "position {}. Hint: "
                      "train with a larger model.block_size, or with model.position = \"sinusoidal\", which goes on",
                      config_.block_size, first + length - 1));
    }
    return slice(position_table_, 0, first, first + length);
  }
  if (config_.position != PositionKind::kSinusoidal) return {};
  if (!sinusoids_.defined() || sinusoids_.size(0) < first + length) {
    sinusoids_ =
        nn::sinusoidal_table(0, std::max(config_.block_size, 2 * (first + length)), config_.n_embd, embedding_.dtype());
  }
  return slice(sinusoids_, 0, first, first + length);
}

Tensor Decoder::angles(Index first, Index length) {
  if (config_.rotary_width() == 0) return {};
  if (!angles_.defined() || angles_.size(0) < first + length) {
    angles_ = nn::rotary_table(0, std::max(config_.block_size, 2 * (first + length)), config_.rotary_width(),
                               config_.rope_theta, embedding_.dtype());
  }
  return slice(angles_, 0, first, first + length);
}

Tensor Decoder::positions_of(const Sequences& sequences) {
  const Tensor table = positions(0, sequences.longest);
  if (!table.defined()) return {};
  // The learned table itself, not its slice: its gradient is added without a buffer between.
  return embedding(position_table_.defined() ? position_table_ : table, sequences.places);
}

Tensor Decoder::angles_of(const Sequences& sequences) {
  const Tensor table = angles(0, sequences.longest);
  if (!table.defined()) return {};
  return reshape(embedding(table, sequences.places), {sequences.places.numel(), table.size(1)});
}

Tensor Decoder::embed(const Tensor& tokens, Index first_position, const ForwardMode& mode) {
  const Scope scope("embed");
  const Tensor places =
      mode.sequences.defined() ? positions_of(mode.sequences) : positions(first_position, tokens.size(1));
  Tensor x = embedding(embedding_, tokens);  // (B, T, C)
  if (places.defined()) x = add(x, places);
  return nn::dropout_at(x, config_.embedding_dropout(), 0, mode);
}

template <class Attend>
Tensor Decoder::run_blocks(Tensor x, const ForwardMode& mode, Attend&& attend) {
  const bool pre = config_.norm_position == NormPosition::kPre;
  Tensor y = pre ? blocks_.front().norm_1(x) : x;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Scope scope(fmt::format("h.{}", i));
    const DecoderBlock& block = blocks_[i];
    if (pre) {  // each residual addition is one pass with the norm behind it
      std::tie(x, y) = block.norm_2.add(x, attend(static_cast<Index>(i), y));
      const nn::Norm& next = i + 1 < blocks_.size() ? blocks_[i + 1].norm_1 : final_norm_;
      std::tie(x, y) = next.add(x, block.feed_forward(y, mode));
    } else {
      y = block.norm_1.add(y, attend(static_cast<Index>(i), y)).second;
      y = block.norm_2.add(y, block.feed_forward(y, mode)).second;
    }
  }
  return y;
}

Tensor Decoder::hidden(const Tensor& tokens, const ForwardMode& mode) {
  const Scope scope(decoder_names(config_.family).root);
  const Sequences& parts = mode.sequences;
  const Tensor rope = parts.defined() ? angles_of(parts) : angles(0, tokens.size(1));
  return run_blocks(embed(tokens, 0, mode), mode, [&](Index layer, const Tensor& y) {
    return blocks_[static_cast<std::size_t>(layer)].attend(y, rope, mode);
  });
}

Tensor Decoder::loss(const Tensor& tokens, const Tensor& targets, double divisor, const ForwardMode& mode) {
  const PrecisionScope precise(precision());
  const Tensor y = hidden(tokens, mode);
  const Scope scope("lm_head");
  return linear_cross_entropy(y, head_weight(), head_.bias, targets, {.divisor = divisor});
}

Tensor Decoder::token_losses(const Tensor& tokens, const Tensor& targets, const ForwardMode& mode) {
  const PrecisionScope precise(precision());
  const Tensor y = hidden(tokens, mode);
  const Scope scope("lm_head");
  return linear_cross_entropy(y, head_weight(), head_.bias, targets, {.reduction = Reduction::kNone});
}

Tensor Decoder::logits(const Tensor& tokens, const ForwardMode& mode) {
  const PrecisionScope precise(precision());
  const Tensor y = hidden(tokens, mode);
  const Scope scope("lm_head");
  return linear(y, head_weight(), head_.bias);
}

KeyValueCache Decoder::make_cache(Index batch, Index capacity) const {
  KeyValueCache cache;
  cache.capacity = capacity;
  const Shape shape{batch, config_.kv_heads(), capacity, config_.head_dim()};
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    cache.keys.push_back(Tensor::zeros(shape, embedding_.dtype()));
    cache.values.push_back(Tensor::zeros(shape, embedding_.dtype()));
  }
  return cache;
}

Tensor Decoder::decode(const Tensor& tokens, KeyValueCache& cache) {
  const PrecisionScope precise(precision());
  const FrozenWeights::Scope packed(frozen_weights());
  const Index count = tokens.size(1);
  if (cache.length + count > cache.capacity) {
    throw ShapeError(fmt::format("[model] the cache must have room for {} further positions; it holds {} of {}", count,
                                 cache.length, cache.capacity));
  }
  const ForwardMode mode;
  const Scope scope(decoder_names(config_.family).root);
  const Tensor rope = angles(cache.length, count);
  const Tensor y = run_blocks(embed(tokens, cache.length, mode), mode, [&](Index layer, const Tensor& in) {
    return blocks_[static_cast<std::size_t>(layer)].attend_cached(in, rope, cache, layer);
  });
  cache.length += count;
  const Tensor last = reshape(slice(y, 1, count - 1, count), {tokens.size(0), config_.n_embd});
  return linear(last, head_weight(), head_.bias);
}

std::string_view embedding_name(Family family) { return decoder_names(family).embedding; }
std::string_view positions_name(Family family) { return decoder_names(family).positions; }

std::unique_ptr<LanguageModel> make_language_model(const ModelConfig& config, Index vocab_size, DType dtype) {
  switch (config.family) {
    case Family::kGpt2:
    case Family::kLlama:
      return std::make_unique<Decoder>(config, vocab_size, dtype);
  }
  throw ConfigError("[model] model.family must name a known family");
}

}  // namespace minnow
