#include "data/story_grammar.hpp"

#include <algorithm>

namespace minnow {
namespace {

constexpr std::string_view kBetween = " / ";

void add_choices(std::string_view line, std::vector<std::string_view>& choices) {
  for (std::size_t bar = line.find(kBetween); bar != std::string_view::npos; bar = line.find(kBetween)) {
    choices.push_back(line.substr(0, bar));
    line.remove_prefix(bar + kBetween.size());
  }
  choices.push_back(line);
}

}  // namespace

void read_story_rules(std::string_view text, StoryGrammar& grammar) {
  std::vector<std::string_view>* choices = nullptr;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (line.substr(0, 2) == "  " && choices != nullptr)
      add_choices(line.substr(2), *choices);
    else
      choices = &grammar[line];
  }
}

const StoryGrammar& story_grammar() {
  static const StoryGrammar grammar = [] {
    StoryGrammar rules;
    read_story_rules(kStoryPlots, rules);
    read_story_rules(kStoryWords, rules);
    return rules;
  }();
  return grammar;
}

}  // namespace minnow
