#pragma once
/// @file
/// Chooses one of two numbers, element by element.

#include <cmath>

#include "ops/elementwise.hpp"

namespace minnow::ops {

/// y = the one of a and b that wins; NaN if either is. Ties share the gradient. F brings kDoc and
///   template <class T> static bool wins(T a, T b);  // false for equal numbers and for NaN
template <class F>
struct OneOfTwo : Binary<F> {
  static constexpr Saves kSaves{.inputs = 0b11};
  template <class T>
  static T value(T a, T b) {
    return F::wins(a, b) || std::isnan(a) ? a : b;
  }
  template <class T>
  static T slope_a(T a, T b) {
    return F::wins(a, b) ? T{1} : (a == b ? T{0.5} : T{0});
  }
  template <class T>
  static T slope_b(T a, T b) {
    return slope_a(b, a);
  }
  static std::vector<Sample> samples() {
    std::vector<Sample> made = binary_samples(0.3, 1, -1, 0.2);
    made.push_back({.note = "ties",
                    .inputs = {Tensor::from<double>({1, 2, 3}, {3}), Tensor::from<double>({1, 3, 3}, {3})},
                    .attrs = AttrBox::of(NoAttrs{}),
                    .smooth = false});
    return made;
  }
};

}  // namespace minnow::ops
