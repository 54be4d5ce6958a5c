#pragma once
/// @file
/// Lays all parameters of a model into one flat buffer: matrices, which decay, in front, vectors behind. What
/// optimizers work on:
/// @code
/// FlatParameters flat(model.parameters);
/// Tensor gradients = Tensor::zeros({flat.count()}, flat.dtype());
/// flat.collect_gradients_in(gradients);
/// AdamW adamw(flat.layout(), {}, flat.dtype());
/// // each step: gradients.fill(0); backward(loss); adamw.step(flat.values(), gradients, learning_rate);
/// @endcode

#include <string>
#include <vector>

#include "minnow/autograd/variable.hpp"
#include "minnow/nn/parameter.hpp"
#include "minnow/optim/optimizer.hpp"

namespace minnow {

/// The parameters as slices of one buffer, and the same slices of any other buffer of that size.
class FlatParameters {
 public:
  /// Moves the parameters of the list into a flat buffer; their numbers come along.
  explicit FlatParameters(ParameterList& list);

  struct Slice {
    std::string name;
    Tensor parameter;
    Index begin = 0;
    std::vector<Index> matrix_rows;  ///< see Parameter
  };

  [[nodiscard]] Tensor& values() { return values_; }
  [[nodiscard]] Index count() const { return values_.numel(); }
  [[nodiscard]] DType dtype() const { return values_.dtype(); }
  /// @return numbers of parameters with two or more axes, which lie in front.
  [[nodiscard]] Index decayed() const { return decayed_; }
  [[nodiscard]] const std::vector<Slice>& slices() const { return slices_; }
  /// @return the same as optimizers want it.
  [[nodiscard]] FlatLayout layout() const;
  /// @return the part of a flat buffer that belongs to a parameter, in its shape.
  [[nodiscard]] static Tensor view(const Tensor& flat, const Slice& slice);
  /// Lets backward put the gradients of all parameters into `flat`: adds them, or writes over what it holds (then
  /// finish_gradients() belongs behind the backward).
  void collect_gradients_in(const Tensor& flat, GradientBuffer holds = GradientBuffer::kSum) const;
  /// Clears the slices of unwritten buffers that no gradient came to.
  void finish_gradients() const;
  /// @return the name of the parameter that holds element `at` of a flat buffer.
  [[nodiscard]] const std::string& name_at(Index at) const;

 private:
  Tensor values_;
  Index decayed_ = 0;
  std::vector<Slice> slices_;  // in the order of the list
};

}  // namespace minnow
