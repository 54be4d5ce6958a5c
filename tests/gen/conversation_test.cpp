#include "minnow/gen/conversation.hpp"

#include <gtest/gtest.h>

namespace minnow {
namespace {

const ChatConfig kFormat{.user = "You: ", .assistant = "\nShe: ", .stop = "\n"};

TEST(Conversation, DialoguesReadAsTheirTrainingText) {
  Conversation talk(kFormat, TurnKind::kDialogue);
  EXPECT_EQ(talk.with("Hello."), "You: Hello.\nShe: ");
  talk.keep("Hello.", "Hi!", FinishReason::kStopString);
  EXPECT_EQ(talk.with("Who?"), "You: Hello.\nShe: Hi!\nYou: Who?\nShe: ");
  talk.keep("Who?", "I am", FinishReason::kInterrupted);  // cut short, it still ends
  EXPECT_EQ(talk.text(), "You: Hello.\nShe: Hi!\nYou: Who?\nShe: I am\n");
  talk.reset();
  EXPECT_EQ(talk.with("a"), "You: a\nShe: ");
}

TEST(Conversation, AnswersEndAtStopOrTheNextTurn) {
  EXPECT_EQ(Conversation(kFormat, TurnKind::kDialogue).stops(), std::vector<std::string>{"\n"});
  EXPECT_EQ(Conversation({.user = "Q:", .assistant = "A:", .stop = ""}, TurnKind::kDialogue).stops(),
            std::vector<std::string>{"Q:"});
  EXPECT_TRUE(Conversation({.user = "", .assistant = "A:", .stop = ""}, TurnKind::kDialogue).stops().empty());
  EXPECT_TRUE(Conversation(kFormat, TurnKind::kText).stops().empty());
}

TEST(Conversation, TextGoesOn) {
  Conversation text({}, TurnKind::kText);
  EXPECT_EQ(text.with("Once"), "Once");
  text.keep("Once", " upon", FinishReason::kMaxTokens);
  EXPECT_EQ(text.with(""), "Once upon");
  EXPECT_EQ(text.with(" a time"), "Once upon a time");
  EXPECT_EQ(text.with("Then"), "Once upon\nThen");
  text.keep("", ".\n", FinishReason::kMaxTokens);
  EXPECT_EQ(text.with("Then"), "Once upon.\nThen");
  text.keep("Then", " it ended", FinishReason::kBoundary);
  EXPECT_EQ(text.text(), "");
  Conversation one_line({}, TurnKind::kText, /*breaks_lines=*/false);
  one_line.keep("a", "b", FinishReason::kMaxTokens);
  EXPECT_EQ(one_line.with("c"), "abc");
}

TEST(Conversation, LinesStandAlone) {
  Conversation names({}, TurnKind::kDocument);
  names.keep("em", "ma", FinishReason::kBoundary);
  EXPECT_EQ(names.with("li"), "li");
  names.keep("li", "ly", FinishReason::kMaxTokens);
  EXPECT_EQ(names.with("a"), "a");
}

TEST(Conversation, TheConfigurationSaysWhichKind) {
  Config config;
  EXPECT_EQ(Conversation::kind_of(config), TurnKind::kText);
  config.data.documents = DocumentKind::kLines;
  EXPECT_EQ(Conversation::kind_of(config), TurnKind::kDocument);
  config.chat.assistant = "A:";
  EXPECT_EQ(Conversation::kind_of(config), TurnKind::kDialogue);
}

}  // namespace
}  // namespace minnow
