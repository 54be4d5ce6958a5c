#pragma once
/// @file
/// Sums the columns of a matrix: gradients of what was added to every row.

#include "minnow/base/parallel.hpp"

namespace minnow::kernels {

/// y[j] = factor * (sum over i of x[i, j]), or y[j] += that.
template <class T>
struct ColumnSum {
  const T* x = nullptr;  ///< (rows, n), contiguous
  Index rows = 0;
  Index n = 0;
  T* y = nullptr;  ///< (n)
  bool add = false;
  T factor = 1;
};

/// Computes one sum. Rows are added in blocks, in order. Accuracy: within about (32 + rows / 32) eps of the sum of |x|.
/// Threads: same bits at any count; strips of 128 columns are the tasks. Instantiated for float and double.
template <class T>
void sum_columns(const ColumnSum<T>& sum);

}  // namespace minnow::kernels
