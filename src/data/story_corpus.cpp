#include "minnow/data/story_corpus.hpp"

#include <unordered_set>

#include "data/story_teller.hpp"

namespace minnow {
namespace {

constexpr std::size_t kShortest = 300;
constexpr std::size_t kLongest = 900;

}  // namespace

std::string story_corpus(std::size_t bytes, std::uint64_t seed) {
  std::string text;
  text.reserve(bytes + kLongest);
  std::unordered_set<std::string> told;
  for (std::uint64_t number = 0; text.size() < bytes; ++number) {
    std::string story = StoryTeller(story_grammar(), StoryDraws(seed, number)).tell() + '\n';
    if (story.size() < kShortest || story.size() > kLongest) continue;
    const auto [place, is_new] = told.insert(std::move(story));
    if (is_new) text += *place;
  }
  return text;
}

}  // namespace minnow
