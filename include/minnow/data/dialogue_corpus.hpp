#pragma once
/// @file
/// Writes the built-in dialogues: small talk and plain facts, so that a model to talk with needs no download.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace minnow {

/// Size and seed of the corpus that a config gets with `data.path = "builtin:dialogues"`.
inline constexpr std::size_t kDialogueCorpusBytes = 1'000'000;
inline constexpr std::uint64_t kDialogueCorpusSeed = 1;

/// Writes dialogues until the text has at least `bytes` bytes.
///
/// Every line is one turn: `You: ` and what a person says, then `Minnow: ` and the answer. A dialogue has two to six
/// pairs, in upper and lower case, with and without full stops, as people type; a blank line ends it. Questions are
/// about colours, sounds and homes of animals, opposites, the order of numbers, days and months, small sums, and names,
/// which the answer repeats. Facts are right. ASCII only; the same on every machine; a shorter text of the same seed is
/// a prefix of a longer one.
///
/// @return the text; at most one dialogue longer than asked for. Empty for 0 bytes.
std::string dialogue_corpus(std::size_t bytes = kDialogueCorpusBytes, std::uint64_t seed = kDialogueCorpusSeed);

/// @return whether a data path names a built-in corpus: "builtin", or anything that begins with "builtin:".
[[nodiscard]] bool names_builtin(std::string_view path);

/// @param bytes  the length wanted
/// @param seed   another seed gives another text
/// @return the text of "builtin" (stories) or "builtin:dialogues". Throws: DataError for other names.
[[nodiscard]] std::string builtin_corpus(std::string_view path, std::size_t bytes, std::uint64_t seed);

}  // namespace minnow
