#pragma once
/// @file
/// What the training step asks of an optimizer: one step over flat buffers, and its state by name.

#include <cstdint>
#include <string>
#include <vector>

#include "minnow/tensor/tensor.hpp"

namespace minnow {

/// One parameter's place in the flat buffers.
struct FlatPart {
  std::string name;
  Shape shape;
  Index begin = 0;
  /// Not empty: a matrix inside a block, made of so many matrices of so many rows each; see Parameter.
  std::vector<Index> matrix_rows = {};

  [[nodiscard]] Index end() const { return begin + shape.numel(); }
};

/// How parameters lie in the flat buffers: those with two or more axes in front, which decay, the others behind.
struct FlatLayout {
  Index count = 0;
  Index decayed = 0;            ///< numbers that decay, from the front
  std::vector<FlatPart> parts;  ///< in the order of checkpoints
};

/// Changes parameters by their gradients. All buffers are flat and have layout().count numbers.
class Optimizer {
 public:
  /// A tensor of the state under its name in checkpoints: writing to it changes the state.
  struct Named {
    std::string name;
    Tensor tensor;
  };

  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// One step. @param parameters, gradients (count); @param lr learning rate
  /// @param grad_scale multiplies the gradients first (clipping)
  /// Throws: ShapeError when sizes or types differ. Threads: same bits at any.
  void step(Tensor& parameters, const Tensor& gradients, double lr, double grad_scale = 1);

  /// @return every tensor of the state besides steps(): KIND.PARAMETER, in the order of the layout.
  [[nodiscard]] virtual std::vector<Named> state() const = 0;

  /// @return steps made: what bias corrections count.
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  void set_steps(std::int64_t steps) { steps_ = steps; }
  [[nodiscard]] const FlatLayout& layout() const { return layout_; }

 protected:
  Optimizer(FlatLayout layout, DType dtype) : layout_(std::move(layout)), dtype_(dtype) {}

  /// One step over checked buffers; steps() counts it already.
  virtual void update(Tensor& parameters, const Tensor& gradients, double lr, double grad_scale) = 0;
  [[nodiscard]] DType dtype() const { return dtype_; }

 private:
  FlatLayout layout_;
  DType dtype_;
  std::int64_t steps_ = 0;
};

/// Part of the flat buffers whose numbers all take the same weight decay.
struct FlatRange {
  Tensor& parameters;
  const Tensor& gradients;
  Index begin = 0, count = 0;
  bool decays = false;
  double lr = 0, grad_scale = 1;

  template <class T>
  [[nodiscard]] T* parameter() const {
    return parameters.mutable_data<T>() + begin;
  }
  template <class T>
  [[nodiscard]] const T* gradient() const {
    return gradients.data<T>() + begin;
  }
};

/// An optimizer that treats each number by itself; its state is some flat buffers.
class FlatOptimizer : public Optimizer {
 public:
  [[nodiscard]] std::vector<Named> state() const override;

 protected:
  /// @param buffers names of the buffers of the state, zeros at first
  FlatOptimizer(FlatLayout layout, DType dtype, std::vector<std::string> buffers);

  void update(Tensor& parameters, const Tensor& gradients, double lr, double grad_scale) override;
  /// The step of the numbers in one range.
  virtual void update_range(const FlatRange& range) = 0;

  /// @return a buffer of the state (count).
  [[nodiscard]] Tensor& buffer(std::size_t i) { return buffers_.at(i).tensor; }
  /// @return the part of a buffer that belongs to a range, or null when there is no such buffer.
  template <class T>
  [[nodiscard]] T* buffer(const std::string& name, const FlatRange& range) {
    for (Named& one : buffers_) {
      if (one.name == name) return one.tensor.mutable_data<T>() + range.begin;
    }
    return nullptr;
  }

 private:
  std::vector<Named> buffers_;
};

}  // namespace minnow
