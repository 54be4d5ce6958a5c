#include "minnow/gen/conversation.hpp"

#include <utility>

namespace minnow {

Conversation::Conversation(ChatConfig format, TurnKind kind, bool breaks_lines)
    : format_(std::move(format)), kind_(kind), breaks_lines_(breaks_lines) {}

TurnKind Conversation::kind_of(const Config& config) {
  if (!config.chat.assistant.empty()) return TurnKind::kDialogue;
  return config.data.documents == DocumentKind::kLines ? TurnKind::kDocument : TurnKind::kText;
}

std::string Conversation::with(std::string_view said) const {
  std::string text = text_;
  if (kind_ == TurnKind::kDialogue) return text.append(format_.user).append(said).append(format_.assistant);
  const bool goes_on = said.empty() || said.front() == ' ' || text.empty() || text.back() == '\n';
  if (!goes_on && breaks_lines_) text += '\n';
  return text.append(said);
}

void Conversation::keep(std::string_view said, std::string_view answer, FinishReason reason) {
  if (kind_ == TurnKind::kDocument || reason == FinishReason::kBoundary) {
    text_.clear();
    return;
  }
  text_ = with(said).append(answer);
  if (kind_ == TurnKind::kDialogue) text_ += format_.stop;  // an answer that was cut short ends like any other
}

std::vector<std::string> Conversation::stops() const {
  if (kind_ != TurnKind::kDialogue) return {};
  const std::string& stop = format_.stop.empty() ? format_.user : format_.stop;
  return stop.empty() ? std::vector<std::string>{} : std::vector<std::string>{stop};
}

}  // namespace minnow
