#pragma once
/// @file
/// Looks at a flat buffer as at one parameter.

#include "minnow/optim/optimizer.hpp"

namespace minnow {

/// @return the part of a flat buffer that belongs to a parameter, in its shape.
inline Tensor view_of(const Tensor& flat, const FlatPart& part) {
  return flat.as_strided(part.shape, part.shape.contiguous_strides(), part.begin);
}

/// Calls body(T{}) with T float or double.
template <class Body>
void with_float(DType dtype, Body&& body) {
  dtype == DType::f64 ? body(double{}) : body(float{});
}

}  // namespace minnow
