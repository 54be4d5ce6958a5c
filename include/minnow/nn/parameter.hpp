#pragma once
/// @file
/// Names the weights of a model and how each begins.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/tensor/tensor.hpp"

namespace minnow {

/// How a parameter is filled before training.
struct Initializer {
  enum class Kind { kZeros, kOnes, kNormal } kind = Kind::kZeros;
  double std = 0;  ///< of kNormal, with mean 0
  static Initializer zeros() { return {}; }
  static Initializer ones() { return {.kind = Kind::kOnes}; }
  static Initializer normal(double std) { return {.kind = Kind::kNormal, .std = std}; }
};

/// One weight: its name in the checkpoint of its family, its numbers (a leaf that wants a gradient), its beginning.
struct Parameter {
  std::string name;
  Tensor tensor;
  Initializer init;
  /// Not empty: a matrix inside a block, made of so many matrices of so many rows each, one below the other (a fused
  /// query, key and value matrix has three). Optimizers of matrices (Muon) take each by itself.
  std::vector<Index> matrix_rows = {};
};

/// The weights of a model in a fixed order: the order of checkpoints, of flat buffers and of random streams.
class ParameterList {
 public:
  explicit ParameterList(DType dtype = DType::f32) : dtype_(dtype) {}

  /// Adds a parameter, not yet filled. @return its tensor. Throws: ShapeError when the name is taken.
  Tensor add(std::string name, const Shape& shape, const Initializer& init, std::vector<Index> matrix_rows = {});
  /// Fills every parameter; the numbers depend on (seed, position in the list, element) alone. Threads: any.
  void initialize(std::uint64_t seed);

  /// @return the parameter of that name. Throws: CheckpointError listing what is there.
  [[nodiscard]] const Tensor& at(std::string_view name) const;
  [[nodiscard]] const std::vector<Parameter>& all() const { return parameters_; }
  /// @return numbers in all parameters together.
  [[nodiscard]] Index count() const;

 private:
  DType dtype_;
  std::vector<Parameter> parameters_;
  std::map<std::string, std::size_t, std::less<>> places_;  // in parameters_, by name
};

}  // namespace minnow
