#pragma once
/// @file
/// Keeps what was said and answered, as the text that a model reads.

#include <string>
#include <string_view>
#include <vector>

#include "minnow/config/config.hpp"
#include "minnow/gen/generate.hpp"

namespace minnow {

/// How the text grows from turn to turn.
enum class TurnKind {
  kDialogue,  ///< chat.user, what was said, chat.assistant, the answer, chat.stop; and so on
  kText,  ///< one text: what was said begins a new line of it, or goes on where it stopped if it begins with a blank
  kDocument,  ///< every turn is a document of its own: the model has only seen single lines
};

/// The text of a conversation. The model's answer is what it writes behind with().
class Conversation {
 public:
  /// @param breaks_lines whether the vocabulary has a line feed to begin a new line with (of kText)
  Conversation(ChatConfig format, TurnKind kind, bool breaks_lines = true);

  /// @return the kind that a configuration asks for: a dialogue when chat.assistant is given.
  [[nodiscard]] static TurnKind kind_of(const Config& config);

  /// @return all text so far with `said` behind it, ready for the answer. Nothing said goes on with the text.
  [[nodiscard]] std::string with(std::string_view said) const;

  /// Takes the answer to with(said). A document that the model closed ends the conversation: the next turn begins anew.
  void keep(std::string_view said, std::string_view answer, FinishReason reason);

  /// @return the strings that end an answer: chat.stop, or without one the start of the next turn, chat.user.
  [[nodiscard]] std::vector<std::string> stops() const;

  void reset() { text_.clear(); }
  [[nodiscard]] TurnKind kind() const noexcept { return kind_; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  ChatConfig format_;
  TurnKind kind_;
  bool breaks_lines_;
  std::string text_;
};

}  // namespace minnow
