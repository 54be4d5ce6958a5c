#pragma once
/// @file
/// Numbers the random streams of a model, so that no two uses share numbers.

#include <cstdint>

#include "minnow/base/parallel.hpp"
#include "minnow/base/philox.hpp"

namespace minnow {

inline constexpr std::uint32_t kStreamInit = 0x696E0000;     ///< + position of the parameter in its list
inline constexpr std::uint32_t kStreamDropout = 0x64720000;  ///< + number of the dropout site
inline constexpr std::uint32_t kStreamSample = 0x73610000;   ///< + number of the sample drawn

/// What a forward pass must know beside its inputs.
struct ForwardMode {
  bool training = false;     ///< dropout is on
  std::uint64_t seed = 0;    ///< of the run
  std::uint64_t step = 0;    ///< optimizer step, for dropout
  Index first_sequence = 0;  ///< index of row 0 in the global batch, for dropout

  /// @return the key of one dropout site.
  [[nodiscard]] RandomKey dropout_key(Index site) const {
    return {.seed = seed, .stream = kStreamDropout + static_cast<std::uint32_t>(site), .step = step};
  }
};

}  // namespace minnow
