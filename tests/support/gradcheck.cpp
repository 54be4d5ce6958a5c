#include "support/gradcheck.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/philox.hpp"

namespace minnow::test {
namespace {

/// Fourth-order central difference of f around 0.
template <class F>
double slope(F f, double step) {
  return (8 * (f(step) - f(-step)) - (f(2 * step) - f(-2 * step))) / (12 * step);
}

constexpr Index kElementsPerInput = 24;  // of larger inputs so many are sampled

}  // namespace

Call::Call(const Op& op, const Sample& sample, DType dtype)
    : op_(&op), attrs_(sample.attrs), constant_(sample.constant) {
  for (const Tensor& input : sample.inputs) {
    inputs_.push_back(input.defined() && is_floating(input.dtype()) ? input.to(dtype) : input);
  }
  constant_.resize(inputs_.size(), 0);
}

bool Call::is_variable(std::size_t i) const {
  return op_->differentiable && inputs_[i].defined() && is_floating(inputs_[i].dtype()) && constant_[i] == 0;
}

int Call::variables() const {
  int count = 0;
  for (std::size_t i = 0; i < inputs_.size(); ++i) count += is_variable(i) ? 1 : 0;
  return count;
}

Cost Call::cost() const {
  std::vector<TensorSpec> specs;
  for (const Tensor& input : inputs_) specs.push_back(input.defined() ? input.spec() : TensorSpec::absent());
  return op_->cost(specs, attrs_);
}

std::vector<Tensor> Call::leaves() const {
  std::vector<Tensor> made;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    made.push_back(inputs_[i].defined() ? inputs_[i].alias() : Tensor());
    if (is_variable(i)) set_requires_grad(made[i]);
  }
  return made;
}

Tensor Call::seed_for(const Tensor& output, std::size_t number) {
  std::vector<double> values(static_cast<std::size_t>(output.numel()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(
        static_cast<float>(random_normal({.seed = 77, .stream = static_cast<std::uint32_t>(number)}, i)));
  }
  return Tensor::from(values, output.shape()).to(output.dtype());
}

void Call::run_backward(const std::vector<Tensor>& outputs) const {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (requires_grad(outputs[i])) backward(outputs[i], {.seed = seed_for(outputs[i], i), .retain_graph = true});
  }
  clear_tape();
}

Results Call::run(bool compose) const {
  const std::vector<Tensor> given = leaves();
  Results results;
  results.outputs = compose ? op_->compose(given, attrs_) : apply(*op_, given, attrs_);
  run_backward(results.outputs);
  for (const Tensor& leaf : given) results.grads.push_back(leaf.defined() ? grad(leaf) : Tensor());
  return results;
}

Results Call::forward_and_backward() const { return run(false); }
Results Call::composition_forward_and_backward() const { return run(true); }

std::vector<Tensor> Call::gradients_added_onto(double value) const {
  const std::vector<Tensor> given = leaves();
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (is_variable(i)) set_grad(given[i], Tensor::full(given[i].shape(), value, given[i].dtype()));
  }
  run_backward(apply(*op_, given, attrs_));
  std::vector<Tensor> grads;
  for (const Tensor& leaf : given) grads.push_back(leaf.defined() ? grad(leaf) : Tensor());
  return grads;
}

Call Call::with_strided_inputs() const {
  Call other = *this;
  for (Tensor& input : other.inputs_) {
    if (!input.defined() || input.rank() == 0 || input.numel() == 0) continue;
    Shape wide = input.shape();  // every second element of a wider tensor
    wide[wide.rank() - 1] *= 2;
    const Tensor backing = Tensor::zeros(wide, input.dtype());
    Shape strides = backing.strides();
    strides[strides.rank() - 1] = 2;
    Tensor view = backing.as_strided(input.shape(), strides, 1);
    view.copy_from(input);
    input = view;
  }
  return other;
}

double Call::weighted_sum(const std::vector<Tensor>& inputs) const {
  const NoGrad no_grad;
  const std::vector<Tensor> outputs = apply(*op_, inputs, attrs_);
  double total = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!is_floating(outputs[i].dtype())) continue;
    const std::vector<double> a = outputs[i].to_vector<double>();
    std::vector<double>& b = seeds_[i];
    if (b.empty()) b = seed_for(outputs[i], i).to_vector<double>();
    for (std::size_t k = 0; k < a.size(); ++k) total += a[k] * b[k];
  }
  return total;
}

GradientError compare_with_differences(const Call& call) {
  const std::vector<Tensor> grads = call.forward_and_backward().grads;
  GradientError worst;
  for (std::size_t i = 0; i < grads.size(); ++i) {
    if (!call.is_variable(i)) continue;
    const Tensor& input = call.inputs()[i];
    const std::vector<double> backward = grads[i].defined()
                                             ? grads[i].to_vector<double>()
                                             : std::vector<double>(static_cast<std::size_t>(input.numel()));
    double largest = 0;
    for (double value : backward) largest = std::max(largest, std::abs(value));
    const Index stride = std::max<Index>(1, input.numel() / kElementsPerInput);
    for (Index element = 0; element < input.numel(); element += stride) {
      std::vector<Tensor> moved = call.inputs();
      moved[i] = input.clone();
      const double at = input.contiguous().data<double>()[element];
      const double numeric = slope(
          [&](double by) {
            moved[i].mutable_data<double>()[element] = at + by;
            return call.weighted_sum(moved);
          },
          1e-3 * std::max(1.0, std::abs(at)));
      const double got = backward[static_cast<std::size_t>(element)];
      const double scale = std::max({std::abs(got), std::abs(numeric), largest * 1e-2, 1e-3});
      const double relative = std::abs(got - numeric) / scale;
      if (!(relative <= worst.relative)) worst = {std::isnan(relative) ? INFINITY : relative, i, element, got, numeric};
    }
  }
  return worst;
}

double difference(const Tensor& a, const Tensor& b) {
  if (a.defined() != b.defined()) return INFINITY;
  if (!a.defined()) return 0;
  if (a.shape() != b.shape()) return INFINITY;
  const std::vector<double> left = a.to_vector<double>();
  const std::vector<double> right = b.to_vector<double>();
  double largest = 1;
  double worst = 0;
  for (double value : right) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (std::isnan(left[i]) && std::isnan(right[i])) continue;
    if (left[i] == right[i]) continue;
    const double apart = std::abs(left[i] - right[i]);
    worst = std::max(worst, std::isnan(apart) ? INFINITY : apart);
  }
  return worst / largest;
}

}  // namespace minnow::test
