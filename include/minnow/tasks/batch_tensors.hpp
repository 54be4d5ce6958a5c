#pragma once
/// @file
/// Turns rows of a batch into tensors.

#include "minnow/data/batch.hpp"
#include "minnow/nn/streams.hpp"
#include "minnow/tensor/tensor.hpp"

namespace minnow {

/// Rows of a batch as a model takes them. Full rows of one piece lie as (rows, T). Others lie as (1, N): their pieces
/// follow each other, and no padding is computed.
struct BatchTensors {
  Tensor tokens;             ///< (rows, T) or (1, N), i32
  Tensor targets;            ///< as many i32, -100 where nothing is predicted
  Sequences sequences;       ///< the pieces, where tokens are (1, N)
  Index first_sequence = 0;  ///< index in the batch of the first row, or of the first piece

  /// Tells a pass where sequences lie, and which of the batch they are.
  void describe(ForwardMode& mode) const {
    mode.sequences = sequences;
    mode.first_sequence = first_sequence;
  }
};

/// @return whether rows of the batch become (1, N): some row is shorter than T or has several pieces.
[[nodiscard]] bool has_sequences(const Batch& batch);

/// @return rows [first, first + rows) of a batch.
[[nodiscard]] BatchTensors batch_tensors(const Batch& batch, Index first, Index rows);

}  // namespace minnow
