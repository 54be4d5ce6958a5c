#pragma once
/// @file
/// Temporary files and directories whose names say which process made them, so that leftovers of dead processes can be
/// told from everything else.

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "minnow/io/file.hpp"

namespace minnow::detail {

/// A temporary entry `.minnow-tmp-<host>-<pid>-<start>-<n>` beside the final name. The destructor removes it (a file,
/// or a directory of plain files) unless `keep` was called.
class OwnTemporary {
 public:
  /// Creates a file, lets `body` write its content and fsyncs it. @throws IoError
  static OwnTemporary file_in(const std::filesystem::path& parent, const std::function<void(ByteSink&)>& body,
                              FileAccess access = FileAccess::kUsual);
  /// Creates an empty directory. @throws IoError
  static OwnTemporary directory_in(const std::filesystem::path& parent);
  /// Moves an existing entry to a temporary name; removing it is then the destructor's. @throws IoError
  static OwnTemporary from_existing(const std::filesystem::path& path);

  ~OwnTemporary();
  OwnTemporary(OwnTemporary&& other) noexcept;
  OwnTemporary& operator=(OwnTemporary&&) = delete;
  OwnTemporary(const OwnTemporary&) = delete;
  OwnTemporary& operator=(const OwnTemporary&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Gives up the right to remove the entry: it has its final name now.
  void keep() { path_.clear(); }
  /// Removes the entry now. @return an error text, empty if it is gone
  std::string remove();

 private:
  explicit OwnTemporary(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

/// @return whether `name` was made by OwnTemporary in a process of this host that has ended.
[[nodiscard]] bool is_stale_temporary(std::string_view name);

/// Removes the temporaries of dead processes of this host from a directory. Everything else stays. Failures to remove
/// are no failures: the next save tries again.
void remove_stale_temporaries(const std::filesystem::path& directory) noexcept;

/// @return this machine's name, reduced to letters, digits and '-' (at most 40).
[[nodiscard]] std::string host_name();

/// @return whether the process `pid` of this host runs and started at `start` (clock ticks after boot; 0: any).
[[nodiscard]] bool process_alive(long pid, unsigned long long start);

}  // namespace minnow::detail
