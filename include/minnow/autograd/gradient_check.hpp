#pragma once
/// @file
/// Compares the gradient of a function with differences of its values: the proof of an operation of one's own.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "minnow/tensor/tensor.hpp"

namespace minnow {

/// The element that agrees worst.
struct GradientCheck {
  /// |backward - differences| over the larger of both, or over a hundredth of the input's largest slope where both are
  /// small beside it. Below 1e-6 for a right gradient of a smooth function.
  double relative = 0;
  std::size_t input = 0;
  Index element = 0;
  double backward = 0, differences = 0;
  /// @return "input 0, element 3: backward 1.2, differences 1.3, relative 0.08".
  [[nodiscard]] std::string str() const;
};

/// Runs `function` on copies of the f64 inputs, backward from a fixed weighted sum of its f64 result, and again with
/// every element moved a little either way (fourth-order central differences). Inputs of other types are constants.
/// Meaningless at kinks and ties. The function must be pure: dropout by a fixed key is.
/// @return the element with the largest relative difference. Throws: ShapeError when no input is f64 or the result is
/// not; what the function throws.
/// @code check_gradient([](auto in) { return my_op(in[0], in[1]); }, {a, b}).relative < 1e-6 @endcode
[[nodiscard]] GradientCheck check_gradient(const std::function<Tensor(std::span<const Tensor>)>& function,
                                           const std::vector<Tensor>& inputs);

}  // namespace minnow
