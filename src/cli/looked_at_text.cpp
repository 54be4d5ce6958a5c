#include "cli/looked_at_text.hpp"

#include <fmt/format.h>

#include "cli/prompt.hpp"
#include "cli/run_options.hpp"
#include "cli/terminal.hpp"
#include "cli/use_threads.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/report/attention_maps.hpp"

namespace minnow::cli {

void text_options(Options& options, LookedAtText& target) {
  options.argument("RUN", target.run, "Directory of a run, or a checkpoint in it");
  options.text("--text", target.text, "What the model reads");
  options.text("--checkpoint", target.checkpoint, "best, latest, a step, or auto (the default) = best, else latest");
  weights_option(options, target.weights);
  options.choice("--unknown", target.unknown, {"error", "replace"},
                 "What becomes of a character that the model does not know");
  threads_option(options, target.threads);
}

LookedAt look_at(const LookedAtText& arguments, std::string_view who) {
  if (arguments.text.empty()) {
    throw ConfigError(
        fmt::format("[{}] --text must have at least one character; got none. Hint: --text \"The cat sat\"", who));
  }
  const WhichCheckpoint which = WhichCheckpoint::parse(arguments.checkpoint);
  LookedAt looked;
  looked.run = open_run(arguments.run, which, parse_weights(arguments.weights));
  for (const std::string& warning : looked.run.warnings) print_warning(warning);
  use_threads(arguments.threads);
  const Tokenizer* const tokenizer = looked.run.tokenizer.get();
  const auto unknown = arguments.unknown == "replace" ? UnknownCharacter::kReplace : UnknownCharacter::kError;
  looked.ids = prompt_tokens(looked.run, arguments.text, unknown);
  const Index block = looked.run.model->block_size();
  const auto count = static_cast<Index>(looked.ids.size());
  if (count > block && !looked.run.model->positions_go_on()) {
    throw DataError(
        fmt::format("[{}] the text must have at most {} tokens, what the model reads at once "
                    "(model.block_size); got {}. Hint: a shorter text",
                    who, grouped(block), grouped(count)));
  }
  for (const std::int32_t id : looked.ids) looked.labels.push_back(visible_token(tokenizer, id));
  return looked;
}

}  // namespace minnow::cli
