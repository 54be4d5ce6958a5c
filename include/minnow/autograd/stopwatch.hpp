#pragma once
/// @file
/// Tells whoever takes the time when an operation begins and ends, forward and backward.

#include "minnow/autograd/op.hpp"

namespace minnow {

/// One operation that has just run.
struct OpRun {
  const Op& op;
  const AttrBox& attrs;
  Specs inputs;           ///< absent ones say so
  bool backward = false;  ///< it computed gradients
};

/// Hears of every operation of a thread while a StopwatchScope lives.
class OpStopwatch {
 public:
  virtual ~OpStopwatch() = default;
  /// An operation begins. Operations run inside others where a part of a model is computed again in backward.
  virtual void begin() = 0;
  /// The operation that began last ends. Not called for one that throws.
  virtual void end(const OpRun& run) = 0;
};

/// While one lives, this thread tells `watch` of its operations; an inner scope takes the place of an outer one.
/// Without one an operation costs two comparisons more.
class StopwatchScope {
 public:
  /// @param watch must live as long as the scope; null: nobody is told
  explicit StopwatchScope(OpStopwatch* watch);
  ~StopwatchScope();
  StopwatchScope(const StopwatchScope&) = delete;
  StopwatchScope& operator=(const StopwatchScope&) = delete;

 private:
  OpStopwatch* before_;
};

}  // namespace minnow
