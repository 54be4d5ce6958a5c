#pragma once
/// @file
/// Rows of a table by id.

#include <optional>

#include "minnow/tensor/tensor.hpp"

namespace minnow {

/// y[..., :] = table[ids[...], :].
/// @param table (V, C), f32 or f64; @param ids (...), i32 or i64, each in [0, V)
/// @param padding_id rows of this id collect no gradient
/// @return (..., C)
/// Gradient: dtable[id] = sum of dout over the places where it stands, in their order.
/// Throws: ShapeError for wrong types; DataError naming the first id that is not in the table.
[[nodiscard]] Tensor embedding(const Tensor& table, const Tensor& ids, std::optional<Index> padding_id = std::nullopt);

}  // namespace minnow
