#pragma once
/// @file
/// Products by OpenBLAS.

#include "kernels/tile_product.hpp"

namespace minnow::kernels {

/// One product by cblas_sgemm or cblas_dgemm; the precision is not looked at.
void multiply_blas(const TileProduct<float>& product);
void multiply_blas(const TileProduct<double>& product);

}  // namespace minnow::kernels
