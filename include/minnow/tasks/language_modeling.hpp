#pragma once
/// @file
/// The task of predicting the next token: what data it reads and how it is scored.

#include <functional>
#include <optional>

#include "minnow/config/config.hpp"
#include "minnow/data/dataset.hpp"
#include "minnow/models/language_model.hpp"

namespace minnow {

/// @return how the data layer shall open what the configuration names.
/// @param stored the tokenizer of a run that goes on, or null to build one
[[nodiscard]] DatasetOptions dataset_options(const Config& config, std::shared_ptr<const Tokenizer> stored = nullptr);

/// Score over a split, or over windows that are spread evenly over it.
struct LmScore {
  double loss = 0;           ///< nats per target, token-weighted mean in f64
  std::int64_t targets = 0;  ///< tokens predicted
  double perplexity = 0;     ///< e^loss
  double bits_per_byte = 0;  ///< 0 where the bytes of the text are unknown; of a part: a target spells as many bytes
                             ///< as in the whole split on average
  std::int64_t windows = 0;  ///< that were scored
  bool whole = true;         ///< these are all there are
};

/// Predicts every target of the validation windows once. The value does not depend on the batch size.
/// @param stop asked between batches; true abandons the evaluation
/// @param progress told before each batch and at the end how many windows are done, and of how many
/// @param most_windows  0: all; else as many, evenly spread, the same ones each time
/// @return nothing when it was abandoned. Throws: DataError when there is no validation split.
[[nodiscard]] std::optional<LmScore> evaluate(LanguageModel& model, const Dataset& data, Index batch_size,
                                              const std::function<bool()>& stop = {},
                                              const std::function<void(Index, Index)>& progress = {},
                                              Index most_windows = 0);

/// @return how many windows evaluate() scores of so many.
[[nodiscard]] Index scored_windows(Index windows, Index most_windows);

}  // namespace minnow
