#pragma once
/// @file
/// Turns rows of a batch into tensors.

#include "minnow/data/batch.hpp"
#include "minnow/tensor/tensor.hpp"

namespace minnow {

struct BatchTensors {
  Tensor tokens;   ///< (rows, T) i32
  Tensor targets;  ///< (rows, T) i32, -100 where nothing is predicted
};

/// @return rows [first, first + rows) of a batch.
[[nodiscard]] BatchTensors batch_tensors(const Batch& batch, Index first, Index rows);

}  // namespace minnow
