#pragma once
/// @file
/// The one door to the products of single tiles: serial, row-major, by whoever gemm_backend() names. Called inside a
/// parallel region of ours only: BLAS, called outside one or in a team of one that has not run omp_set_num_threads(1),
/// may open a team of its own.

#include <cstdint>

#include "minnow/kernels/gemm.hpp"

namespace minnow::kernels {

class PackedMatrix;

/// op(B) (k, n) of products that share it, packed once for all of them: strips of 32 columns, [lane][32]. A lane is one
/// f32, or two bf16 that follow each other along k.
struct PackedStrips {
  const std::uint32_t* data = nullptr;  ///< null: not packed
  Index lanes = 0;                      ///< of a strip; a product may take fewer, the first ones
};

/// One product C = alpha op(A) op(B) + beta C, and the epilogue, row-major. Sizes and leading dimensions fit int; none
/// is 0.
template <class T>
struct TileProduct {
  bool trans_a = false, trans_b = false;
  Index m, n, k;
  T alpha = 1;
  const T* a;
  Index lda;
  const T* b;
  Index ldb;
  T beta = 0;
  T* c;
  Index ldc;
  GemmPrecision precision = GemmPrecision::kF32;  ///< of f32
  const PackedMatrix* packed = nullptr;           ///< read instead of b when not null
  Index packed_column = 0;                        ///< of the tile's first column in it, a multiple of a strip
  PackedStrips strips = {};                       ///< read instead of b where it is there; k is at most one block
  GemmEpilogue<T> epilogue = {};                  ///< of this tile: its pointers belong to the tile's first element
};

/// Computes one product.
void multiply(const TileProduct<float>& product);
void multiply(const TileProduct<double>& product);

/// @return lanes of 32 bits that pack_strips writes for op(B) (k, n); 0 where it can't be packed: the backend packs for
/// itself, or k is more than a block of lanes.
[[nodiscard]] Index strip_lanes(GemmPrecision precision, Index k, Index n);

/// Packs b of a product for many; m, a and c are not read. @param to strip_lanes(...) lanes, 64-byte aligned
PackedStrips pack_strips(const TileProduct<float>& product, std::uint32_t* to);

/// bf16 where no instruction does it: the factors are rounded, then multiplied in f32, where products of two bf16
/// numbers are exact. Panel by panel, so that the buffers do not grow with the product.
void multiply_rounded(const TileProduct<float>& product);

/// @return who multiplies matrices of T.
template <class T>
[[nodiscard]] GemmBackend backend_for() {
  return sizeof(T) == sizeof(float) ? gemm_backend() : GemmBackend::kOpenblas;
}

/// Before a region that calls BLAS: keeps the pthread flavour of OpenBLAS off its own pool, for programs that never
/// called set_threads, and makes sure that there is room for OpenBLAS's buffers. Cheap when done.
/// @throws MemoryError when there is none.
void prepare_blas();

}  // namespace minnow::kernels
