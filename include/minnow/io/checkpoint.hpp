#pragma once
/// @file
/// Saves, verifies and opens checkpoints so that a crash at any instant leaves the old or the new one whole.
///
///     <run>/checkpoints/step_00001000/{<files>,manifest.json}   one durable state
///     <run>/latest, <run>/best                                  small files that name one of them
///
/// Save: temporary sibling directory, fsync of each file, manifest (size and SHA-256 of every file and section, its own
/// hash last), fsync of it and the directory, rename, fsync of the parent, `latest` the same way, only then rotation.
/// No file holds a time stamp: the same state gives the same bytes. The caller holds the RunLock of the directory.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/io/file.hpp"
#include "minnow/io/manifest.hpp"
#include "minnow/io/safetensors.hpp"

namespace minnow {

/// One file of a checkpoint to be.
struct FileSource {
  std::string name;                       ///< plain file name, such as "model.safetensors"
  std::function<void(ByteSink&)> writer;  ///< writes the content once, from front to back; sections name its parts
  std::uint64_t bytes = 0;                ///< expected size, for the check of free space (0: unknown)
};

/// What to keep when a save has become durable.
struct SaveOptions {
  std::int64_t keep = 0;                                    ///< newest checkpoints to keep by step; 0 or less keeps all
  std::optional<std::int64_t> resumed_step = std::nullopt;  ///< the one this run started from: never removed
};

/// What a save did.
struct SaveResult {
  std::filesystem::path directory;    ///< the new checkpoint
  std::vector<std::string> warnings;  ///< what was skipped (torn or unknown directories, failed removals)
  std::vector<std::int64_t> removed;  ///< steps that the rotation removed
};

/// Saves a checkpoint of `step` by the protocol above and makes it the latest. If a checkpoint of this step exists with
/// the same bytes nothing is written; with other bytes it is replaced at once; a damaged one is moved aside and kept.
/// A save that fails leaves the older ones untouched, removes its temporary and does not rotate.
/// @throws IoError naming path, reason and bytes needed (disk full, read-only, ...); whatever a writer throws.
SaveResult save_checkpoint(const std::filesystem::path& run_dir, std::int64_t step, std::span<const FileSource> files,
                           const SaveOptions& options = {});

/// Makes `best` name the checkpoint of `step`. @throws CheckpointError if there is none; IoError.
void mark_best(const std::filesystem::path& run_dir, std::int64_t step);

/// @return the step that `latest` or `best` names, or nothing if the file is missing or does not hold such a name.
[[nodiscard]] std::optional<std::int64_t> latest_step(const std::filesystem::path& run_dir);
[[nodiscard]] std::optional<std::int64_t> best_step(const std::filesystem::path& run_dir);

/// One directory of the form checkpoints/step_NNNNNNNN.
struct CheckpointInfo {
  std::int64_t step = 0;
  std::filesystem::path directory;
};

/// @return all checkpoint directories by ascending step (a number, not a text), whole or not. @throws IoError
[[nodiscard]] std::vector<CheckpointInfo> list_checkpoints(const std::filesystem::path& run_dir);

/// @return the directory of the checkpoint of `step` (it need not exist).
[[nodiscard]] std::filesystem::path checkpoint_directory(const std::filesystem::path& run_dir, std::int64_t step);

/// What verify_checkpoint found.
struct VerifyReport {
  std::optional<Manifest> manifest;   ///< set if the manifest itself is whole
  std::vector<std::string> problems;  ///< one line each, naming file and section; empty if every bit is right

  [[nodiscard]] bool ok() const { return problems.empty(); }
  /// @return all problems in one text.
  [[nodiscard]] std::string text() const;
};

/// Compares every bit of a checkpoint with its manifest, and the manifest with its own hash. Files that the manifest
/// does not name are no concern of it. Never throws for what it finds on the disk: unreadable files are problems.
[[nodiscard]] VerifyReport verify_checkpoint(const std::filesystem::path& directory);

/// A checkpoint open for reading. Every byte that it hands out has been compared with the manifest at that moment, so
/// nothing that happens to the files between checking and loading goes unseen.
class Checkpoint {
 public:
  /// Reads the manifest. @throws CheckpointError if it is damaged or belongs to another step; IoError.
  [[nodiscard]] static Checkpoint open(const std::filesystem::path& directory);

  [[nodiscard]] std::int64_t step() const { return manifest_.step; }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  [[nodiscard]] const Manifest& manifest() const { return manifest_; }
  /// @return whether the checkpoint has that file.
  [[nodiscard]] bool has(std::string_view file) const { return manifest_.find(file) != nullptr; }

  /// @return the whole content of a file. @throws CheckpointError if it is damaged or not part of the checkpoint.
  [[nodiscard]] std::string read(std::string_view file) const;
  /// @return the checked header of a safetensors file. @throws CheckpointError, IoError
  [[nodiscard]] SafetensorsHeader header(std::string_view file) const;
  /// Reads one tensor of a safetensors file into `target` (entry.bytes() bytes). @throws CheckpointError, IoError
  void read_tensor(std::string_view file, const TensorEntry& entry, std::span<std::byte> target) const;

 private:
  const FileRecord& record(std::string_view file) const;
  void read_section(const FileRecord& file, const Section& section, std::span<std::byte> target) const;

  std::filesystem::path directory_;
  Manifest manifest_;
};

/// Opens the newest checkpoint (by step) that verifies in full; damaged or torn ones are skipped, kept, and named in
/// `warnings`.
/// @return nothing if the run has no checkpoint at all
/// @throws CheckpointError if there are some but none verifies; IoError if the directory cannot be read.
[[nodiscard]] std::optional<Checkpoint> open_newest_valid(const std::filesystem::path& run_dir,
                                                          std::vector<std::string>& warnings);

/// Removes the checkpoints (whole ones and those of dead saves), `latest` and `best` of a run: for --overwrite.
/// Directories that hold anything else are kept and named in the result. @throws IoError
std::vector<std::string> remove_all_checkpoints(const std::filesystem::path& run_dir);

}  // namespace minnow
