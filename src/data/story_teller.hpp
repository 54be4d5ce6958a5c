#pragma once
/// @file
/// Tells one story: draws who and what it is about, then writes out the grammar.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "data/story_grammar.hpp"
#include "minnow/base/philox.hpp"

namespace minnow {

/// The choices of one story, in order; those of another story or seed have nothing to do with them.
class StoryDraws {
 public:
  StoryDraws(std::uint64_t seed, std::uint64_t story) : key_{.seed = seed, .stream = kStream, .step = story} {}

  /// @return an integer in [0, n), n > 0.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_below(key_, count_++, n)); }

 private:
  static constexpr std::uint32_t kStream = 0x73746f72;  // "stor"
  RandomKey key_;
  std::uint64_t count_ = 0;
};

/// Somebody or something that a story speaks of more than once.
struct StoryFigure {
  enum class Form { kShe, kHe, kIt, kThey };
  std::string name;   ///< "Nell", "red kites", "grey goose"
  std::string first;  ///< who speaks: "Nell" of "Nell and Tom"
  std::string kind;   ///< "a girl", "a boy", "two children"
  std::string with_article;
  Form form = Form::kIt;
};

/// The word of `field` (he, him, his, self, was, is, s, am, I, me, my, ...) that agrees with `form`; empty if there is
/// none.
std::string_view story_word_form(std::string_view field, StoryFigure::Form form);

/// Writes one story; make a new one for the next.
class StoryTeller {
 public:
  StoryTeller(const StoryGrammar& grammar, StoryDraws draws);

  /// @return the story, paragraphs ended by a line feed. Throws DataError when the grammar mentions an unknown name.
  std::string tell();

 private:
  std::string_view pick(std::string_view rule);
  std::string write(std::string_view text);
  std::string write_choice(std::string_view inside);
  std::string mention(std::string_view slot);
  StoryFigure draw_person(std::string_view girls, std::string_view boys);
  StoryFigure draw_hero();
  StoryFigure draw_counted(std::string_view adjectives, std::string_view nouns, std::size_t plural_of);

  const StoryGrammar& grammar_;
  StoryDraws draws_;
  std::map<std::string_view, std::vector<bool>> used_;
  std::map<std::string_view, StoryFigure> figures_;
  std::map<std::string, std::string, std::less<>> chosen_;
};

}  // namespace minnow
