#include "minnow/autograd/stopwatch.hpp"

#include <vector>

#include "autograd/tape.hpp"

namespace minnow {

StopwatchScope::StopwatchScope(OpStopwatch* watch) : before_(thread_state().stopwatch) {
  thread_state().stopwatch = watch;
}

StopwatchScope::~StopwatchScope() { thread_state().stopwatch = before_; }

void stop_forward(const Op& op, const AttrBox& attrs, std::span<const Tensor> inputs) {
  std::vector<TensorSpec> specs;
  specs.reserve(inputs.size());
  for (const Tensor& input : inputs) specs.push_back(input.defined() ? input.spec() : TensorSpec::absent());
  thread_state().stopwatch->end({op, attrs, specs, false});
}

}  // namespace minnow
