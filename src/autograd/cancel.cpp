#include "minnow/autograd/cancel.hpp"

#include "autograd/tape.hpp"

namespace minnow {

CancelScope::CancelScope(const std::function<bool()>& stop) : before_(thread_state().stop) {
  thread_state().stop = stop ? &stop : nullptr;
}

CancelScope::~CancelScope() { thread_state().stop = before_; }

void throw_if_cancelled(const ThreadState& state) {
  if (state.stop != nullptr && (*state.stop)()) throw Cancelled();
}

}  // namespace minnow
