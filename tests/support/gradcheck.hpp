#pragma once
/// @file
/// Calls an operation on one of its samples in every way the contract tests need.

#include <map>
#include <vector>

#include "minnow/autograd/op.hpp"

namespace minnow::test {

/// Results and gradients of one call: undefined where an input has no gradient.
struct Results {
  std::vector<Tensor> outputs;
  std::vector<Tensor> grads;
};

/// A sample in one element type, with fixed random gradients coming in for every floating output.
class Call {
 public:
  Call(const Op& op, const Sample& sample, DType dtype);

  /// @return number of inputs that have a gradient.
  [[nodiscard]] int variables() const;
  [[nodiscard]] Cost cost() const;
  [[nodiscard]] Results forward_and_backward() const;
  [[nodiscard]] Results composition_forward_and_backward() const;
  /// @return the gradients when every leaf starts with a gradient buffer full of `value`.
  [[nodiscard]] std::vector<Tensor> gradients_added_onto(double value) const;
  /// @return the same call with inputs whose elements do not lie in line.
  [[nodiscard]] Call with_strided_inputs() const;
  /// @return sum over outputs of sum(output * seed), in f64, without recording.
  [[nodiscard]] double weighted_sum(const std::vector<Tensor>& inputs) const;
  [[nodiscard]] const std::vector<Tensor>& inputs() const { return inputs_; }
  [[nodiscard]] bool is_variable(std::size_t i) const;

 private:
  [[nodiscard]] std::vector<Tensor> leaves() const;
  [[nodiscard]] Results run(bool compose) const;
  [[nodiscard]] static Tensor seed_for(const Tensor& output, std::size_t number);
  void run_backward(const std::vector<Tensor>& outputs) const;

  const Op* op_;
  AttrBox attrs_;
  std::vector<Tensor> inputs_;
  std::vector<char> constant_;
  mutable std::map<std::size_t, std::vector<double>> seeds_;  // of weighted_sum, which is called very often
};

struct GradientError {
  double relative = 0;  ///< |backward - differences| / max(|backward|, |differences|, largest gradient * 1e-2, 1e-3)
  std::size_t input = 0;
  Index element = 0;
  double backward = 0, differences = 0;
};

/// Compares every gradient of the call with central differences (sampling elements of large inputs).
GradientError compare_with_differences(const Call& call);

/// @return max |a - b| over max(1, largest finite |b|); equal infinities and NaN count as equal, others give infinity.
double difference(const Tensor& a, const Tensor& b);

}  // namespace minnow::test
