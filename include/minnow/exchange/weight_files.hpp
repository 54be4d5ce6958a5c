#pragma once
/// @file
/// The weights of a folder: one safetensors file, or several with an index.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "minnow/io/safetensors.hpp"

namespace minnow::exchange {

/// Longest index that is looked at, in bytes, and most files that it may name.
inline constexpr std::size_t kMaxIndexBytes = std::size_t{16} << 20U;
inline constexpr std::size_t kMaxShards = 10'000;

/// What a model.safetensors.index.json says: tensor and file, by tensor.
using WeightMap = std::vector<std::pair<std::string, std::string>>;

/// Reads an index. Every file is a plain name of the same folder: no directories, nothing above it.
/// @param who the file's name, for messages
/// Throws: CheckpointError when the text is no index, names a tensor twice, or a file that is no plain `*.safetensors`.
[[nodiscard]] WeightMap read_weight_map(std::string_view text, std::string_view who = "model.safetensors.index.json");

/// The tensors of a folder, wherever they lie.
class WeightFiles {
 public:
  /// Opens model.safetensors, or else all files of model.safetensors.index.json. Reads headers only.
  /// Throws: CheckpointError when neither is there, a file of the index is missing, or index and files disagree.
  [[nodiscard]] static WeightFiles open(const std::filesystem::path& folder);

  /// One tensor and the file that it lies in.
  struct Place {
    const TensorEntry* entry = nullptr;
    std::size_t file = 0;
  };
  /// @return all tensors, file by file. The entries live as long as this object.
  [[nodiscard]] std::vector<Place> places() const;
  /// @return the name of a file, for messages.
  [[nodiscard]] const std::string& file_name(std::size_t file) const { return names_[file]; }

  /// Reads a tensor of F32, F16, BF16 or F64 as f32 (F64 rounded to nearest); other types are the caller's fault.
  /// @param target as many numbers as it has. Throws: IoError.
  void read_f32(const Place& place, std::span<float> target) const;

 private:
  std::vector<std::string> names_;
  std::vector<SafetensorsFile> files_;
};

}  // namespace minnow::exchange
