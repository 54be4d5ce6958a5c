#pragma once
/// @file
/// Sums the columns of a matrix strip by strip, so that strips can be tasks among others.

#include "minnow/kernels/column_sum.hpp"

namespace minnow::kernels {

/// Columns of a strip: 512 bytes of f32, so that a row gives whole cache lines.
inline constexpr Index kStripColumns = 128;

inline Index column_strips(Index n) { return (n + kStripColumns - 1) / kStripColumns; }

/// Sums the columns of one strip. Serial.
void sum_column_strip(const ColumnSum<float>& sum, Index strip);
void sum_column_strip(const ColumnSum<double>& sum, Index strip);

}  // namespace minnow::kernels
