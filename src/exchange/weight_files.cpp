#include "minnow/exchange/weight_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "exchange/number_types.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/file.hpp"

namespace minnow::exchange {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOneFile = "model.safetensors";
constexpr const char* kIndexFile = "model.safetensors.index.json";

[[noreturn]] void refuse_weights(const fs::path& folder, const std::string& rule) {
  throw CheckpointError(fmt::format("[model folder] {}: {}", folder.string(), rule));
}

/// What lies there in place of what minnow reads.
std::string weights_hint(const fs::path& folder) {
  for (const char* old : {"pytorch_model.bin", "pytorch_model.bin.index.json", "tf_model.h5", "flax_model.msgpack"}) {
    if (!path_exists(folder / old)) continue;
    return fmt::format(
        "{} is there instead. Hint: in Python, "
        "AutoModelForCausalLM.from_pretrained(FOLDER).save_pretrained(OTHER) writes safetensors",
        old);
  }
  return "neither is there";
}

/// Holds the files against the index: every tensor where it says, and no other.
void check_index(const fs::path& folder, const WeightMap& map, const std::vector<std::string>& names,
                 const std::vector<SafetensorsFile>& files) {
  std::map<std::string_view, std::string_view> wanted(map.begin(), map.end());
  for (const auto& [tensor, file] : map) {
    const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), file) - names.begin());
    if (files[at].header().find(tensor) == nullptr) {
      refuse_weights(folder, fmt::format("{} must hold {}, as {} says; it does not", file, tensor, kIndexFile));
    }
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (const TensorEntry& entry : files[i].header().tensors) {
      const auto found = wanted.find(entry.name);
      if (found != wanted.end() && found->second == names[i]) continue;
      refuse_weights(folder, fmt::format("{} must hold only what {} names for it; got {}{}", names[i], kIndexFile,
                                         entry.name, found == wanted.end() ? "" : ", which has another place"));
    }
  }
}

}  // namespace

WeightFiles WeightFiles::open(const fs::path& folder) {
  WeightFiles opened;
  if (path_exists(folder / kOneFile)) {
    opened.names_.emplace_back(kOneFile);
    opened.files_.push_back(SafetensorsFile::open(folder / kOneFile));
    return opened;
  }
  if (!path_exists(folder / kIndexFile)) {
    refuse_weights(folder, fmt::format("the weights must lie in {}, or in files that {} names; {}", kOneFile,
                                       kIndexFile, weights_hint(folder)));
  }
  const WeightMap map = read_weight_map(read_file(folder / kIndexFile, kMaxIndexBytes), (folder / kIndexFile).string());
  for (const auto& [tensor, file] : map) opened.names_.push_back(file);
  std::sort(opened.names_.begin(), opened.names_.end());
  opened.names_.erase(std::unique(opened.names_.begin(), opened.names_.end()), opened.names_.end());
  for (const std::string& name : opened.names_) {
    if (!path_exists(folder / name)) {
      refuse_weights(folder, fmt::format("every file that {} names must be there; {} is not", kIndexFile, name));
    }
    opened.files_.push_back(SafetensorsFile::open(folder / name));
  }
  check_index(folder, map, opened.names_, opened.files_);
  return opened;
}

std::vector<WeightFiles::Place> WeightFiles::places() const {
  std::vector<Place> places;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    for (const TensorEntry& entry : files_[i].header().tensors) places.push_back({&entry, i});
  }
  return places;
}

void WeightFiles::read_f32(const Place& place, std::span<float> target) const {
  const TensorEntry& entry = *place.entry;
  const SafetensorsFile& file = files_[place.file];
  if (entry.dtype == FileDtype::kF32) return file.read(entry, std::as_writable_bytes(target));
  constexpr std::size_t kPiece = std::size_t{1} << 18U;  // numbers
  const std::size_t size = dtype_bits(entry.dtype) / 8;
  std::vector<std::byte> bytes(std::min(target.size(), kPiece) * size);
  for (std::size_t at = 0; at < target.size(); at += kPiece) {
    const std::size_t count = std::min(kPiece, target.size() - at);
    const std::span<std::byte> part(bytes.data(), count * size);
    file.read_part(entry, at * size, part);
    to_f32(entry.dtype, part, target.subspan(at, count));
  }
}

}  // namespace minnow::exchange
