#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/checkpoint_names.hpp"
#include "io/json_text.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/sha256.hpp"
#include "minnow/io/checkpoint.hpp"

namespace minnow {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;
constexpr int kMostNamed = 8;  // damaged sections of one file that are named one by one

// @return the SHA-256 of the bytes [begin, end) of a file.
std::string hash_range(const FileReader& reader, std::uint64_t begin, std::uint64_t end) {
  Sha256 hash;
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, end - begin)));
  while (begin < end) {
    const auto bytes =
        std::span(piece).first(static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), end - begin)));
    reader.read_at(begin, bytes);
    hash.update(bytes);
    begin += bytes.size();
  }
  return hash.finish_hex();
}

void check_file(const std::filesystem::path& directory, const FileRecord& file, std::vector<std::string>& problems) {
  const FileReader reader(directory / file.name);
  if (reader.size() == file.bytes && hash_range(reader, 0, file.bytes) == file.sha256) return;
  detail::find_damage(directory, file, problems);
}

}  // namespace

void detail::find_damage(const std::filesystem::path& directory, const FileRecord& file,
                         std::vector<std::string>& problems) {
  const FileReader reader(directory / file.name);
  const std::size_t before = problems.size();
  if (reader.size() != file.bytes) {
    problems.push_back(fmt::format("{}: has {} bytes, must have {}", file.name, reader.size(), file.bytes));
  }
  int damaged = 0;
  for (const Section& section : file.sections) {
    const bool cut = section.end > reader.size();
    if (!cut && hash_range(reader, section.begin, section.end) == section.sha256) continue;
    if (++damaged > kMostNamed) continue;
    problems.push_back(fmt::format("{}: section {} (bytes {} to {}) is {}", file.name, shown(section.name),
                                   section.begin, section.end, cut ? "cut off" : "damaged"));
  }
  if (damaged > kMostNamed) {
    problems.push_back(fmt::format("{}: {} more sections are damaged", file.name, damaged - kMostNamed));
  }
  if (problems.size() == before) problems.push_back(fmt::format("{}: its hash is not that of the manifest", file.name));
}

std::string VerifyReport::text() const { return fmt::format("{}", fmt::join(problems, "; ")); }

VerifyReport verify_checkpoint(const std::filesystem::path& directory) {
  VerifyReport report;
  try {
    report.manifest = detail::read_manifest(directory);
  } catch (const Error& error) {
    report.problems.push_back(fmt::format("{}: {}", detail::kManifestName, error.what()));
    return report;
  }
  for (const FileRecord& file : report.manifest->files) {
    try {
      check_file(directory, file, report.problems);
    } catch (const Error& error) {
      report.problems.push_back(fmt::format("{}: {}", file.name, error.what()));
    }
  }
  return report;
}

}  // namespace minnow
