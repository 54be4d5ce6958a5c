#pragma once
/// @file
/// Takes back directories that were made for something that then was refused.

#include <filesystem>
#include <vector>

namespace minnow {

/// The directories on the way to one that are not there yet, to be asked for before they are made.
class MissingDirectories {
 public:
  MissingDirectories() = default;
  /// Notes `directory` and its parents, as far as they do not exist.
  explicit MissingDirectories(const std::filesystem::path& directory);
  /// Removes those that were noted, if they are there and empty. What can't be removed stays, without a word.
  void remove_empty() const noexcept;

 private:
  std::vector<std::filesystem::path> missing_;  ///< the innermost first
};

}  // namespace minnow
