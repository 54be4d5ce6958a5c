#pragma once
/// @file
/// Begins a training at the weights of another model (--init-from).

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/config/config.hpp"
#include "minnow/models/language_model.hpp"

namespace minnow {

/// Throws: CheckpointError that names `who` and the first parameter of the model that holds NaN or infinity.
/// @param where  the model came from
void require_finite(LanguageModel& model, const std::filesystem::path& where, std::string_view who);

/// Copies every parameter by name. A learned table of positions may be longer there: its first rows are taken.
/// @param model of `into`; @param where `from` came from, for messages
/// @return what a person should know. Throws: CheckpointError when a parameter is missing, too many or of another
/// shape.
std::vector<std::string> copy_weights(LanguageModel& from, LanguageModel& into, const ModelConfig& model,
                                      const std::filesystem::path& where);

}  // namespace minnow
