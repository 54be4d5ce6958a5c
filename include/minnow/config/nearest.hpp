#pragma once
/// @file
/// Finds the known name that is nearest to a misspelt one.

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace minnow {

/// Counts insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b` (optimal string alignment
/// distance). Bytes are compared.
/// @param limit a distance above it is given as `limit + 1`, at a cost of length times limit
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b,
                                        std::size_t limit = std::numeric_limits<std::size_t>::max() - 1);

/// @return the name in lower case with '-' and blanks as '_', so that "Learning-Rate" equals "learning_rate".
[[nodiscard]] std::string plain_spelling(std::string_view name);

/// @return the nearest of `names`, or an empty view when none is near: more than a third of the letters (at least two)
/// would have to change. The first one wins a tie.
[[nodiscard]] std::string_view nearest_name(std::string_view name, std::span<const std::string_view> names);

}  // namespace minnow
