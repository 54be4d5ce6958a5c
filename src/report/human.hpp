#pragma once
/// @file
/// Writes numbers, sizes and times as people read them. Independent of the locale.

#include <cstdint>
#include <string>

namespace minnow {

/// @return a count with three digits and a suffix: 999, 1.23k, 45.6k, 789k, 1.23M, 4.56B.
std::string human_count(double count);

/// @return bytes in powers of 1024: "512 B", "1.5 KiB", "23.4 MiB".
std::string human_bytes(std::uint64_t bytes);

/// @return a duration: "0.25 s", "12 s", "3 min 05 s", "2 h 07 min", "3 d 04 h"; "unknown" if negative or not finite.
std::string human_duration(double seconds);

}  // namespace minnow
