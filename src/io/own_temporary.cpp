#include "io/own_temporary.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <optional>
#include <vector>

#include "io/system_error.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/file.hpp"

namespace minnow::detail {

namespace {

constexpr std::string_view kPrefix = ".minnow-tmp-";

// The start time (clock ticks after boot) tells a process from a later one of the same number; field 22 of
// /proc/PID/stat (proc(5)). The name in field 2 may hold spaces and brackets, so count from the last bracket.
std::optional<unsigned long long> process_start(long pid) {
  std::string text(1024, '\0');
  std::FILE* file = std::fopen(fmt::format("/proc/{}/stat", pid).c_str(), "re");
  if (file == nullptr) return std::nullopt;
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  std::size_t at = text.rfind(')');
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = text.find(' ', at + 1);
  if (at == std::string::npos) return std::nullopt;
  unsigned long long start = 0;
  const auto parsed = std::from_chars(text.data() + at + 1, text.data() + text.size(), start);
  return parsed.ec == std::errc() ? std::optional(start) : std::nullopt;
}

std::filesystem::path fresh_name(const std::filesystem::path& parent) {
  static std::atomic<unsigned> counter{0};
  static const unsigned long long start = process_start(::getpid()).value_or(0);
  return parent / fmt::format("{}{}-{}-{}-{}", kPrefix, host_name(), ::getpid(), start, counter++);
}

// Cuts the last "-number" off `text`.
std::optional<unsigned long long> take_number(std::string_view& text) {
  const std::size_t dash = text.rfind('-');
  if (dash == std::string_view::npos || dash + 1 == text.size()) return std::nullopt;
  unsigned long long value = 0;
  const auto parsed = std::from_chars(text.data() + dash + 1, text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  text = text.substr(0, dash);
  return value;
}

// Removes a file, or a directory that holds plain files only. @return an error text, empty if all is gone
std::string remove_entry(const std::filesystem::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return errno == ENOENT ? "" : errno_text(errno);
  if (!S_ISDIR(status.st_mode)) return ::unlink(path.c_str()) == 0 ? "" : errno_text(errno);
  std::error_code code;
  std::vector<std::filesystem::path> children;
  for (std::filesystem::directory_iterator at(path, code), end; !code && at != end; at.increment(code)) {
    children.push_back(at->path());
  }
  if (code) return code.message();
  for (const auto& child : children) {
    if (::unlink(child.c_str()) != 0 && errno != ENOENT) return errno_text(errno);
  }
  return ::rmdir(path.c_str()) == 0 ? "" : errno_text(errno);
}

}  // namespace

std::string host_name() {
  char buffer[256] = {};
  if (::gethostname(buffer, sizeof(buffer) - 1) != 0) return "unknown";
  std::string name;
  for (const char letter : std::string_view(buffer)) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || letter == '-';
    name += plain ? letter : '_';
  }
  return name.empty() ? "unknown" : name.substr(0, 40);
}

bool process_alive(long pid, unsigned long long start) {
  if (pid <= 0 || (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH)) return false;
  const auto running = process_start(pid);
  return start == 0 || !running || *running == start;
}

bool is_stale_temporary(std::string_view name) {
  if (!name.starts_with(kPrefix)) return false;
  const auto number = take_number(name);
  const auto start = take_number(name);
  const auto pid = take_number(name);
  if (!number || !start || !pid || *pid > 0x7fffffffULL) return false;
  if (name.size() < kPrefix.size() || name.substr(kPrefix.size()) != host_name()) return false;
  return !process_alive(static_cast<long>(*pid), *start);
}

void remove_stale_temporaries(const std::filesystem::path& directory) noexcept {
  try {
    std::vector<std::filesystem::path> stale;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (is_stale_temporary(entry.path().filename().string())) stale.push_back(entry.path());
    }
    for (const auto& path : stale) (void)remove_entry(path);
  } catch (const std::exception&) {  // cleaning is a courtesy: whatever stops it shows up in the save itself
    return;
  }
}

namespace {

// Says it of the folder that a person named: the name of the temporary file would tell nobody anything.
void require_writable(const std::filesystem::path& folder) {
  if (::access(folder.c_str(), W_OK | X_OK) != 0) throw_io_error(folder, "a folder in which files can be made", errno);
}

}  // namespace

OwnTemporary OwnTemporary::file_in(const std::filesystem::path& parent, const std::function<void(ByteSink&)>& body,
                                   FileAccess access) {
  require_writable(parent);
  OwnTemporary temporary(fresh_name(parent));
  FileWriter writer(temporary.path(), access);
  body(writer);
  writer.commit();
  return temporary;
}

OwnTemporary OwnTemporary::directory_in(const std::filesystem::path& parent) {
  require_writable(parent);
  std::filesystem::path path = fresh_name(parent);
  if (::mkdir(path.c_str(), 0777) != 0) throw_io_error(path, "a directory that can be created", errno);
  return OwnTemporary(std::move(path));
}

OwnTemporary OwnTemporary::from_existing(const std::filesystem::path& path) {
  std::filesystem::path name = fresh_name(path.parent_path());
  rename_path(path, name);
  return OwnTemporary(std::move(name));
}

OwnTemporary::OwnTemporary(OwnTemporary&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }

OwnTemporary::~OwnTemporary() {
  try {
    (void)remove();
  } catch (const std::exception&) {  // out of memory while cleaning: the next save removes what is left
    path_.clear();
  }
}

std::string OwnTemporary::remove() {
  if (path_.empty()) return "";
  std::string problem = remove_entry(path_);
  path_.clear();
  return problem;
}

}  // namespace minnow::detail
