#pragma once
/// @file
/// Runs the tape backwards, and the switches around it.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/kernels/gemm.hpp"
#include "minnow/tensor/tensor.hpp"

namespace minnow {

struct BackwardOptions {
  /// The gradient that comes in; an undefined tensor means 1 and demands that the result is a scalar.
  Tensor seed;
  /// Keeps the saved tensors, so that backward can run again over the same nodes.
  bool retain_graph = false;
};

/// Adds the gradient of `result` with respect to every leaf it depends on to the leaf's gradient.
/// Walks the tape from its end, in the order of recording: no sort, no recursion. The first gradient that reaches an
/// activation is assigned, later ones add; leaves always add.
/// Throws: ShapeError when result is no scalar and no seed is given, when nothing was recorded, when the nodes were
/// used up by an earlier pass, or when a tensor saved for backward was changed in place since; and whatever a hook
/// throws. After an exception the next forward and backward pass work, but leaves that were reached by then have
/// got their gradient: reset them with set_grad.
void backward(const Tensor& result, const BackwardOptions& options = {});

/// While one lives, this thread records nothing.
class NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  bool before_;
};

/// While one lives, the matrix products of this thread's operations on f32 tensors take their operands in that
/// precision, and so do their backward passes later: linear, matmul, linear_cross_entropy and the attention operations.
/// Everything else stays in f32; f64 is not touched.
class PrecisionScope {
 public:
  explicit PrecisionScope(kernels::GemmPrecision precision);
  ~PrecisionScope();
  PrecisionScope(const PrecisionScope&) = delete;
  PrecisionScope& operator=(const PrecisionScope&) = delete;

 private:
  kernels::GemmPrecision before_;
};

/// @return the precision of the innermost PrecisionScope of this thread; f32 without one.
[[nodiscard]] kernels::GemmPrecision current_precision();

/// @return whether this thread records.
[[nodiscard]] bool grad_enabled();

/// While one lives, every operation's results and every gradient are checked for NaN and infinity.
/// The first one found throws NumericError naming operation, scope (layer), tensor and index.
class AnomalyMode {
 public:
  AnomalyMode();
  ~AnomalyMode();
  AnomalyMode(const AnomalyMode&) = delete;
  AnomalyMode& operator=(const AnomalyMode&) = delete;

 private:
  bool before_;
};

/// Names the part of the model that runs while it lives ("transformer.h.0.attn"); scopes nest with dots between.
class Scope {
 public:
  explicit Scope(std::string_view name);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
};

/// Runs `function(inputs)` without keeping what backward needs, and runs it again during backward (activation
/// checkpointing): memory for time. The function must be pure: same inputs, same result (dropout by key is).
/// Parameters it reads need not be listed; activations it reads must be inputs.
/// Throws: ShapeError when the function returns an empty handle; backward throws one when the second run gives other
/// shapes or types, or a tensor that was computed outside of the function.
/// Source: Chen et al. 2016, Training Deep Nets with Sublinear Memory Cost.
std::vector<Tensor> recompute(const std::function<std::vector<Tensor>(std::span<const Tensor>)>& function,
                              std::span<const Tensor> inputs);

/// Drops everything recorded by this thread that was not used.
void clear_tape();

/// @return number of recorded nodes of this thread.
[[nodiscard]] std::size_t tape_size();

/// @return one line per recorded node: number, scope, operation, shapes in and out, what is saved.
[[nodiscard]] std::string dump_tape_text();

/// @return the recorded nodes as a Graphviz digraph.
[[nodiscard]] std::string dump_tape_dot();

}  // namespace minnow
