#pragma once
/// @file
/// Makes the example calls that an operation's generated tests run on.

#include <string>

#include "minnow/autograd/op.hpp"

namespace minnow::ops {

/// @return f64 numbers spread over [low, high), the same on every machine; another `salt` gives others.
Tensor sample_numbers(const Shape& shape, double low, double high, unsigned salt = 0);

/// @return i64 numbers in [low, high).
Tensor sample_ids(const Shape& shape, Index low, Index high, unsigned salt = 0);

/// @return booleans, true with probability p.
Tensor sample_mask(const Shape& shape, double p, unsigned salt = 0);

/// @return the usual calls of a unary operation on numbers of [low, high): vector lengths around the widths of vector
/// registers, several axes, a scalar and an empty tensor.
std::vector<Sample> unary_samples(double low, double high, const AttrBox& attrs = AttrBox::of(NoAttrs{}));

/// @return those on numbers of [low, high) and those on (-high, -low]: for operations that have a kink or a pole at 0,
/// where a difference quotient means nothing.
std::vector<Sample> two_sided_samples(double low, double high);

/// @return the usual calls of a binary operation: equal shapes, broadcasting on either side, a scalar, empty, and two
/// shapes that do not fit (invalid).
std::vector<Sample> binary_samples(double low_a, double high_a, double low_b, double high_b);

}  // namespace minnow::ops
