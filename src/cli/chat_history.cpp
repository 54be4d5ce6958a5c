#include "cli/chat_history.hpp"

#include <algorithm>
#include <cstdlib>

#include "minnow/io/file.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow::cli {
namespace {

constexpr std::size_t kMostEntryBytes = std::size_t{16} << 10U;
constexpr std::uint64_t kMostFileBytes = std::uint64_t{256} << 20U;  // far beyond what add() can make of it

std::string escape(std::string_view entry) {
  std::string line;
  for (const char letter : entry) {
    if (letter == '\n') {
      line += "\\n";
    } else {
      if (letter == '\\') line += '\\';
      line += letter;
    }
  }
  return line;
}

std::string unescape(std::string_view line) {
  std::string entry;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const bool escaped = line[at] == '\\' && at + 1 < line.size();
    if (escaped) ++at;
    entry += escaped && line[at] == 'n' ? '\n' : line[at];
  }
  return entry;
}

/// What the line editor may show: UTF-8 without control characters, C1 too, but for the line feed.
bool is_text(std::string_view entry) {
  constexpr char32_t kFirstPrintable = 0x20, kDelete = 0x7F, kLastControl = 0x9F;
  for (std::size_t at = 0; at < entry.size();) {
    const Utf8Step step = read_utf8(entry, at);
    const char32_t letter = step.code_point;
    const bool control = letter < kFirstPrintable || (letter >= kDelete && letter <= kLastControl);
    if (!step.valid || (control && letter != U'\n')) return false;
    at += step.length;
  }
  return !entry.empty();
}

std::filesystem::path absolute_from(const char* variable) {
  const char* value = std::getenv(variable);
  const std::filesystem::path path = value == nullptr ? "" : value;
  return path.is_absolute() ? path : std::filesystem::path();
}

}  // namespace

std::filesystem::path ChatHistory::usual_path() {
  std::filesystem::path state = absolute_from("XDG_STATE_HOME");
  if (state.empty()) {
    const std::filesystem::path home = absolute_from("HOME");
    if (home.empty()) return {};
    state = home / ".local" / "state";
  }
  return state / "minnow" / "chat_history";
}

std::vector<std::string> ChatHistory::read() {
  if (!path_exists(path_)) return {};
  const std::string content = read_file(path_, kMostFileBytes);
  std::vector<std::string> entries;
  std::size_t lines = 0;
  for (std::size_t at = 0; at < content.size(); ++lines) {
    const std::size_t end = std::min(content.find('\n', at), content.size());
    std::string entry = unescape(std::string_view(content).substr(at, end - at));
    if (is_text(entry) && (entries.empty() || entries.back() != entry)) entries.push_back(std::move(entry));
    at = end + 1;
  }
  if (entries.size() > kHistoryLines) entries.erase(entries.begin(), entries.end() - std::ptrdiff_t(kHistoryLines));
  if (lines >= 2 * kHistoryLines) {
    std::string kept;
    for (const std::string& entry : entries) kept += escape(entry) + '\n';
    write_file_atomic(path_, kept, FileAccess::kOwner);
  }
  return entries;
}

void ChatHistory::add(std::string_view entry) {
  if (entry.size() > kMostEntryBytes || !is_text(entry)) return;
  if (!file_) {
    make_directories(path_.parent_path(), FileAccess::kOwner);
    file_.emplace(path_, FileAccess::kOwner);
  }
  file_->append(escape(entry) + '\n');
}

}  // namespace minnow::cli
