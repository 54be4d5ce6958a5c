#include "minnow/autograd/variable.hpp"

#include <fmt/format.h>

#include "autograd/tape.hpp"
#include "minnow/base/error.hpp"

namespace minnow {

namespace {

void check_given(const char* who, const Tensor& x) {
  if (!x.defined()) throw ShapeError(fmt::format("[{}] there must be a tensor; got an empty handle", who));
}

}  // namespace

Tensor set_requires_grad(Tensor x, bool wanted) {
  check_given("set_requires_grad", x);
  if (!is_floating(x.dtype())) {
    throw ShapeError(
        fmt::format("[set_requires_grad] only floating tensors can have a gradient; got {}", x.spec().str()));
  }
  Variable* variable = variable_of(x);
  if (variable != nullptr && !variable->leaf) {
    throw ShapeError(
        "[set_requires_grad] the tensor must not be the result of a recorded operation; got one. Hint: detach it "
        "first");
  }
  if (variable == nullptr) {
    auto made = std::make_shared<Variable>();
    made->leaf = true;
    made->spec = x.spec();
    variable = made.get();
    x.set_autograd(std::move(made));
  }
  variable->wanted = wanted;
  return x;
}

bool requires_grad(const Tensor& x) {
  const Variable* variable = variable_of(x);
  return variable != nullptr && (variable->wanted || !variable->leaf);
}

Tensor grad(const Tensor& x) {
  Variable* variable = variable_of(x);
  if (variable == nullptr) return {};
  if (variable->unwritten) {
    variable->gradient.fill(0);
    variable->unwritten = false;
  }
  return variable->gradient;
}

void set_grad(const Tensor& x, Tensor buffer, GradientBuffer holds) {
  Variable* variable = variable_of(x);
  if (variable == nullptr || !variable->leaf)
    throw ShapeError("[set_grad] the tensor must be a leaf made by set_requires_grad");
  if (buffer.defined() && buffer.spec() != x.spec()) {
    throw ShapeError(fmt::format("[set_grad] the buffer must be {}; got {}", x.spec().str(), buffer.spec().str()));
  }
  if (buffer.defined() && buffer.overlaps_itself()) {
    throw ShapeError(
        fmt::format("[set_grad] the buffer must have a place of its own for each element; got {} with strides {}",
                    buffer.spec().str(), buffer.strides().str()));
  }
  variable->gradient = std::move(buffer);
  variable->unwritten = holds == GradientBuffer::kUnwritten && variable->gradient.defined();
}

void retain_grad(const Tensor& x) {
  if (Variable* variable = variable_of(x)) variable->retains = true;
}

void register_hook(const Tensor& x, std::function<Tensor(const Tensor&)> hook) {
  Variable* variable = variable_of(x);
  if (variable == nullptr) throw ShapeError("[register_hook] the tensor must take part in gradients; got a constant");
  if (!hook) throw ShapeError("[register_hook] there must be a function to call; got none");
  variable->hooks.push_back(std::make_unique<const std::function<Tensor(const Tensor&)>>(std::move(hook)));
}

Tensor detach(const Tensor& x) {
  check_given("detach", x);
  return x.alias();
}

}  // namespace minnow
