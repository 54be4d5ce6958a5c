#pragma once
/// @file
/// Holds every setting of a run as typed values: one struct per table of the TOML file, with the defaults.
///
/// The member names are the key names: `config.train.max_steps` is `max_steps` in table `[train]`. Range, unit,
/// one-line doc and effect on a resume of each key stand in one table (keys.hpp), which also checks what is read; code
/// that builds a Config by hand calls validate() (load.hpp).

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace minnow {

/// What the model learns to do.
enum class Task { kLm };

enum class Family { kGpt2, kLlama };
/// The last three are gated: activation(gate x) * (up x).
enum class Activation { kGeluErf, kGeluTanh, kRelu, kSilu, kSwiglu, kGeglu, kReglu };
enum class PositionKind { kLearned, kSinusoidal, kRotary, kNone };
enum class RopeStyle { kHalf, kInterleaved };
enum class NormLayer { kLayer, kRms };
enum class NormPosition { kPre, kPost };
enum class InitKind { kGpt2, kScaled };

/// Table [model]. C = n_embd, H = n_head, Hkv = kv_heads(), L = n_layer, T = block_size, F = hidden_width(), V =
/// vocabulary. The defaults are those of GPT-2; a family other than it changes some when it is read from a file, as
/// of() does.
struct ModelConfig {
  Family family = Family::kGpt2;
  int64_t n_layer = 4;
  int64_t n_head = 4;
  int64_t n_embd = 128;
  int64_t block_size = 64;
  int64_t n_inner = 0;     ///< width of the hidden layer of the MLP; 0 = 4 n_embd, gated: 8/3 of it in steps of 8
  int64_t vocab_size = 0;  ///< rows of the embedding; 0 = what the tokenizer or the token file has
  double dropout = 0.0;
  std::optional<double> attn_dropout;   ///< on the attention weights; not given = dropout
  std::optional<double> resid_dropout;  ///< on what the two sublayers add to the stream; not given = dropout
  std::optional<double> embd_dropout;   ///< on the sum of embedding and position; not given = dropout
  Activation activation = Activation::kGeluErf;
  PositionKind position = PositionKind::kLearned;
  NormPosition norm_position = NormPosition::kPre;
  double norm_eps = 1e-5;
  bool bias = true;        ///< in every linear layer and norm, the head excepted
  bool head_bias = false;  ///< in the output layer
  bool tie_head = true;    ///< the output layer shares the embedding's matrix
  InitKind init = InitKind::kGpt2;
  double init_std = 0.0;  ///< 0 = what the named init says
  NormLayer norm = NormLayer::kLayer;
  int64_t n_kv_head = 0;  ///< heads of keys and values, shared by groups of queries; 0 = n_head
  double rope_theta = 10000.0;
  int64_t rotary_dim = 0;  ///< channels of a head that turn; 0 = all
  RopeStyle rope_style = RopeStyle::kHalf;
  int64_t sliding_window = 0;                    ///< keys that a query sees, its own position last; 0 = all before it
  std::optional<bool> attn_bias = std::nullopt;  ///< in the linear layers of attention; not given = bias
  std::optional<bool> mlp_bias = std::nullopt;   ///< in the linear layers of the MLP; not given = bias

  /// @return the settings of a family: of llama RMSNorm, rotary positions, SwiGLU and no biases.
  [[nodiscard]] static ModelConfig of(Family family) {
    ModelConfig config;
    config.family = family;
    if (family == Family::kLlama) {
      config.norm = NormLayer::kRms;
      config.position = PositionKind::kRotary;
      config.activation = Activation::kSwiglu;
      config.bias = false;
    }
    return config;
  }

  /// @return whether the MLP multiplies an activated gate with a second product.
  [[nodiscard]] bool gated() const {
    return activation == Activation::kSwiglu || activation == Activation::kGeglu || activation == Activation::kReglu;
  }
  /// @return F, the width of the hidden layer of the MLP.
  [[nodiscard]] int64_t hidden_width() const {
    constexpr int64_t kStep = 8;
    if (n_inner > 0) return n_inner;
    return gated() ? (8 * n_embd + 3 * kStep - 1) / (3 * kStep) * kStep : 4 * n_embd;
  }
  /// @return Hkv, heads of keys and values.
  [[nodiscard]] int64_t kv_heads() const { return n_kv_head > 0 ? n_kv_head : n_head; }
  /// @return D, width of a head.
  [[nodiscard]] int64_t head_dim() const { return n_embd / n_head; }
  /// @return channels of a head that turn with the position; 0 without rotary positions.
  [[nodiscard]] int64_t rotary_width() const {
    if (position != PositionKind::kRotary) return 0;
    return rotary_dim > 0 ? rotary_dim : head_dim();
  }
  /// @return whether the linear layers of attention have biases.
  [[nodiscard]] bool attention_has_bias() const { return attn_bias.value_or(bias); }
  /// @return whether the linear layers of the MLP have biases.
  [[nodiscard]] bool mlp_has_bias() const { return mlp_bias.value_or(bias); }
  /// @return dropout probability of the attention weights.
  [[nodiscard]] double attention_dropout() const { return attn_dropout.value_or(dropout); }
  /// @return dropout probability of what attention and MLP add to the residual stream.
  [[nodiscard]] double residual_dropout() const { return resid_dropout.value_or(dropout); }
  /// @return dropout probability of the sum of embedding and position.
  [[nodiscard]] double embedding_dropout() const { return embd_dropout.value_or(dropout); }

  bool operator==(const ModelConfig&) const = default;
};

enum class DataFormat { kAuto, kText, kNanogpt, kLlmc };
enum class SplitKind { kFraction, kEveryNth, kFile };
enum class DocumentKind { kStream, kLines, kFiles };
enum class PackingKind { kPad, kPack };
enum class OrderKind { kEpoch, kRandom };

/// Table [data]: what is read, how it is split in training and validation, and in which order it comes.
struct DataConfig {
  std::string path;  ///< file, folder, or "builtin" or "builtin:dialogues" for a built-in corpus; must be given
  DataFormat format = DataFormat::kAuto;
  std::string text_field = "text";  ///< the member of a .jsonl line that holds the text
  std::string val_path;             ///< the validation data when split = "file"
  SplitKind split = SplitKind::kFraction;
  double val_fraction = 0.1;  ///< split = "fraction": this part, taken from the end, is the validation split
  int64_t val_every = 10;     ///< split = "every_nth": documents with index % val_every == val_offset are validation
  int64_t val_offset = 0;
  DocumentKind documents = DocumentKind::kStream;
  PackingKind packing = PackingKind::kPad;  ///< documents that are shorter than a window: padded, or several in one
  bool mask_documents = false;              ///< attention stays inside a document, and positions count from its begin
  int64_t document_token = -1;              ///< id of the token that begins a document; -1 = the tokenizer's boundary
  OrderKind order = OrderKind::kEpoch;

  bool operator==(const DataConfig&) const = default;
};

/// kNone: the data are token files, there is no text to encode.
enum class TokenizerKind { kChar, kByte, kBpe, kWord, kWordPiece, kSentencePiece, kNone };
/// How a byte-pair encoding cuts a text into the pieces within which it merges; kAuto: as the file of the tokenizer
/// says, GPT-2's way when it is learned.
enum class PieceKind { kAuto, kGpt2, kCl100k, kLlama3, kQwen2, kNone };
/// What becomes of a character that the vocabulary does not have.
enum class UnknownPolicy { kError, kReplace };

/// Table [tokenizer].
struct TokenizerConfig {
  TokenizerKind type = TokenizerKind::kChar;
  UnknownPolicy unknown = UnknownPolicy::kError;
  std::string path{};  ///< files of the tokenizer; empty: learned from the training text
  PieceKind pattern = PieceKind::kAuto;
  int64_t vocab_size = 4096;  ///< what is learned: tokens at most
  int64_t min_frequency = 2;  ///< what is learned: rarer pairs do not merge, rarer words are no tokens

  /// @return whether the tokenizer can come from files.
  [[nodiscard]] bool has_files() const {
    return type == TokenizerKind::kBpe || type == TokenizerKind::kWord || type == TokenizerKind::kWordPiece ||
           type == TokenizerKind::kSentencePiece;
  }
  /// @return whether the tokenizer is learned from how often words and pairs stand in the training text.
  [[nodiscard]] bool learns_counts() const {
    return has_files() && type != TokenizerKind::kSentencePiece && path.empty();
  }

  bool operator==(const TokenizerConfig&) const = default;
};

/// Table [train].
struct TrainConfig {
  int64_t max_steps = 1000;
  int64_t batch_size = 16;         ///< sequences per optimizer step: the global batch
  int64_t accumulation_steps = 1;  ///< micro-batches that the batch is cut into
  int64_t leaf_sequences = 0;      ///< sequences whose gradients are summed together first; 0 = a whole micro-batch
  int64_t seed = 1;
  double max_minutes = 0.0;      ///< wall-clock limit in minutes; 0 = none
  int64_t early_stop_evals = 0;  ///< stop after so many evaluations without a new best; 0 = never
  int64_t max_bad_steps = 10;    ///< steps in a row with a loss or gradient that is not finite, after which it ends

  /// @return sequences that go through the model at once.
  [[nodiscard]] int64_t micro_batch() const { return batch_size / accumulation_steps; }
  /// @return sequences in one leaf of the gradient sum.
  [[nodiscard]] int64_t leaf() const { return leaf_sequences > 0 ? leaf_sequences : micro_batch(); }

  bool operator==(const TrainConfig&) const = default;
};

enum class OptimizerKind { kAdamw, kAdam, kSgd, kAdagrad, kRmsprop, kAdafactor, kLion, kMuon };
enum class MuonAdjust { kMatchRms, kOriginal };

/// Table [optimizer]. The defaults are those of AdamW; another optimizer changes some when it is read from a file, as
/// of() does.
struct OptimizerConfig {
  OptimizerKind name = OptimizerKind::kAdamw;
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.99;
  double eps = 1e-8;
  double weight_decay = 0.1;
  double grad_clip = 1.0;  ///< largest global gradient norm; 0 = off
  double momentum = 0.0;
  double dampening = 0.0;
  bool nesterov = false;
  bool amsgrad = false;
  double alpha = 0.99;  ///< decay of RMSprop's means
  bool centered = false;
  double lr_decay = 0.0;             ///< of Adagrad, beside the schedule
  double initial_accumulator = 0.0;  ///< of Adagrad
  double beta2_decay = 0.8;          ///< of Adafactor: 1 - beta2 of step t is t^-beta2_decay
  double eps1 = 0x1p-23;             ///< of Adafactor: least squared gradient
  double eps2 = 1e-3;                ///< of Adafactor: least root mean square of a parameter
  double update_clip = 1.0;          ///< of Adafactor: largest root mean square of an update
  std::optional<double> muon_learning_rate =
      std::nullopt;  ///< of the matrices inside the blocks; not given = learning_rate
  MuonAdjust muon_adjust = MuonAdjust::kMatchRms;
  int64_t muon_iterations = 5;  ///< Newton-Schulz steps
  double ema_decay = 0.0;       ///< of the average of the weights; 0 = none is kept

  /// @return the settings of an optimizer. Those whose decay goes through the gradient (L2) have none; Muon has
  /// momentum 0.95 in Nesterov's form.
  [[nodiscard]] static OptimizerConfig of(OptimizerKind name) {
    OptimizerConfig config;
    config.name = name;
    if (config.couples_decay()) config.weight_decay = 0;
    if (name == OptimizerKind::kAdagrad) config.eps = 1e-10;
    if (name == OptimizerKind::kMuon) config.momentum = 0.95, config.nesterov = true;
    return config;
  }
  /// @return whether weight decay is added to the gradient (L2) instead of shrinking the weights directly.
  [[nodiscard]] bool couples_decay() const {
    return name == OptimizerKind::kAdam || name == OptimizerKind::kSgd || name == OptimizerKind::kAdagrad ||
           name == OptimizerKind::kRmsprop;
  }
  /// @return largest learning rate of the matrices that Muon moves.
  [[nodiscard]] double muon_rate() const { return muon_learning_rate.value_or(learning_rate); }

  bool operator==(const OptimizerConfig&) const = default;
};

enum class ScheduleKind { kConstant, kLinear, kCosine, kInverseSqrt, kWsd };
enum class WsdShape { kLinear, kSqrt };

/// Table [schedule].
struct ScheduleConfig {
  ScheduleKind name = ScheduleKind::kCosine;
  int64_t warmup_steps = 0;
  int64_t decay_steps = 0;  ///< step at which min_lr is reached, 0 = max_steps; wsd: length of the decay, 0 = a tenth
  double min_lr = 0.0;
  WsdShape wsd_shape = WsdShape::kLinear;

  /// @return decay_steps with its 0 replaced by what it stands for: max_steps, for wsd a tenth of it. A decay of wsd is
  /// cut to what the warm-up leaves (at least 1).
  [[nodiscard]] int64_t resolved_decay_steps(int64_t max_steps) const {
    if (name != ScheduleKind::kWsd) return decay_steps > 0 ? decay_steps : max_steps;
    return std::max<int64_t>(1, std::min(decay_steps > 0 ? decay_steps : max_steps / 10, max_steps - warmup_steps));
  }

  bool operator==(const ScheduleConfig&) const = default;
};

/// Table [eval].
struct EvalConfig {
  int64_t every_steps = 250;  ///< 0 = only after the last step
  int64_t max_windows = 0;    ///< windows of an evaluation during training; 0 = all; the last one has all
  int64_t batch_size = 0;     ///< sequences at once, changes no result; 0 = a micro-batch
  bool use_ema = false;       ///< evaluate and sample with the averaged weights

  bool operator==(const EvalConfig&) const = default;
};

/// Table [checkpoint].
struct CheckpointConfig {
  int64_t every_steps = 250;  ///< 0 = only after the last step
  int64_t keep = 3;           ///< newest checkpoints that stay
  bool keep_best = true;      ///< keep the one with the lowest validation loss as well

  bool operator==(const CheckpointConfig&) const = default;
};

/// Table [sample]: text written during training.
struct SampleConfig {
  int64_t every_steps = 0;  ///< 0 = never
  std::string prompt = "\n";
  int64_t max_tokens = 200;
  double temperature = 0.8;  ///< 0 = always the likeliest token
  int64_t top_k = 0;         ///< 0 = off
  int64_t count = 1;

  bool operator==(const SampleConfig&) const = default;
};

/// Table [chat]: how the dialogues of the training text are written. A turn reads: user, what is said, assistant, the
/// answer, stop.
struct ChatConfig {
  std::string user;       ///< in front of what a person says
  std::string assistant;  ///< between that and the answer; empty = the text has no dialogues
  std::string stop;       ///< ends the answer; empty = the next turn's `user` does

  bool operator==(const ChatConfig&) const = default;
};

/// Table [log].
struct LogConfig {
  int64_t every_steps = 10;

  bool operator==(const LogConfig&) const = default;
};

/// Who multiplies matrices: kAuto is minnow's own code where the processor has AVX-512, else OpenBLAS; kOnednn runs
/// where it was built in and is installed.
enum class GemmKind { kAuto, kOpenblas, kMinnow, kOnednn };
/// In what matrix products take their operands; sums and everything else are in f32.
enum class PrecisionKind { kF32, kBf16 };

/// Table [compute].
struct ComputeConfig {
  int64_t threads = 0;  ///< at most; 0 = all processors that this process may use; changes no result
  GemmKind gemm = GemmKind::kAuto;
  PrecisionKind precision = PrecisionKind::kF32;

  bool operator==(const ComputeConfig&) const = default;
};

/// Table [run].
struct RunConfig {
  std::string dir;  ///< empty = runs/<name of the configuration file>

  bool operator==(const RunConfig&) const = default;
};

/// Everything that determines a run.
struct Config {
  Task task = Task::kLm;
  ModelConfig model;
  DataConfig data;
  TokenizerConfig tokenizer;
  TrainConfig train;
  OptimizerConfig optimizer;
  ScheduleConfig schedule;
  EvalConfig eval;
  CheckpointConfig checkpoint;
  SampleConfig sample;
  ChatConfig chat;
  LogConfig log;
  ComputeConfig compute;
  RunConfig run;

  bool operator==(const Config&) const = default;
};

/// @return the defaults under what `chosen` says of model.family and optimizer.name: a configuration that has nothing
/// else.
[[nodiscard]] inline Config defaults_for(const Config& chosen) {
  Config config;
  config.model = ModelConfig::of(chosen.model.family);
  config.optimizer = OptimizerConfig::of(chosen.optimizer.name);
  return config;
}

}  // namespace minnow
