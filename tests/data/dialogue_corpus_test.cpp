#include "minnow/data/dialogue_corpus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "minnow/base/error.hpp"
#include "minnow/base/sha256.hpp"
#include "minnow/data/story_corpus.hpp"

namespace minnow {
namespace {

const std::string& corpus() {
  static const std::string text = dialogue_corpus();
  return text;
}

TEST(DialogueCorpus, IsTheSameOnEveryMachine) {
  // A change of the text changes what configs/chat.toml quotes: then measure that again.
  EXPECT_EQ(sha256_hex(corpus()), "e568ea86ca29d4c6610786e83c405a1de443d1f1acb9196102778c864cff2ecf");
}

TEST(DialogueCorpus, HasTheLengthAskedForAndShorterTextsArePrefixes) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{5000}, kDialogueCorpusBytes}) {
    const std::string text = dialogue_corpus(bytes);
    EXPECT_GE(text.size(), bytes);
    EXPECT_LE(text.size(), bytes + 1000);
    EXPECT_EQ(corpus().substr(0, text.size()), text);
  }
  EXPECT_EQ(dialogue_corpus(0), "");
  EXPECT_NE(dialogue_corpus(5000, 1), dialogue_corpus(5000, 2));
}

TEST(DialogueCorpus, TurnsAlternateAndAreAscii) {
  std::istringstream lines(corpus());
  std::string line;
  bool person = true;
  int pairs = 0, most = 0;
  while (std::getline(lines, line)) {
    ASSERT_TRUE(std::all_of(line.begin(), line.end(), [](char c) { return c >= 0x20 && c < 0x7F; })) << line;
    if (line.empty()) {
      EXPECT_TRUE(person);
      EXPECT_GE(pairs, 1);
      most = std::max(most, pairs);
      pairs = 0;
      continue;
    }
    ASSERT_TRUE(line.starts_with(person ? "You: " : "Minnow: ")) << line;
    ASSERT_GT(line.size(), line.find(' ') + 2) << line;
    pairs += person ? 0 : 1;
    person = !person;
  }
  EXPECT_EQ(most, 7);
}

TEST(DialogueCorpus, AnswersAreRight) {
  for (const char* pair :
       {"You: What is the opposite of hot?\nMinnow: The opposite of hot is cold.\n",
        "You: What is two and three?\nMinnow: Two and three is five.\n",
        "You: Which day comes after Sunday?\nMinnow: Monday comes after Sunday.\n",
        "You: Who are you?\nMinnow: I am Minnow", "You: What comes before one?\nMinnow: Zero comes before one.\n",
        "You: What does an owl say?\nMinnow: The owl says hoot.\n",
        "You: I am Tom.\nMinnow: Nice to meet you, Tom.\n"}) {
    EXPECT_NE(corpus().find(pair), std::string::npos) << pair;
  }
  EXPECT_EQ(corpus().find("hot is hot"), std::string::npos);
}

TEST(BuiltinCorpus, IsFoundByName) {
  EXPECT_TRUE(names_builtin("builtin"));
  EXPECT_TRUE(names_builtin("builtin:dialogues"));
  EXPECT_FALSE(names_builtin("builtin.txt"));
  EXPECT_EQ(builtin_corpus("builtin", 1000, 1), story_corpus(1000, 1));
  EXPECT_EQ(builtin_corpus("builtin:dialogues", 1000, 1), dialogue_corpus(1000, 1));
  EXPECT_THROW((void)builtin_corpus("builtin:poems", 1000, 1), DataError);
}

}  // namespace
}  // namespace minnow
