#include "minnow/autograd/observe.hpp"

#include "autograd/tape.hpp"

namespace minnow {

Observer::Observer(std::function<void(const OpCall&)> look) : look_(std::move(look)), before_(thread_state().observer) {
  thread_state().observer = &look_;
}

Observer::~Observer() { thread_state().observer = before_; }

void show_call(const Op& op, const AttrBox& attrs, std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  ThreadState& state = thread_state();
  /// Puts the observer back on every way out.
  struct Pause {
    ThreadState& state;
    const std::function<void(const OpCall&)>* observer;
    explicit Pause(ThreadState& of) : state(of), observer(of.observer) { state.observer = nullptr; }
    ~Pause() { state.observer = observer; }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
  } pause(state);
  (*pause.observer)({op, attrs, inputs, outputs, state.scopes.path(state.tape->scope)});
}

}  // namespace minnow
