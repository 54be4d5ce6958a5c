/// @file
/// What a training run holds at its peak, counted in numbers of four bytes.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "minnow/base/error.hpp"
#include "minnow/train/memory.hpp"

namespace minnow {
namespace {

constexpr double kBytes = 4;            // f32 and i32
constexpr double kMomentsPerValue = 2;  // AdamW
constexpr double kLogitsPerChunk = 1 << 21;
constexpr double kLeastLogitRows = 64;  // as in linear_cross_entropy

double as_double(std::int64_t value) { return static_cast<double>(value); }

/// The head's scores exist for one chunk of rows at a time.
double logits_of(double tokens, double vocab) {
  return std::min(tokens, std::max(kLeastLogitRows, kLogitsPerChunk / vocab)) * vocab;
}

/// Width of queries, keys and values together.
double qkv_width(const ModelConfig& m) { return as_double(m.n_embd) + 2 * as_double(m.kv_heads() * m.head_dim()); }

/// Numbers that a block keeps of each token for its backward pass: two sums and their norms 4C, queries, keys and
/// values, heads C, and the MLP before and behind its activation 2F, with a gate 3F (4F where its activation is a step
/// of its own); statistics of norms and attention. Keys and queries that turn exist once more, but only for a moment.
double kept_by_block(const ModelConfig& m) {
  const double width = as_double(m.n_embd);
  const double hidden = as_double(m.hidden_width());
  const double hidden_copies = m.gated() ? (m.activation == Activation::kSwiglu ? 3 : 4) : 2;
  const double norm_statistics = m.norm == NormLayer::kRms ? 2 : 4;
  return 5 * width + qkv_width(m) + hidden_copies * hidden + as_double(m.n_head) + norm_statistics;
}

/// Numbers of each token that live only while one block works: gradients of both sides of its widest layer.
double passing(const ModelConfig& m) {
  const double hidden = as_double(m.hidden_width()) * (m.gated() ? 3 : 1);
  return 3 * as_double(m.n_embd) + std::max(qkv_width(m), hidden);
}

double sample_numbers(const Config& c, double vocab) {
  if (c.sample.every_steps == 0) return 0;
  const ModelConfig& m = c.model;
  const double cached = 2 * as_double(m.n_layer) * as_double(m.block_size) * as_double(m.kv_heads() * m.head_dim());
  return as_double(c.sample.count) * (cached + vocab);
}

std::string size_text(double bytes) {
  constexpr double kStep = 1024;
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = bytes / kStep;
  std::size_t unit = 0;
  while (value >= kStep && unit + 1 < std::size(kUnits)) value /= kStep, ++unit;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

}  // namespace

double count_parameters(const ModelConfig& m, std::int64_t vocab_size) {
  const double width = as_double(m.n_embd);
  const double hidden = as_double(m.hidden_width());
  const double vocab = as_double(vocab_size);
  const double narrow = as_double(m.kv_heads() * m.head_dim());
  const double norm = width * (m.bias && m.norm == NormLayer::kLayer ? 2 : 1);
  const double attention = 2 * width * (width + narrow) + (m.attention_has_bias() ? 2 * (width + narrow) : 0);
  const double inner = m.gated() ? 2 : 1;  // layers that lead to the hidden width
  const double mlp = (inner + 1) * width * hidden + (m.mlp_has_bias() ? inner * hidden + width : 0);
  double count = vocab * width + as_double(m.n_layer) * (2 * norm + attention + mlp);
  if (m.position == PositionKind::kLearned) count += as_double(m.block_size) * width;
  if (m.norm_position == NormPosition::kPre) count += norm;
  if (!m.tie_head) count += vocab * width;
  if (m.head_bias) count += vocab;
  return count;
}

MemoryEstimate estimate_memory(const Config& c, std::int64_t vocab_size, std::int64_t val_windows) {
  const ModelConfig& m = c.model;
  const double vocab = as_double(vocab_size);
  const double values = count_parameters(m, vocab_size);
  const double leaves = as_double(c.train.batch_size) / as_double(c.train.leaf());
  const double leaf_tokens = as_double(c.train.leaf()) * as_double(m.block_size);
  const double batch_tokens = as_double(c.train.batch_size) * as_double(m.block_size);
  const std::int64_t eval_rows = c.eval.batch_size > 0 ? c.eval.batch_size : c.train.micro_batch();
  const double eval_tokens = as_double(std::min(eval_rows, val_windows)) * as_double(m.block_size);
  const double ids = 2;  // tokens and targets
  MemoryEstimate e;
  e.parameters = kBytes * values;
  e.gradients = kBytes * values * (std::floor(std::log2(leaves)) + 1);
  e.optimizer = kBytes * values * kMomentsPerValue;
  e.activations = kBytes * (leaf_tokens * (as_double(m.n_layer) * kept_by_block(m) + passing(m) + ids) +
                            batch_tokens * ids + logits_of(leaf_tokens, vocab));
  const double evaluation = eval_tokens * (passing(m) + ids) + logits_of(eval_tokens, vocab);
  e.evaluation = kBytes * std::max(evaluation, sample_numbers(c, vocab));
  return e;
}

std::string MemoryEstimate::text() const {
  return fmt::format("{} (parameters {}, gradients {}, optimizer {}, activations {}, evaluation {})",
                     size_text(total()), size_text(parameters), size_text(gradients), size_text(optimizer),
                     size_text(activations), size_text(evaluation));
}

void require_memory(const MemoryEstimate& estimate, const AvailableMemory& available) {
  const auto limit = static_cast<double>(available.bytes);
  if (estimate.total() <= limit) return;
  const double state = estimate.parameters + estimate.gradients + estimate.optimizer;
  const char* hint = "a smaller model.n_embd, model.n_layer or vocabulary";
  if (estimate.activations > state) {
    hint = "a smaller train.batch_size or model.block_size, or more train.accumulation_steps";
  }
  if (estimate.evaluation > std::max(state, estimate.activations)) {
    hint = "a smaller eval.batch_size or sample.count";
  }
  throw MemoryError(
      fmt::format("[memory] the run must fit into the memory that is available; it needs about {}, and got {} ({} "
                  "bytes: {}). Hint: {}",
                  estimate.text(), size_text(limit), available.bytes, available.source, hint));
}

}  // namespace minnow
