#pragma once
/// @file
/// Tells before a run how much memory it takes, and refuses one that does not fit.

#include <array>
#include <cstdint>
#include <string>

#include "minnow/config/config.hpp"
#include "minnow/io/memory.hpp"

namespace minnow {

/// One line of the table "memory by part".
struct MemoryPart {
  const char* name;  ///< of the member of MemoryEstimate
  double bytes;
};

/// Bytes that a training process holds at its peak, as doubles: absurd sizes must not overflow.
struct MemoryEstimate {
  double parameters = 0;   ///< values
  double gradients = 0;    ///< one buffer per level of the tree of leaves
  double optimizer = 0;    ///< its buffers, two with AdamW, and the averaged weights
  double activations = 0;  ///< the arena: what forward and backward of one leaf hold, without the logits
  double logits = 0;       ///< scores of one chunk of rows, where they come on top of the activations' peak
  double data = 0;         ///< tokens of the splits, ids of a batch and of a leaf
  double evaluation = 0;   ///< forward of one evaluation batch, or the caches of the samples: the larger one
  double fragments = 0;    ///< gaps in the heap while the first step or evaluation runs on it, beyond the other parts
  double process = 0;      ///< program, libraries, and their buffers per thread

  /// @return every part by name, in the order above.
  [[nodiscard]] std::array<MemoryPart, 9> parts() const;
  [[nodiscard]] double total() const;
  /// @return one line: the total and its parts.
  [[nodiscard]] std::string text() const;
};

/// @return how many numbers the model of `config` learns, without making it.
[[nodiscard]] double count_parameters(const ModelConfig& config, std::int64_t vocab_size);

/// Counts tensors by their shapes; src/train/memory_estimate.cpp says which. Nothing is allocated.
/// @param val_windows windows of the validation split, the most that an evaluation batch can hold
/// @param data_bytes of the tokens in memory (files of token ids are mapped and count as 0)
[[nodiscard]] MemoryEstimate estimate_memory(const Config& config, std::int64_t vocab_size, std::int64_t val_windows,
                                             double data_bytes = 0);

/// Throws: MemoryError with the parts and the limit when what training adds to the process, all parts but that one, is
/// above what is available.
void require_memory(const MemoryEstimate& estimate, const AvailableMemory& available);

}  // namespace minnow
