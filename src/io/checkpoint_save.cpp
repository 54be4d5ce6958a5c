#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>

#include "io/checkpoint_names.hpp"
#include "io/json_text.hpp"
#include "io/own_temporary.hpp"
#include "io/system_error.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/sha256.hpp"
#include "minnow/io/checkpoint.hpp"

namespace minnow {

namespace {

using detail::OwnTemporary;

// Writes to a file and keeps the table of its sections.
class RecordingSink final : public ByteSink {
 public:
  RecordingSink(const std::filesystem::path& directory, const std::string& name) : writer_(directory / name) {
    record_.name = name;
  }

  using ByteSink::write;
  void write(std::span<const std::byte> bytes) override {
    if (bytes.empty()) return;
    if (!open_) section("(content)");
    writer_.write(bytes);
    whole_.update(bytes);
    part_.update(bytes);
  }

  void section(std::string_view name) override {
    close_section();
    record_.sections.push_back({std::string(name), writer_.size(), writer_.size(), ""});
    open_ = true;
  }

  FileRecord commit() {
    close_section();
    writer_.commit();
    record_.bytes = writer_.size();
    record_.sha256 = whole_.finish_hex();
    return std::move(record_);
  }

 private:
  void close_section() {
    if (!open_) return;
    record_.sections.back().end = writer_.size();
    record_.sections.back().sha256 = part_.finish_hex();
    open_ = false;
  }

  FileWriter writer_;
  FileRecord record_;
  Sha256 whole_;
  Sha256 part_;
  bool open_ = false;
};

void check_sources(std::int64_t step, std::span<const FileSource> files) {
  const auto refuse = [](const std::string& rule) {
    throw Error(ExitCode::kInternal, "[save_checkpoint] " + rule + ".");
  };
  if (step < 0) refuse(fmt::format("the step must not be negative; got {}", step));
  if (files.empty()) refuse("a checkpoint must have files; got none");
  std::vector<std::string_view> names;
  for (const FileSource& file : files) {
    if (!valid_file_name(file.name)) refuse("file names must be plain; got " + detail::shown(file.name));
    names.push_back(file.name);
  }
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) != names.end()) refuse("every file must stand once (duplicate)");
}

// Data, whole blocks, and room for manifest and directories.
std::uint64_t needed_bytes(std::span<const FileSource> files) {
  constexpr std::uint64_t kBlock = 4096;
  std::uint64_t needed = 16 * kBlock;
  for (const FileSource& file : files) {
    if (__builtin_add_overflow(needed, file.bytes, &needed) || __builtin_add_overflow(needed, kBlock, &needed)) {
      return UINT64_MAX;
    }
  }
  return needed;
}

// @return the manifest text of the finished directory.
std::string write_directory(const std::filesystem::path& directory, std::int64_t step,
                            std::span<const FileSource> files) {
  Manifest manifest;
  manifest.step = step;
  for (const FileSource& file : files) {
    RecordingSink sink(directory, file.name);
    file.writer(sink);
    manifest.files.push_back(sink.commit());
  }
  std::string text = manifest_text(manifest);
  FileWriter writer(directory / detail::kManifestName);
  writer.write(text);
  writer.commit();
  sync_directory(directory);
  return text;
}

// Gives both names each other's directory at one instant. @return false where the file system cannot
bool exchange(const std::filesystem::path& a, const std::filesystem::path& b) {
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
}

// Moves a damaged checkpoint out of the way; it is kept for whoever wants to look at it.
void move_aside(const std::filesystem::path& directory, std::vector<std::string>& warnings) {
  for (int number = 1;; ++number) {
    const std::filesystem::path aside = fmt::format("{}.damaged-{}", directory.string(), number);
    if (path_exists(aside)) continue;
    rename_path(directory, aside);
    warnings.push_back(fmt::format("a damaged checkpoint was moved to '{}'", aside.string()));
    return;
  }
}

// Replaces a whole checkpoint of the same step whose bytes differ. The old one goes when the new one is durable.
void replace(OwnTemporary& fresh, const std::filesystem::path& directory) {
  const std::filesystem::path parent = directory.parent_path();
  if (exchange(fresh.path(), directory)) {
    try {
      sync_directory(parent);
    } catch (...) {
      (void)exchange(fresh.path(), directory);  // the old one comes back, the new one is removed
      throw;
    }
    return;
  }
  OwnTemporary old = OwnTemporary::from_existing(directory);
  try {
    rename_path(fresh.path(), directory);
  } catch (...) {
    if (::rename(old.path().c_str(), directory.c_str()) == 0) old.keep();
    throw;
  }
  fresh.keep();
  sync_directory(parent);
}

void publish(OwnTemporary& fresh, const std::filesystem::path& directory, const std::string& text,
             std::vector<std::string>& warnings) {
  if (path_exists(directory)) {
    const VerifyReport old = verify_checkpoint(directory);
    if (old.ok() && manifest_text(*old.manifest) == text) return sync_directory(directory.parent_path());
    if (old.ok()) return replace(fresh, directory);
    move_aside(directory, warnings);
  }
  rename_path(fresh.path(), directory);
  fresh.keep();
  sync_directory(directory.parent_path());
}

}  // namespace

SaveResult save_checkpoint(const std::filesystem::path& run_dir, std::int64_t step, std::span<const FileSource> files,
                           const SaveOptions& options) {
  check_sources(step, files);
  const std::filesystem::path parent = detail::checkpoints_dir(run_dir);
  make_directories(parent);
  detail::remove_stale_temporaries(parent);
  detail::remove_stale_temporaries(run_dir);
  require_free_disk(parent, needed_bytes(files));
  SaveResult result;
  result.directory = checkpoint_directory(run_dir, step);
  {
    OwnTemporary fresh = OwnTemporary::directory_in(parent);
    const std::string text = write_directory(fresh.path(), step, files);
    publish(fresh, result.directory, text, result.warnings);
  }
  write_file_atomic(run_dir / "latest", detail::step_name(step) + "\n");
  result.removed = detail::rotate(run_dir, step, options.keep, options.resumed_step, result.warnings);
  return result;
}

}  // namespace minnow
