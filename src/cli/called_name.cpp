#include "cli/called_name.hpp"

#include <array>

namespace minnow::cli {
namespace {

constexpr std::string_view kName = "minnow ";

std::string& called_name() {
  static std::string name;
  return name;
}

bool begins_command(std::string_view before) {
  constexpr std::array<std::string_view, 4> kFronts = {"`", "next: ", "| ", "\n  "};
  for (const std::string_view front : kFronts) {
    if (before.ends_with(front)) return true;
  }
  return before == "  ";  // the first line
}

}  // namespace

void set_called_name(std::string_view name) {
  const bool relative = !name.starts_with('/') && name.find('/') != std::string_view::npos;
  const bool plain = name.find_first_of(" \t\n'\"\\$`") == std::string_view::npos;
  called_name() = relative && plain ? std::string(name) : std::string();
}

std::string as_called(std::string_view text) {
  const std::string& name = called_name();
  if (name.empty()) return std::string(text);
  std::string result;
  std::size_t done = 0;
  for (std::size_t at = text.find(kName); at != std::string_view::npos; at = text.find(kName, at + kName.size())) {
    if (!begins_command(text.substr(0, at))) continue;
    result.append(text, done, at - done).append(name).append(" ");
    done = at + kName.size();
  }
  return result.append(text, done);
}

}  // namespace minnow::cli
