#pragma once
/// @file
/// Products of f32 matrices on AVX-512, in f32 or with operands rounded to bf16: packed strips, a register tile of
/// 14 x 32, epilogues left to the caller.

#include "kernels/tile_product.hpp"

namespace minnow::kernels {

/// @return whether the processor has what the product needs.
[[nodiscard]] bool has_avx512_gemm(GemmPrecision precision);

/// Computes C = alpha op(A) op(B) + beta C, serially, with buffers that the thread keeps (about 1.1 MB). beta is 0
/// or 1. Each element is the sum over k in order, in blocks of 384 lanes: its bits do not depend on m, n, the
/// place in C or the other elements.
void multiply_avx512(const TileProduct<float>& product);

/// Packs op(B) (k, n) of a product as strips, one after the other; k is at most a block.
void pack_strips_avx512(const TileProduct<float>& product, std::uint32_t* to);

/// Packs one strip of a PackedMatrix: rows [0, width) of b, elements [0, k) of each.
void pack_strip_avx512(const float* b, Index ldb, Index width, Index k, GemmPrecision precision, void* to);

}  // namespace minnow::kernels
