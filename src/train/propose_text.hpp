#pragma once
/// @file
/// Writes a proposed configuration for people: what was chosen, and why.

#include <string>
#include <vector>

#include "minnow/config/config.hpp"

namespace minnow {

/// What the comments of a proposed configuration say.
struct ProposalWords {
  std::string name;
  std::string text;       ///< what the text is
  std::string tokenizer;  ///< why this one
  std::string documents;
  std::string validation;
  std::string model;
  std::string training;
  std::string loss;  ///< what to beat
};

/// @return the configuration with the settings that were chosen; all others have their defaults.
[[nodiscard]] std::string proposal_toml(const Config& config, const ProposalWords& words);

}  // namespace minnow
