#include "report/human.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace minnow {

std::string human_count(double count) {
  if (!std::isfinite(count)) return "unknown";
  constexpr std::array<const char*, 5> kSuffixes = {"", "k", "M", "B", "T"};
  const double size = std::abs(count);
  if (size < 1000 && std::trunc(size) == size) return fmt::format("{:.0f}", count);
  std::size_t step = 0;
  double scaled = count;
  constexpr double kRoundsUp = 999.5;  // would print as 1000
  while (std::abs(scaled) >= kRoundsUp && step + 1 < kSuffixes.size()) {
    scaled /= 1000;
    ++step;
  }
  const double digits = std::abs(scaled);
  const int decimals = digits < 9.995 ? 2 : digits < 99.95 ? 1 : 0;  // three digits in all, after rounding
  return fmt::format("{:.{}f}{}", scaled, decimals, kSuffixes[step]);
}

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 7> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto scaled = static_cast<double>(bytes);
  std::size_t step = 0;
  constexpr double kRoundsUp = 1023.95;  // would print as 1024.0
  while (scaled >= kRoundsUp && step + 1 < kUnits.size()) {
    scaled /= 1024;
    ++step;
  }
  return fmt::format("{:.1f} {}", scaled, kUnits[step]);
}

std::string human_duration(double seconds) {
  constexpr double kLongest = 1e12;  // some thirty thousand years
  if (!std::isfinite(seconds) || seconds < 0 || seconds > kLongest) return "unknown";
  if (seconds < 9.95) return fmt::format("{:.{}f} s", seconds, seconds < 0.995 ? 2 : 1);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  const std::int64_t minutes = whole / 60;
  if (minutes < 24 * 60) return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
  const std::int64_t hours = minutes / 60;
  return fmt::format("{} d {:02} h", hours / 24, hours % 24);
}

}  // namespace minnow
