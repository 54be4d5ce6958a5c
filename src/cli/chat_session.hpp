#pragma once
/// @file
/// A chat: takes lines, gives answers, obeys commands. Knows nothing of terminals.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "cli/chat_settings.hpp"
#include "minnow/gen/conversation.hpp"
#include "minnow/train/run.hpp"

namespace minnow::cli {

/// One answer.
struct ChatAnswer {
  std::string said;  ///< what it answers
  Generation answer;
};

class ChatSession {
 public:
  struct Hooks {
    std::function<void(std::string_view piece)> show;  ///< takes the answer as it is written: valid UTF-8
    std::function<bool()> interrupted;                 ///< true ends the answer
  };

  /// @param run must live on; it has a tokenizer
  /// @param unknown what becomes of a character that the model does not know
  /// Throws: ConfigError for a model without tokenizer.
  ChatSession(const LoadedRun& run, Conversation conversation, const ChatSettings& settings, UnknownCharacter unknown);

  /// Answers `said` and remembers both. Throws: DataError for a character that the model does not know; nothing is
  /// remembered then.
  ChatAnswer say(const std::string& said, const Hooks& hooks);

  /// Writes the last answer anew, with other draws. Throws: ConfigError when there is none.
  ChatAnswer again(const Hooks& hooks);

  /// Forgets what was said.
  void reset();

  [[nodiscard]] ChatSettings& settings() { return settings_; }
  [[nodiscard]] const Conversation& conversation() const { return conversation_; }

 private:
  [[nodiscard]] ChatAnswer answer(const std::string& said, const Hooks& hooks);

  const LoadedRun& run_;
  Conversation conversation_;
  Conversation before_;  // as it was before the last answer
  ChatSettings settings_;
  UnknownCharacter unknown_;
  std::string last_said_;
  bool answered_ = false;
  std::uint64_t tries_ = 0;  // of the last answer
};

/// @return whether the vocabulary has a line feed.
[[nodiscard]] bool has_line_feed(const Tokenizer& tokenizer);

}  // namespace minnow::cli
