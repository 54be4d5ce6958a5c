#pragma once
/// @file
/// Tells before a run how much memory it takes, and refuses one that does not fit.

#include <cstdint>
#include <string>

#include "minnow/config/config.hpp"
#include "minnow/io/memory.hpp"

namespace minnow {

/// Bytes that training adds to the process, as doubles: absurd sizes must not overflow.
struct MemoryEstimate {
  double parameters = 0;   ///< values
  double gradients = 0;    ///< one buffer per level of the tree of leaves
  double optimizer = 0;    ///< two moments of AdamW
  double activations = 0;  ///< forward and backward of one leaf, and the token ids of the batch
  double evaluation = 0;   ///< forward of one evaluation batch, or the caches of the samples: the larger one

  [[nodiscard]] double total() const { return parameters + gradients + optimizer + activations + evaluation; }
  /// @return one line: the total and its parts.
  [[nodiscard]] std::string text() const;
};

/// @return how many numbers the model of `config` learns, without making it.
[[nodiscard]] double count_parameters(const ModelConfig& config, std::int64_t vocab_size);

/// Counts tensors by their shapes; src/train/memory_estimate.cpp says which. Nothing is allocated.
/// @param val_windows windows of the validation split, the most that an evaluation batch can hold
[[nodiscard]] MemoryEstimate estimate_memory(const Config& config, std::int64_t vocab_size, std::int64_t val_windows);

/// Throws: MemoryError with the parts and the limit when `estimate` is above what is available.
void require_memory(const MemoryEstimate& estimate, const AvailableMemory& available);

}  // namespace minnow
