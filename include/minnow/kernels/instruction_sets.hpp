#pragma once
/// @file
/// Says for which instruction sets the vector kernels were built, and which of them this processor has.

#include <cstddef>
#include <span>
#include <string_view>

namespace minnow::kernels {

/// One instruction set for which the kernels were built.
struct InstructionSet {
  std::string_view name;   ///< "AVX-512", "AVX2", "SSE4", "NEON", ...; "scalar" for the portable form
  bool supported = false;  ///< this processor has it
  bool used = false;       ///< kernels run with it: the best that is supported
};

/// @return all that were built, the best one first.
[[nodiscard]] std::span<const InstructionSet> instruction_sets();

}  // namespace minnow::kernels
