#include "base/json_fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace minnow {

std::string json_place(std::string_view name, std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("{}:{}:{}", name, line, before.size() - begin + 1);
}

std::string json_reason(std::string_view what) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kFrames = {
      {{"[json.", "] "}, {"parse error", ": "}, {"syntax error while parsing", " - "}}};
  for (const auto& [begin, end] : kFrames) {
    const std::size_t at = what.find(end);
    if (what.starts_with(begin) && at != std::string_view::npos) what.remove_prefix(at + end.size());
  }
  constexpr std::string_view kRead = "last read: '";
  constexpr std::size_t kShown = 40;
  const std::size_t begin = what.find(kRead) + kRead.size();
  if (begin < kRead.size()) return std::string(what);  // nothing was read
  const std::size_t end = std::min(what.rfind("'; expected "), what.size() - 1);
  if (end < begin || end - begin <= kShown) return std::string(what);
  return fmt::format("{}...{}", what.substr(0, begin), what.substr(end - kShown));
}

}  // namespace minnow
