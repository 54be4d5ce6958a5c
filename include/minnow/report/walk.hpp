#pragma once
/// @file
/// Tells one forward pass of a model tensor by tensor, from ids to probabilities, and its gradients back: for people
/// who learn how a transformer computes.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "minnow/config/config.hpp"
#include "minnow/models/language_model.hpp"
#include "minnow/text/tokenizer.hpp"

namespace minnow {

/// A weight that a step uses.
struct WalkWeight {
  std::string symbol = {};   ///< as in the formula
  std::string name;          ///< in checkpoints
  std::string letters = {};  ///< "(F, C)"
  Tensor tensor;
  Tensor gradient = {};  ///< after training, of all its uses together
};

/// What the numbers of a step are, and so how they are shown.
enum class WalkKind {
  kIds,            ///< (B, T)
  kRows,           ///< a row of channels per token, in front of them perhaps batch and heads
  kMaps,           ///< (B, H, T, T)
  kProbabilities,  ///< (B, T, V)
  kScalar,
};

/// One tensor on the way.
struct WalkStep {
  WalkKind kind = WalkKind::kRows;
  std::string part = {};   ///< "embedding", "block 0, attention", "block 0, MLP", "head", "loss"
  std::string title = {};  ///< "queries"
  std::string symbol;      ///< "q"
  std::string letters;     ///< "(B, T, H D)"
  std::string formula = {};
  std::string why = {};   ///< a sentence for people who see it for the first time
  std::string back = {};  ///< how backward goes on from this tensor's gradient
  std::vector<WalkWeight> weights = {};
  Tensor tensor = {};
  /// The tensor on the tape whose gradient is this step's; undefined where the computation never forms one.
  Tensor watched = {};
  Tensor gradient = {};  ///< after training
};

/// A pass. Dropout is off, so that the numbers are those of evaluation.
struct Walk {
  std::string name;                                          ///< what the heading says: the run
  std::int64_t step = 0;                                     ///< of the checkpoint
  std::vector<std::string> labels;                           ///< of the tokens
  std::vector<std::pair<std::string, std::string>> letters;  ///< "T" and "4 tokens"
  std::vector<WalkStep> steps;
  std::vector<std::pair<std::string, double>> likely;  ///< most probable next tokens, the first one first
  bool trained = false;
  double loss = 0;           ///< mean over the tokens that have a next one, in nats
  double gradient_norm = 0;  ///< of all parameters together
  bool has_dropout = false;  ///< training would use some
};

/// Runs the model forward once, and back when `train` is set, and watches every operation. What is told is what ran;
/// an operation that this layer does not know is told by its own name and formula. Only the scores and weights inside
/// attention, which the real pass holds in tiles, are computed for the tale, from the same queries and keys.
/// The parameters' gradients are what the pass adds to them: none may be there before.
/// @param tokenizer null for models without one
/// Throws: DataError to train on fewer than two tokens; NumericError when the probabilities are not finite; what the
/// model throws for too many positions.
[[nodiscard]] Walk make_walk(LanguageModel& model, const ModelConfig& config, const Tokenizer* tokenizer,
                             std::span<const std::int32_t> ids, bool train);

/// @return the tale for a terminal of `width` columns, lines that end in line feeds. @param color ANSI colours
[[nodiscard]] std::string walk_text(const Walk& walk, int width, bool color);

/// @return a page that opens without a network: a step at a time in large type, by arrow keys, and all of them in
/// print or without scripts.
[[nodiscard]] std::string walk_html(const Walk& walk, std::string_view version);

}  // namespace minnow
