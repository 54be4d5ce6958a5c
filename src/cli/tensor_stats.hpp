#pragma once
/// @file
/// Reads the numbers of a tensor in a file, whatever their type, and sums them up.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "minnow/io/safetensors.hpp"

namespace minnow::cli {

/// What the numbers of a tensor look like. Numbers that are not finite are counted and left out of the rest.
struct TensorStats {
  double min = 0, max = 0, mean = 0, std = 0;  ///< std: with divisor n
  std::int64_t finite = 0;                     ///< numbers that min, max, mean and std are of; 0: they are all 0
  std::int64_t not_finite = 0;                 ///< NaN and infinities
};

/// @return whether value_at reads this type: bool, integers, F16, BF16, F32, F64. (Not F4, F6, F8, complex.)
[[nodiscard]] bool readable(FileDtype dtype);

/// @return element `index` of a tensor's little-endian bytes. 64-bit integers are rounded to a double.
[[nodiscard]] double value_at(FileDtype dtype, std::span<const std::byte> bytes, std::size_t index);

/// @return element `index` as text that gives the number back: "0.1", "-7", "true".
[[nodiscard]] std::string text_at(FileDtype dtype, std::span<const std::byte> bytes, std::size_t index);

/// Two passes in double: the mean, then the deviations from it. Nothing for types that are not readable. The tensor is
/// read in pieces, it may be larger than the memory.
[[nodiscard]] std::optional<TensorStats> tensor_stats(const SafetensorsFile& file, const TensorEntry& entry);

/// The same for numbers in memory.
[[nodiscard]] std::optional<TensorStats> tensor_stats(FileDtype dtype, std::span<const std::byte> bytes);

/// Calls `use(piece)` for the first `bytes` bytes of a tensor, in pieces of whole elements.
void for_each_piece(const SafetensorsFile& file, const TensorEntry& entry, std::uint64_t bytes,
                    const std::function<void(std::span<const std::byte>)>& use);

/// @return elements of a tensor of this shape.
[[nodiscard]] std::int64_t element_count(std::span<const std::int64_t> shape);

}  // namespace minnow::cli
