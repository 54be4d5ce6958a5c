#pragma once
/// @file
/// Products by oneDNN's matmul, serially, by primitives that each thread keeps.

#include <string>

#include "kernels/tile_product.hpp"

namespace minnow::kernels {

/// What oneDNN can do here, found out once by making two small products.
struct OnednnAbility {
  bool usable = false;
  std::string refusal;      ///< why it is not: "[gemm] ..." with a hint
  std::string description;  ///< version and kernels: "2.6.3, brg:avx512_core"
  bool bf16 = false;        ///< it multiplies bf16 numbers on this processor
};

/// Loads oneDNN at the first call.
const OnednnAbility& onednn_ability();

/// One product in f32, or with factors rounded to bf16 where onednn_ability() has that. Bits depend on sizes, leading
/// dimensions and numbers alone. What oneDNN has no kernel for goes to OpenBLAS.
/// @throws MemoryError
void multiply_onednn(const TileProduct<float>& product);

}  // namespace minnow::kernels
