#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "io/json_text.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/safetensors.hpp"

namespace minnow {

SafetensorsFile SafetensorsFile::open(const std::filesystem::path& path) {
  SafetensorsFile file;
  file.who_ = path.string();
  auto reader = std::make_shared<FileReader>(path);
  std::vector<std::byte> prefix(static_cast<std::size_t>(std::min<std::uint64_t>(reader->size(), 8)));
  reader->read_at(0, prefix);
  std::uint64_t length = 0;
  if (prefix.size() == 8) std::memcpy(&length, prefix.data(), sizeof(length));
  if (length <= kMaxSafetensorsHeader && length <= reader->size() - prefix.size()) {
    prefix.resize(prefix.size() + static_cast<std::size_t>(length));
    reader->read_at(0, prefix);
  }
  file.header_ = parse_safetensors_header(prefix, reader->size(), file.who_);
  file.file_ = std::move(reader);
  return file;
}

SafetensorsFile SafetensorsFile::from_bytes(std::span<const std::byte> bytes, std::string_view who) {
  SafetensorsFile file;
  file.who_ = who;
  file.header_ = parse_safetensors_header(bytes, bytes.size(), who);
  file.memory_ = bytes;
  return file;
}

const TensorEntry& SafetensorsFile::at(std::string_view name) const {
  if (const TensorEntry* entry = header_.find(name)) return *entry;
  const std::string first = header_.tensors.empty() ? "none" : detail::shown(header_.tensors.front().name);
  throw CheckpointError(
      fmt::format("[safetensors] '{}' must hold a tensor {}; got {} tensors, the first is {}. Hint: list them with "
                  "`minnow inspect`.",
                  who_, detail::shown(name), header_.tensors.size(), first));
}

void SafetensorsFile::read(const TensorEntry& entry, std::span<std::byte> target) const {
  if (target.size() != entry.bytes()) {
    throw ShapeError(fmt::format("[safetensors] the target of {} must have {} bytes; got {}.",
                                 detail::shown(entry.name), entry.bytes(), target.size()));
  }
  read_part(entry, 0, target);
}

void SafetensorsFile::read_part(const TensorEntry& entry, std::uint64_t offset, std::span<std::byte> target) const {
  if (offset > entry.bytes() || target.size() > entry.bytes() - offset) {
    throw ShapeError(fmt::format("[safetensors] a part of {} must end within its {} bytes; got {} bytes from {} on.",
                                 detail::shown(entry.name), entry.bytes(), target.size(), offset));
  }
  if (target.empty()) return;
  if (file_) return file_->read_at(entry.begin + offset, target);
  std::memcpy(target.data(), memory_.data() + entry.begin + offset, target.size());
}

std::vector<std::byte> SafetensorsFile::read(const TensorEntry& entry) const {
  std::vector<std::byte> bytes(static_cast<std::size_t>(entry.bytes()));
  read(entry, bytes);
  return bytes;
}

}  // namespace minnow
