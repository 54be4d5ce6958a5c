/// @file
/// What a training run holds at its peak, counted in numbers of four bytes.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "minnow/base/error.hpp"
#include "minnow/base/parallel.hpp"
#include "minnow/kernels/gemm.hpp"
#include "minnow/optim/muon.hpp"
#include "minnow/train/compute.hpp"
#include "minnow/train/memory.hpp"

namespace minnow {
namespace {

constexpr double kBytes = 4;              // f32 and i32
constexpr double kHeapGaps = 0.05;        // of what lies in glibc's heap when a step runs on it; measured 0 to 0.05
constexpr double kEvaluationGaps = 0.45;  // the same of an evaluation, whose few buffers are large; measured 0 to 0.7
constexpr double kLogitsPerChunk = 1 << 24;
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

/// Numbers of each token that the first backward steps add to what the blocks keep, the logits left out: the last sum,
/// its norm and the gradient of that; then four gradients around the norm, or those of the stream, its branch and the
/// MLP's hidden width (with a gate: of both factors and the product), when the last norm's are gone.
struct BackwardPeak {
  double head, block;
};
BackwardPeak passing_backward(const ModelConfig& m) {
  const double width = as_double(m.n_embd);
  const double hidden = as_double(m.hidden_width()) * (m.gated() ? 3 : 1);
  return {3 * width, std::max(5 * width, 2 * width + std::max(hidden, qkv_width(m)))};
}

/// The same of a pass without gradients: the stream, its norm, and what the widest layer reads and writes.
double passing_forward(const ModelConfig& m) {
  const double width = as_double(m.n_embd);
  const double hidden = as_double(m.hidden_width()) * (m.gated() ? 3 : 1);
  return 2 * width + std::max(hidden, qkv_width(m) + width);
}

/// Resident bytes of the program before it trains (measured), and what each thread packs of the two factors of a
/// product along a piece of the sum: blocks of A, and blocks of B (our own product) or the whole of it (OpenBLAS).
/// Where bf16 factors are rounded before they are multiplied, the rounded ones too.
/// Source: src/kernels/avx512_gemm.cpp; OpenBLAS 0.3.21, param.h, SGEMM_DEFAULT_P and _Q of SKYLAKEX.
double process_bytes(const Config& c, std::int64_t vocab_size) {
  constexpr double kProgram = 17.5 * (1 << 20);
  constexpr double kOnednn = 7.0 * (1 << 20);  // the library and the code that it writes (measured: 2 to 11)
  constexpr double kPiece = 384;
  const ModelConfig& m = c.model;
  const kernels::GemmBackend backend = backend_of(c.compute.gemm);
  const bool own = backend == kernels::GemmBackend::kMinnow;
  const double block_rows = own ? 168 : 448;
  const double block_cols = own ? 512 : std::numeric_limits<double>::infinity();
  const double width = as_double(m.n_embd);
  const double widest = std::max(as_double(m.hidden_width()), qkv_width(m));
  const double packed = kBytes * std::min(width, kPiece) * (block_rows + std::min(widest, block_cols));
  const auto largest = static_cast<Index>(
      std::max({widest, as_double(vocab_size), as_double(c.train.leaf()) * as_double(m.block_size)}));
  const auto rounded =
      static_cast<double>(kernels::rounding_bytes(backend, precision_of(c.compute.precision), largest));
  const double library = backend == kernels::GemmBackend::kOnednn ? kOnednn : 0;
  return kProgram + library + (packed + rounded) * threads();
}

/// Buffers of the optimizer for each parameter, the average of the weights included. Adafactor's rows and columns
/// are small against them.
double buffers_per_value(const OptimizerConfig& o) {
  const double average = o.ema_decay > 0 ? 1 : 0;
  const double velocity = o.momentum > 0 ? 1 : 0;
  switch (o.name) {
    case OptimizerKind::kAdamw:
    case OptimizerKind::kAdam:
      return average + (o.amsgrad ? 3 : 2);
    case OptimizerKind::kSgd:
      return average + velocity;
    case OptimizerKind::kAdagrad:
    case OptimizerKind::kLion:
      return average + 1;
    case OptimizerKind::kRmsprop:
      return average + 1 + velocity + (o.centered ? 1 : 0);
    case OptimizerKind::kAdafactor:
      return average;
    case OptimizerKind::kMuon:
      break;
  }
  return average;
}

/// Muon keeps one number for each of the matrices inside the blocks and two for all others, and has work space for as
/// many matrices as it moves at once.
double muon_numbers(const Config& c, double values) {
  if (c.optimizer.name != OptimizerKind::kMuon) return 0;
  const ModelConfig& m = c.model;
  const double width = as_double(m.n_embd);
  const double narrow = as_double(m.kv_heads() * m.head_dim());
  const double hidden_layers = m.gated() ? 3 : 2;
  const double layer = 2 * width * (width + narrow) + hidden_layers * width * as_double(m.hidden_width());
  const auto work = [&](std::int64_t rows) { return as_double(Muon::work_size(rows, m.n_embd)); };
  const double of_hidden = work(m.hidden_width());
  const double of_layer = 2 * work(m.n_embd) + 2 * work(m.kv_heads() * m.head_dim()) + hidden_layers * of_hidden;
  const double at_once = std::max(as_double(Muon::kWorkLimit), std::max(of_hidden, work(m.n_embd)));
  return 2 * values - as_double(m.n_layer) * layer + std::min(as_double(m.n_layer) * of_layer, at_once);
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

MemoryEstimate estimate_memory(const Config& c, std::int64_t vocab_size, std::int64_t val_windows, double data_bytes) {
  const ModelConfig& m = c.model;
  const double vocab = as_double(vocab_size);
  const double flat = kBytes * count_parameters(m, vocab_size);
  const double leaves = as_double(c.train.batch_size) / as_double(c.train.leaf());
  const double leaf_tokens = as_double(c.train.leaf()) * as_double(m.block_size);
  const double batch_tokens = as_double(c.train.batch_size) * as_double(m.block_size);
  const std::int64_t eval_rows = c.eval.batch_size > 0 ? c.eval.batch_size : c.train.micro_batch();
  const double eval_tokens = as_double(std::min(eval_rows, val_windows)) * as_double(m.block_size);
  // Tokens and targets; where sequences follow each other without padding also places, and borders of 8 bytes.
  const bool sequences = c.data.documents != DocumentKind::kStream || c.data.mask_documents;
  const double kIds = sequences ? 5 : 2;
  MemoryEstimate e;
  e.parameters = flat;
  e.gradients = flat * (std::floor(std::log2(leaves)) + 1);
  e.optimizer = flat * buffers_per_value(c.optimizer) + kBytes * muon_numbers(c, flat / kBytes);
  const double kept = as_double(m.n_layer) * kept_by_block(m);
  const BackwardPeak peak = passing_backward(m);
  const double chunk = logits_of(leaf_tokens, vocab);
  e.activations = kBytes * leaf_tokens * (kept + std::max(peak.head, peak.block));
  e.logits = kBytes * std::max(0.0, chunk - leaf_tokens * std::max(0.0, peak.block - peak.head));
  e.data = data_bytes + kBytes * kIds * (leaf_tokens + batch_tokens);
  const double evaluation = eval_tokens * (passing_forward(m) + kIds) + logits_of(eval_tokens, vocab);
  e.evaluation = kBytes * std::max(evaluation, sample_numbers(c, vocab));
  // The step that records the plan and the first evaluation run on the heap; the others find the arena's block there.
  const double step = kHeapGaps * (e.activations + e.logits);
  e.fragments = std::max(step - e.evaluation, kEvaluationGaps * e.evaluation);
  e.process = process_bytes(c, vocab_size);
  return e;
}

std::array<MemoryPart, 9> MemoryEstimate::parts() const {
  return {{{"parameters", parameters},
           {"gradients", gradients},
           {"optimizer", optimizer},
           {"activations", activations},
           {"logits", logits},
           {"data", data},
           {"evaluation", evaluation},
           {"fragments", fragments},
           {"process", process}}};
}

double MemoryEstimate::total() const {
  double sum = 0;
  for (const MemoryPart& part : parts()) sum += part.bytes;
  return sum;
}

std::string MemoryEstimate::text() const {
  std::string list;
  for (const MemoryPart& part : parts()) {
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", part.name, size_text(part.bytes));
  }
  return fmt::format("{} ({})", size_text(total()), list);
}

void require_memory(const MemoryEstimate& estimate, const AvailableMemory& available) {
  const auto limit = static_cast<double>(available.bytes);
  if (estimate.total() - estimate.process <= limit) return;
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
