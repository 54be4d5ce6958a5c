#pragma once
/// @file
/// Products C = A B^T of few rows on AVX-512, for models that write: each weight is read once, in the order in which it
/// is stored, and no packed copy is made on the way.

#include "kernels/tile_product.hpp"

namespace minnow::kernels {

constexpr Index kThinRows = 8;    ///< rows of A that are multiplied without packing B
constexpr Index kThinStrip = 32;  ///< columns of C that are summed side by side

/// @return whether multiply_thin_avx512 does this product.
[[nodiscard]] inline bool is_thin_avx512(const TileProduct<float>& x) {
  return x.trans_b && !x.trans_a && x.m <= kThinRows;
}

/// Computes the columns of C in whole strips (all columns if B is packed), with the bits that multiply_avx512 gives
/// them in any other product. @return how many columns that are.
Index multiply_thin_avx512(const TileProduct<float>& product);

}  // namespace minnow::kernels
