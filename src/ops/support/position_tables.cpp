// Tables of positions that are computed, not learned.

#include <fmt/format.h>

#include <cmath>

#include "minnow/base/error.hpp"
#include "minnow/ops/position.hpp"

namespace minnow {

Tensor alibi_slopes(Index heads, DType dtype) {
  if (heads < 1) throw ShapeError(fmt::format("[alibi_slopes] heads must be 1 or more; got {}", heads));
  Index base = 1;
  while (base <= heads / 2) base *= 2;
  Tensor slopes = Tensor::empty({heads}, DType::f64);
  auto* to = slopes.mutable_data<double>();
  for (Index i = 0; i < heads; ++i) {
    const double exponent = i < base ? static_cast<double>(i + 1) / static_cast<double>(base)
                                     : static_cast<double>(2 * (i - base) + 1) / static_cast<double>(2 * base);
    to[i] = std::pow(2.0, -8.0 * exponent);
  }
  return slopes.to(dtype);
}

Tensor sinusoidal_table_halves(Index length, Index width, DType dtype) {
  if (length < 0 || width < 4 || width % 2 != 0) {
    throw ShapeError(fmt::format(
        "[sinusoidal_table_halves] the width must be even and 4 or more, the length not negative; got {} and {}", width,
        length));
  }
  const Index half = width / 2;
  Tensor result = Tensor::empty({length, width}, DType::f64);
  auto* table = result.mutable_data<double>();
  for (Index t = 0; t < length; ++t) {
    for (Index i = 0; i < half; ++i) {
      const double step = std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(half - 1));
      const double angle = static_cast<double>(t) * step;
      table[t * width + i] = std::sin(angle);
      table[t * width + half + i] = std::cos(angle);
    }
  }
  return result.to(dtype);
}

}  // namespace minnow
