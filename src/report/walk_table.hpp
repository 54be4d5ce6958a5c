#pragma once
/// @file
/// Picks the few numbers of a tensor that a walk shows.

#include <string>
#include <string_view>
#include <vector>

#include "minnow/report/walk.hpp"

namespace minnow {

/// A corner of a tensor.
struct WalkTable {
  std::vector<std::string> rows, columns;  ///< labels
  std::vector<std::vector<double>> cells;  ///< one per row and column
  double largest = 0;                      ///< of the cells that are finite, by size
  std::string note;                        ///< what part of the tensor this is; empty when it is all
};

/// @return the first rows and columns of `numbers`, of its first head where it has some. Where all are small or large,
/// they are divided by a power of ten that the note names.
[[nodiscard]] WalkTable walk_table(const Walk& walk, const WalkStep& step, const Tensor& numbers, std::size_t most_rows,
                                   std::size_t most_columns);

/// @return a number with so many digits behind the point.
[[nodiscard]] std::string walk_number(double value, int digits = 3);

/// @return a norm or a loss with four digits that count.
[[nodiscard]] std::string walk_figure(double value);

/// @return "(1, 4, 256)".
[[nodiscard]] std::string walk_shape(const Tensor& x);

/// @return the Euclidean norm, summed in f64.
[[nodiscard]] double walk_norm(const Tensor& x);

/// @return the steps that have a gradient, the last one first.
[[nodiscard]] std::vector<const WalkStep*> steps_back(const Walk& walk);

}  // namespace minnow
