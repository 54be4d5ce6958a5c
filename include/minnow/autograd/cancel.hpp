#pragma once
/// @file
/// Leaves a forward or backward pass between two operations, for programs that must react while a step still runs.

#include <exception>
#include <functional>

namespace minnow {

/// Thrown out of an operation or of backward when the question of a CancelScope was answered with yes. No error: only
/// who opened the scope should catch it. Call clear_tape() then; gradients of leaves may hold a part of their sum.
class Cancelled : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "cancelled"; }
};

/// While one lives, this thread asks `stop` before every operation, forward and backward. An inner scope takes the
/// place of an outer one. Without one an operation costs one comparison more.
class CancelScope {
 public:
  /// @param stop must live as long as the scope; an empty one is never asked
  explicit CancelScope(const std::function<bool()>& stop);
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

 private:
  const std::function<bool()>* before_;
};

}  // namespace minnow
