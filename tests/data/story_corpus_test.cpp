#include "minnow/data/story_corpus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "data/story_grammar.hpp"
#include "data/story_teller.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/sha256.hpp"

namespace minnow {
namespace {

std::vector<std::string> cut(std::string_view text, std::string_view border) {
  std::vector<std::string> parts;
  for (std::size_t at = text.find(border); at != std::string_view::npos; at = text.find(border)) {
    parts.emplace_back(text.substr(0, at));
    text.remove_prefix(at + border.size());
  }
  if (!text.empty()) parts.emplace_back(text);
  return parts;
}

const std::string& corpus() {
  static const std::string text = story_corpus();
  return text;
}

TEST(StoryCorpus, IsTheSameOnEveryMachine) {
  // Written down from the first version. A change of the grammar changes it, and with it every result quoted in the
  // configs: then measure those again.
  EXPECT_EQ(sha256_hex(corpus()), "beee87ced861adaddf2b0e044a83bee0babbfc222826989902611ea2f89ffeb9");
}

TEST(StoryCorpus, HasTheLengthAskedForAndShorterTextsArePrefixes) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{5000}, kStoryCorpusBytes}) {
    const std::string text = story_corpus(bytes);
    EXPECT_GE(text.size(), bytes);
    EXPECT_LE(text.size(), bytes + 900);
    EXPECT_EQ(corpus().substr(0, text.size()), text);
  }
  EXPECT_EQ(story_corpus(0), "");
  EXPECT_NE(story_corpus(5000, 1), story_corpus(5000, 2));
}

TEST(StoryCorpus, NoStoryTwiceAndAllOfModestLength) {
  const std::vector<std::string> stories = cut(corpus(), "\n\n");
  EXPECT_GT(stories.size(), 1000U);
  EXPECT_EQ(std::set<std::string>(stories.begin(), stories.end()).size(), stories.size());
  for (const std::string& story : stories) {
    EXPECT_GE(story.size(), 298U);
    EXPECT_LE(story.size(), 898U);
  }
}

TEST(StoryCorpus, HasSeveralHundredWordsAndPlainCharacters) {
  std::set<std::string> words;
  std::string word;
  for (const char c : corpus()) {
    ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << int{c};
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty()) {
      words.insert(word);
      word.clear();
    }
  }
  EXPECT_GT(words.size(), 900U);
}

TEST(StoryCorpus, LeavesNoNotationAndNoBadJoints) {
  EXPECT_EQ(corpus().find_first_of("{}<>[]|/_"), std::string::npos);
  for (const std::string_view bad : {"  ", " .", " ,", "..", "\n ", " \n"})
    EXPECT_EQ(corpus().find(bad), std::string::npos) << bad;
  for (const char vowel : {'a', 'e', 'i', 'o'})
    EXPECT_EQ(corpus().find(std::string(" a ") + vowel), std::string::npos) << vowel;
}

TEST(StoryCorpus, ParagraphsBeginWithACapitalAndClosePunctuationAndQuotes) {
  for (const std::string& line : cut(corpus(), "\n")) {
    if (line.empty()) continue;
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(line[0])) != 0 || line[0] == '"') << line;
    EXPECT_NE(std::string_view(".!?\"").find(line.back()), std::string_view::npos) << line;
    EXPECT_EQ(std::count(line.begin(), line.end(), '"') % 2, 0) << line;
    for (std::size_t at = line.find(". "); at != std::string::npos; at = line.find(". ", at + 1))
      EXPECT_TRUE(std::islower(static_cast<unsigned char>(line[at + 2])) == 0) << line;
  }
}

TEST(StoryTeller, WordsAgreeWithTheFigure) {
  using Form = StoryFigure::Form;
  EXPECT_EQ(story_word_form("his", Form::kShe), "her");
  EXPECT_EQ(story_word_form("was", Form::kThey), "were");
  EXPECT_EQ(story_word_form("s", Form::kIt), "s");
  EXPECT_EQ(story_word_form("I", Form::kThey), "we");
  EXPECT_THROW(story_word_form("hiz", Form::kHe), DataError);
}

TEST(StoryTeller, TheHeroKeepsNameAndGender) {
  StoryGrammar grammar = story_grammar();
  grammar["story"] = {"{hero}|{hero.he}|{hero.his}|{hero}"};
  for (std::uint64_t number = 0; number < 50; ++number) {
    const std::vector<std::string> parts = cut(StoryTeller(grammar, StoryDraws(1, number)).tell(), "|");
    ASSERT_EQ(parts.size(), 4U);
    EXPECT_EQ(parts[0] + '\n', parts[3]);
    const bool two = parts[0].find(" and ") != std::string::npos;
    EXPECT_EQ(parts[1] == "they", two);
    EXPECT_EQ(parts[2], two ? "their" : parts[1] == "he" ? "his" : "her");
  }
}

TEST(StoryTeller, UsesEveryChoiceBeforeOneReturns) {
  StoryGrammar grammar = story_grammar();
  grammar["story"] = {"<fruit>/<fruit>/<fruit>"};
  grammar["fruit"] = {"plum", "pear", "fig"};
  for (std::uint64_t number = 0; number < 20; ++number) {
    const std::string story = StoryTeller(grammar, StoryDraws(1, number)).tell();
    for (const std::string_view fruit : grammar["fruit"]) EXPECT_NE(story.find(fruit), std::string::npos) << story;
  }
}

TEST(StoryTeller, AnUnknownRuleIsNamed) {
  StoryGrammar grammar = story_grammar();
  grammar["story"] = {"<nonsense>"};
  try {
    StoryTeller(grammar, StoryDraws(1, 0)).tell();
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("nonsense"), std::string::npos);
  }
}

TEST(StoryGrammar, EveryRuleHasAChoiceAndBalancedMarks) {
  for (const auto& [name, choices] : story_grammar()) {
    EXPECT_FALSE(choices.empty()) << name;
    for (const std::string_view text : choices) {
      for (const std::string_view pair : {"{}", "<>", "[]"})
        EXPECT_EQ(std::count(text.begin(), text.end(), pair[0]), std::count(text.begin(), text.end(), pair[1])) << text;
    }
  }
}

}  // namespace
}  // namespace minnow
