#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "io/checkpoint_names.hpp"
#include "io/json_text.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/sha256.hpp"
#include "minnow/io/checkpoint.hpp"

namespace minnow {

Checkpoint Checkpoint::open(const std::filesystem::path& directory) {
  Checkpoint checkpoint;
  checkpoint.directory_ = directory;
  checkpoint.manifest_ = detail::read_manifest(directory);
  return checkpoint;
}

const FileRecord& Checkpoint::record(std::string_view file) const {
  if (const FileRecord* found = manifest_.find(file)) return *found;
  throw CheckpointError(
      fmt::format("[checkpoint] '{}' must hold {}; its manifest names no such file. Hint: was it made "
                  "by another program?",
                  directory_.string(), detail::shown(file)));
}

std::string Checkpoint::read(std::string_view file) const {
  const FileRecord& known = record(file);
  const FileReader reader(directory_ / known.name);
  std::string content;
  if (reader.size() == known.bytes) {
    content.resize(static_cast<std::size_t>(known.bytes));
    reader.read_at(0, std::as_writable_bytes(std::span(content)));
    if (sha256_hex(content) == known.sha256) return content;
  }
  std::vector<std::string> problems;
  detail::find_damage(directory_, known, problems);
  throw CheckpointError(
      fmt::format("[checkpoint] '{}' must be as it was saved; got: {}. Hint: use an older checkpoint.",
                  directory_.string(), fmt::join(problems, "; ")));
}

void Checkpoint::read_section(const FileRecord& file, const Section& section, std::span<std::byte> target) const {
  const FileReader reader(directory_ / file.name);
  const bool whole = reader.size() == file.bytes;
  if (whole) reader.read_at(section.begin, target);
  if (whole && sha256_hex(target) == section.sha256) return;
  throw CheckpointError(
      fmt::format("[checkpoint] section {} of {} in '{}' must be as it was saved; got {}. Hint: use an "
                  "older checkpoint.",
                  detail::shown(section.name), file.name, directory_.string(),
                  whole ? "other bytes" : fmt::format("a file of {} bytes instead of {}", reader.size(), file.bytes)));
}

SafetensorsHeader Checkpoint::header(std::string_view file) const {
  const FileRecord& known = record(file);
  if (known.sections.empty() || known.sections.front().end > kMaxSafetensorsHeader + 8) {
    throw CheckpointError(
        fmt::format("[checkpoint] {} in '{}' must be a safetensors file; its manifest shows no header.",
                    detail::shown(file), directory_.string()));
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(known.sections.front().end));
  read_section(known, known.sections.front(), bytes);
  return parse_safetensors_header(bytes, known.bytes, (directory_ / known.name).string());
}

void Checkpoint::read_tensor(std::string_view file, const TensorEntry& entry, std::span<std::byte> target) const {
  const FileRecord& known = record(file);
  if (target.size() != entry.bytes()) {
    throw ShapeError(fmt::format("[checkpoint] the target of {} must have {} bytes; got {}.", detail::shown(entry.name),
                                 entry.bytes(), target.size()));
  }
  const auto section = std::lower_bound(
      known.sections.begin(), known.sections.end(), entry,
      [](const Section& a, const TensorEntry& b) { return std::tie(a.begin, a.end) < std::tie(b.begin, b.end); });
  if (section == known.sections.end() || section->begin != entry.begin || section->end != entry.end) {
    throw CheckpointError(
        fmt::format("[checkpoint] tensor {} of {} in '{}' must be a section of the manifest; got none.",
                    detail::shown(entry.name), known.name, directory_.string()));
  }
  read_section(known, *section, target);
}

std::optional<Checkpoint> open_newest_valid(const std::filesystem::path& run_dir, std::vector<std::string>& warnings) {
  const std::vector<CheckpointInfo> list = list_checkpoints(run_dir);
  if (list.empty()) return std::nullopt;
  for (auto at = list.rbegin(); at != list.rend(); ++at) {
    const VerifyReport report = verify_checkpoint(at->directory);
    if (report.ok()) return Checkpoint::open(at->directory);
    warnings.push_back(fmt::format("checkpoint of step {} skipped (kept on the disk): {}", at->step, report.text()));
  }
  throw CheckpointError(
      fmt::format("[checkpoint] '{}' must hold a whole checkpoint; all {} are damaged: {}. Hint: run "
                  "`minnow inspect` on them, or start anew with --overwrite.",
                  run_dir.string(), list.size(), fmt::join(warnings, "; ")));
}

}  // namespace minnow
