#pragma once
/// @file
/// The configuration of a training that begins at the weights of another model.

#include <string>
#include <vector>

#include "cli/run_request.hpp"

namespace minnow::cli {

/// Takes every key of [model] that the file and --set leave at its default from the model whose weights are taken, and
/// the kind of tokenizer with it; dropout and first weights, which belong to the training, stay as they are. A note
/// says what was taken.
/// @param given by `words`; @param origin a run or a model folder; what is neither is left to whoever opens it
void take_model_of(const std::string& origin, const RunWords& words, RunRequest& given);

}  // namespace minnow::cli
