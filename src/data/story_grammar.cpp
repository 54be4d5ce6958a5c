#include "data/story_grammar.hpp"

#include <algorithm>

namespace minnow {

void read_story_rules(std::string_view text, StoryGrammar& grammar) {
  std::vector<std::string_view>* choices = nullptr;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (line.substr(0, 2) == "  " && choices != nullptr)
      choices->push_back(line.substr(2));
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
