#pragma once
/// @file
/// Writes the built-in training text: small stories made by a grammar of our own, so that a first run needs no
/// download.

#include <cstddef>
#include <cstdint>
#include <string>

namespace minnow {

/// Size and seed of the corpus that a config gets with `data.path = "builtin"`.
inline constexpr std::size_t kStoryCorpusBytes = 1'000'000;
inline constexpr std::uint64_t kStoryCorpusSeed = 1;

/// Tells stories until the text has at least `bytes` bytes.
///
/// Twelve plots with recurring names, things that are lost and given back, dialogue, cause and effect. Pronouns, verbs
/// and articles agree with the gender and number of what they speak of. A story has 300 to 900 bytes in paragraphs of
/// one line each, a blank line ends it, and no story occurs twice. ASCII only.
///
/// The text is the same on every machine (integer arithmetic only), and a shorter text of the same seed is a prefix of
/// a longer one.
///
/// @param bytes  the length wanted; the last story is told to its end, so up to 900 bytes more come back.
/// @param seed   another seed tells other stories.
/// @return the text; empty for 0 bytes.
std::string story_corpus(std::size_t bytes = kStoryCorpusBytes, std::uint64_t seed = kStoryCorpusSeed);

}  // namespace minnow
