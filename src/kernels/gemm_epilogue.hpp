#pragma once
/// @file
/// The epilogue of products on a part of C, in vector code.

#include "minnow/kernels/gemm.hpp"

namespace minnow::kernels {

/// Rows [row, row + rows) and columns [col, col + cols) of a matrix.
struct GemmPart {
  Index row, col, rows, cols;
};

/// @return the epilogue as it looks from element (row, col) of C.
template <class T>
GemmEpilogue<T> epilogue_at(GemmEpilogue<T> e, Index row, Index col) {
  if (e.bias != nullptr) e.bias += col;
  if (e.slope != nullptr) e.slope += row * e.ld_slope + col;
  if (e.residual != nullptr) e.residual += row * e.ld_residual + col;
  return e;
}

/// z = C + bias; C = activation(z) + residual on `part` of C, activation'(z) stored where the epilogue wants it.
/// Serial.
template <class T>
void finish_part(const GemmEpilogue<T>& epilogue, T* c, Index ldc, const GemmPart& part);

}  // namespace minnow::kernels
