#pragma once
/// @file
/// Products that are too small to pack, such as those of attention in short documents.

#include "kernels/tile_product.hpp"

namespace minnow::kernels {

/// @return whether multiply_small_avx512 takes this product.
[[nodiscard]] bool is_small_avx512(const TileProduct<float>& product);

/// Computes the product, without its epilogue, with the bits of larger ones.
void multiply_small_avx512(const TileProduct<float>& product);

}  // namespace minnow::kernels
