#include "minnow/io/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

namespace minnow {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kKibibyte = 1024;
constexpr std::uint64_t kNoLimitFrom = std::uint64_t{1} << 60U;  // version 1 writes a huge number for "none"

// These files tell no size and may be missing: an empty text stands for whatever cannot be read.
std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return text.str();
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  const auto begin = std::min(text.find_first_not_of(" \t"), text.size());
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + begin, text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() + begin) return std::nullopt;
  return value;
}

/// The number behind `key` where it begins a line.
std::optional<std::uint64_t> number_after(const std::string& text, std::string_view key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(key)) return number_in(std::string_view(line).substr(key.size()));
  }
  return std::nullopt;
}

std::uint64_t less(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; }

void narrow(AvailableMemory& found, std::uint64_t bytes, std::string source) {
  if (bytes >= found.bytes) return;
  found = {bytes, std::move(source)};
}

void look_at_machine(const fs::path& root, AvailableMemory& found) {
  const std::string text = text_of(root / "proc/meminfo");
  const auto present = number_after(text, "MemAvailable:");
  if (!present) return;
  narrow(found, (*present + number_after(text, "SwapFree:").value_or(0)) * kKibibyte, "free memory of the machine");
}

struct GroupFiles {
  const char *limit, *used, *cache;
};
constexpr GroupFiles kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "};
constexpr GroupFiles kVersion2{"memory.max", "memory.current", "inactive_file "};

void look_at_group(const fs::path& directory, const GroupFiles& files, AvailableMemory& found) {
  const auto limit = number_in(text_of(directory / files.limit));  // "max" is no number: no limit
  const auto used = number_in(text_of(directory / files.used));
  if (!limit || !used || *limit >= kNoLimitFrom) return;
  const auto cache = number_after(text_of(directory / "memory.stat"), files.cache).value_or(0);
  narrow(found, less(*limit, less(*used, cache)), "memory limit of the control group (container or job)");
}

/// Looks at the group `path` below `mount` and at all above it. A container may see its own group as the mount itself.
void look_upwards(const fs::path& mount, const std::string& path, const GroupFiles& files, AvailableMemory& found) {
  for (fs::path at = fs::path(path).relative_path(); !at.empty(); at = at.parent_path()) {
    look_at_group(mount / at, files, found);
  }
  look_at_group(mount, files, found);
}

void look_at_groups(const fs::path& root, AvailableMemory& found) {
  std::istringstream lines(text_of(root / "proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {  // ID:CONTROLLERS:PATH
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") look_upwards(root / "sys/fs/cgroup", path, kVersion2, found);
    if (controllers.find(",memory,") != std::string::npos) {
      look_upwards(root / "sys/fs/cgroup/memory", path, kVersion1, found);
    }
  }
}

void look_at_rlimit(decltype(RLIMIT_AS) which, std::uint64_t used, const char* name, AvailableMemory& found) {
  rlimit limit{};
  if (::getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  narrow(found, less(limit.rlim_cur, used), name);
}

void look_at_rlimits(AvailableMemory& found) {
  const std::string status = text_of("/proc/self/status");
  look_at_rlimit(RLIMIT_AS, number_after(status, "VmSize:").value_or(0) * kKibibyte, "limit of ulimit -v", found);
  look_at_rlimit(RLIMIT_DATA, number_after(status, "VmData:").value_or(0) * kKibibyte, "limit of ulimit -d", found);
}

}  // namespace

std::uint64_t spare_memory() { return available_memory().bytes / 4; }

AvailableMemory available_memory(const fs::path& root) {
  AvailableMemory found;
  look_at_machine(root, found);
  look_at_groups(root, found);
  if (root == "/") look_at_rlimits(found);
  return found;
}

}  // namespace minnow
