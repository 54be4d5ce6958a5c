#include "minnow/autograd/gradient_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/philox.hpp"

namespace minnow {
namespace {

/// Fixed random weights, so that no symmetry hides a fault.
Tensor weights_like(const Tensor& result) {
  std::vector<double> values(static_cast<std::size_t>(result.numel()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(random_normal({.seed = 77}, i));
  return Tensor::from(values, result.shape());
}

double weighted_sum(const Tensor& result, const std::vector<double>& weights) {
  const std::vector<double> values = result.to_vector<double>();
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += values[i] * weights[i];
  return sum;
}

std::vector<Tensor> leaves_of(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> leaves;
  int variables = 0;
  for (const Tensor& input : inputs) {
    leaves.push_back(input.defined() ? input.clone() : Tensor());
    if (!input.defined() || input.dtype() != DType::f64) continue;
    set_requires_grad(leaves.back());
    ++variables;
  }
  if (variables == 0) throw ShapeError("[check_gradient] at least one input must be f64; got none");
  return leaves;
}

/// Compares the gradient of input i with differences, and keeps the worst element.
void compare(const std::function<Tensor(std::span<const Tensor>)>& function, std::vector<Tensor> inputs, std::size_t i,
             const Tensor& gradient, const std::vector<double>& weights, GradientCheck& worst) {
  Tensor moved = inputs[i].clone();
  inputs[i] = moved;
  const std::vector<double> slopes =
      gradient.defined() ? gradient.to_vector<double>() : std::vector<double>(static_cast<std::size_t>(moved.numel()));
  double largest = 0;
  for (double slope : slopes) largest = std::max(largest, std::abs(slope));
  for (Index element = 0; element < moved.numel(); ++element) {
    const double at = moved.data<double>()[element];
    const double step = 1e-3 * std::max(1.0, std::abs(at));
    const auto value = [&](double by) {
      moved.mutable_data<double>()[element] = at + by;
      return weighted_sum(function(inputs), weights);
    };
    const double differences = (8 * (value(step) - value(-step)) - (value(2 * step) - value(-2 * step))) / (12 * step);
    moved.mutable_data<double>()[element] = at;
    const double got = slopes[static_cast<std::size_t>(element)];
    const double scale = std::max({std::abs(got), std::abs(differences), largest * 1e-2, 1e-3});
    const double relative = std::abs(got - differences) / scale;
    if (relative <= worst.relative) continue;  // NaN is worse than anything
    worst = {std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative, i, element, got, differences};
  }
}

}  // namespace

std::string GradientCheck::str() const {
  return fmt::format("input {}, element {}: backward {:.9g}, differences {:.9g}, relative {:.2g}", input, element,
                     backward, differences, relative);
}

GradientCheck check_gradient(const std::function<Tensor(std::span<const Tensor>)>& function,
                             const std::vector<Tensor>& inputs) {
  const std::vector<Tensor> leaves = leaves_of(inputs);
  const Tensor result = function(leaves);
  if (!result.defined() || result.dtype() != DType::f64) {
    throw ShapeError(fmt::format("[check_gradient] the function's result must be f64; got {}",
                                 result.defined() ? result.spec().str() : "no tensor"));
  }
  const Tensor seed = weights_like(result);
  backward(result, {.seed = seed});
  const std::vector<double> weights = seed.to_vector<double>();

  const NoGrad no_grad;
  GradientCheck worst;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (leaves[i].defined() && requires_grad(leaves[i])) compare(function, inputs, i, grad(leaves[i]), weights, worst);
  }
  return worst;
}

}  // namespace minnow
