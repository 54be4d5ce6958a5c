#pragma once
/// @file
/// Writes quantities as people read them. Independent of the locale.

#include <cstdint>
#include <string>

namespace minnow {

/// @return a whole number with its thousands parted: 1'234'567. For quantities in text for people (bytes, tokens,
/// parameters, steps of a total); never for what is a name (the number of one step, an id, a value of a setting, a
/// dimension of a shape), which may be copied back into a command, and never in JSON.
[[nodiscard]] std::string grouped(std::int64_t number);

}  // namespace minnow
