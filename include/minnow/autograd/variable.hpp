#pragma once
/// @file
/// Asks for gradients, reads them, and watches them on their way.

#include <functional>

#include "minnow/tensor/tensor.hpp"

namespace minnow {

/// Makes `x` a leaf that gradients are wanted for (a parameter), or no longer one.
/// Throws: ShapeError for integer and bool tensors, and for results of recorded operations.
/// @return x, so that a parameter can be made in one line.
Tensor set_requires_grad(Tensor x, bool wanted = true);

/// @return true for leaves with a wanted gradient and for everything recorded that depends on one.
[[nodiscard]] bool requires_grad(const Tensor& x);

/// @return the gradient summed over all backward passes since the last reset; an undefined Tensor before the first.
/// Kept for leaves, and for other tensors after retain_grad().
[[nodiscard]] Tensor grad(const Tensor& x);

/// What the buffer that set_grad() gives holds.
enum class GradientBuffer {
  kSum,       ///< a sum so far, which backward adds to
  kUnwritten  ///< anything: the first gradient to arrive is written over it, so that nobody has to clear it
};

/// Gives the leaf `x` a buffer for its gradient (the trainer's flat gradient buffer), or resets it with an undefined
/// tensor. Until a gradient arrives, grad(x) clears a buffer that is kUnwritten. Throws: ShapeError when shape or type
/// differ, and for a buffer that overlaps itself.
void set_grad(const Tensor& x, Tensor buffer, GradientBuffer holds = GradientBuffer::kSum);

/// Keeps the gradient of a result of an operation, readable with grad() after backward. No effect on constants.
void retain_grad(const Tensor& x);

/// Calls `hook(gradient)` once the gradient of `x` is complete in a backward pass. A defined result replaces the
/// gradient; it must have the same shape. For leaves the hook sees the sum of this pass alone. Nothing is recorded
/// inside of a hook, and it must not call backward or clear_tape. What it throws leaves backward.
void register_hook(const Tensor& x, std::function<Tensor(const Tensor&)> hook);

/// @return the same numbers, cut off from the gradient.
[[nodiscard]] Tensor detach(const Tensor& x);

}  // namespace minnow
