#pragma once
/// @file
/// Judges what `minnow doctor` found.

#include <string>
#include <vector>

#include "cli/machine_facts.hpp"
#include "minnow/base/error.hpp"

namespace minnow::cli {

/// Something that a person should know.
struct Finding {
  ExitCode code = ExitCode::kDone;  ///< kDone: advice, minnow works; else why it does not
  std::string text;                 ///< what is so
  std::string hint;                 ///< what to do

  [[nodiscard]] bool problem() const { return code != ExitCode::kDone; }
};

/// @return problems first.
std::vector<Finding> diagnose(const MachineFacts& facts);

/// @return the apt-get line that installs these.
std::string install_line(const std::vector<std::string>& packages);

}  // namespace minnow::cli
