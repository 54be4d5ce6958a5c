#pragma once
/// @file
/// Opens a run and a text for the verbs that look into the model.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "minnow/train/run.hpp"

namespace minnow::cli {

/// What such a verb is told.
struct LookedAtText {
  std::string run, text, checkpoint = "auto", weights = "auto", unknown = "error";
  std::int64_t threads = 0;
};

/// Declares RUN, `--text`, `--checkpoint`, `--weights`, `--unknown` and `--threads`.
void text_options(Options& options, LookedAtText& target);

/// A model and the tokens that it shall read.
struct LookedAt {
  LoadedRun run;
  std::vector<std::int32_t> ids;
  std::vector<std::string> labels;  ///< visible_token() of each
};

/// Opens the run, says what it warns of, and encodes the text as `sample` does its prompt.
/// @param who the verb, for errors
/// Throws: ConfigError without a text; DataError for unknown characters and for more tokens than the model reads at
/// once; what open_run() throws.
[[nodiscard]] LookedAt look_at(const LookedAtText& arguments, std::string_view who);

}  // namespace minnow::cli
