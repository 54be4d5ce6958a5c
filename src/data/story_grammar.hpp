#pragma once
/// @file
/// Reads the text form of the story grammar; the notation is described in story_plots.cpp.

#include <map>
#include <string_view>
#include <vector>

namespace minnow {

/// Rules by name; each has one or more ways to be written. Views into the texts below, which live for ever.
using StoryGrammar = std::map<std::string_view, std::vector<std::string_view>>;

extern const std::string_view kStoryPlots;
extern const std::string_view kStoryWords;

/// Cuts a text of rules (names at the margin, choices indented by two blanks, one a line or with ` / ` between) and
/// adds them to `grammar`.
void read_story_rules(std::string_view text, StoryGrammar& grammar);

/// @return plots and words together; read on first use.
const StoryGrammar& story_grammar();

}  // namespace minnow
