#include "cli/chat_session.hpp"

#include <fmt/format.h>

#include <utility>

#include "minnow/base/error.hpp"

namespace minnow::cli {

bool has_line_feed(const Tokenizer& tokenizer) {
  try {
    return !tokenizer.encode("\n", UnknownCharacter::kError).empty();
  } catch (const DataError&) {
    return false;
  }
}

ChatSession::ChatSession(const LoadedRun& run, Conversation conversation, const ChatSettings& settings,
                         UnknownCharacter unknown)
    : run_(run),
      conversation_(std::move(conversation)),
      before_(conversation_),
      settings_(settings),
      unknown_(unknown) {
  if (run.tokenizer) return;
  throw ConfigError(fmt::format(
      "[chat] the model must have a tokenizer to read what is typed; {} has none: it was trained on token files. Hint: "
      "`minnow sample {} --prompt \"17 4 25\"` takes ids",
      run.directory.string(), run.directory.string()));
}

ChatAnswer ChatSession::say(const std::string& said, const Hooks& hooks) {
  const Conversation before = conversation_;
  tries_ = 0;
  ChatAnswer made = answer(said, hooks);
  before_ = before;
  last_said_ = said;
  answered_ = true;
  return made;
}

ChatAnswer ChatSession::again(const Hooks& hooks) {
  if (!answered_) throw ConfigError("[chat] /again must follow an answer; there is none yet");
  conversation_ = before_;
  ++tries_;
  return answer(last_said_, hooks);
}

void ChatSession::reset() {
  conversation_.reset();
  answered_ = false;
  tries_ = 0;
}

ChatAnswer ChatSession::answer(const std::string& said, const Hooks& hooks) {
  GenerateOptions options;
  options.sampler = settings_.sampler;
  options.sampler.seed += tries_;
  options.max_tokens = settings_.max_tokens;
  options.stop = conversation_.stops();
  if (hooks.show) options.sink = [&](Index, std::string_view piece) { hooks.show(piece); };
  options.interrupted = hooks.interrupted;
  const std::vector<std::int32_t> ids =
      prompt_ids(*run_.tokenizer, conversation_.with(said), run_.prompt_start, unknown_);
  ChatAnswer made{said, generate(*run_.model, run_.tokenizer.get(), ids, options).front()};
  conversation_.keep(said, made.answer.text, made.answer.reason);
  return made;
}

}  // namespace minnow::cli
