#pragma once
/// @file
/// Numbers the random streams of a model, so that no two uses share numbers.

#include <cstdint>

#include "minnow/base/parallel.hpp"
#include "minnow/base/philox.hpp"
#include "minnow/tensor/tensor.hpp"

namespace minnow {

inline constexpr std::uint32_t kStreamInit = 0x696E0000;     ///< + position of the parameter in its list
inline constexpr std::uint32_t kStreamDropout = 0x64720000;  ///< + number of the dropout site
inline constexpr std::uint32_t kStreamSample = 0x73610000;   ///< + number of the sample drawn

/// Sequences that follow each other in one row of tokens (1, N), without padding between them.
struct Sequences {
  Tensor borders = {};    ///< (S + 1) i64: sequence s is positions borders[s] .. borders[s + 1] - 1; undefined: none
  Tensor places = {};     ///< (1, N) i32: position of each token within its sequence
  Index longest = 0;      ///< no sequence is longer; the same for all parts of a step, since dropout counts by it
  Index first_token = 0;  ///< tokens of the global batch before this row, for dropout

  [[nodiscard]] bool defined() const { return borders.defined(); }
};

/// What a forward pass must know beside its inputs.
struct ForwardMode {
  bool training = false;     ///< dropout is on
  std::uint64_t seed = 0;    ///< of the run
  std::uint64_t step = 0;    ///< optimizer step, for dropout
  Index first_sequence = 0;  ///< index of row 0, or of the first of `sequences`, in the global batch, for dropout
  Sequences sequences = {};  ///< where sequences lie when they follow each other; undefined: each row is one

  /// @return the key of one dropout site.
  [[nodiscard]] RandomKey dropout_key(Index site) const {
    return {.seed = seed, .stream = kStreamDropout + static_cast<std::uint32_t>(site), .step = step};
  }
};

}  // namespace minnow
