#include "minnow/autograd/backward.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/tape.hpp"
#include "minnow/autograd/op.hpp"
#include "minnow/base/error.hpp"
#include "minnow/kernels/elementwise.hpp"

namespace minnow {
namespace {

/// dst += src, of one type.
void add_into(Tensor& dst, const Tensor& src) {
  if (!dst.is_contiguous()) {  // a view that somebody gave as a buffer
    Tensor sum = dst.clone();
    add_into(sum, src);
    return dst.copy_from(sum);
  }
  const Tensor from = src.contiguous();
  if (dst.dtype() == DType::f64) {
    kernels::axpy(dst.mutable_data<double>(), 1.0, from.data<double>(), dst.numel());
  } else if (dst.dtype() == DType::f32) {
    kernels::axpy(dst.mutable_data<float>(), 1.0F, from.data<float>(), dst.numel());
  } else {  // bf16 has no arithmetic: add in f32 and round
    Tensor sum = dst.to(DType::f32);
    kernels::axpy(sum.mutable_data<float>(), 1.0F, from.to(DType::f32).data<float>(), dst.numel());
    dst.copy_from(sum);
  }
}

/// One walk over a tape from its end. While it lives nothing is recorded, whatever hooks and operations run: the tape
/// must not grow under the walk.
class Walk {
 public:
  Walk(Tape& tape, const BackwardOptions& options)
      : tape_(tape), retain_graph_(options.retain_graph), grads_(tape.values.size()) {
    tape_.walked = true;
  }
  ~Walk() { tape_.walked = false; }
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  /// Adds to the gradient of a value; a value may be among the results more than once.
  void seed(std::int32_t value, Tensor gradient) { add_to(value, std::move(gradient)); }

  void run() {
    for (std::size_t i = tape_.nodes.size(); i-- > 0;) {
      if (reached(tape_.nodes[i])) visit(tape_.nodes[i]);
    }
    for (std::size_t i = 0; i < tape_.values.size(); ++i) {
      if (tape_.values[i].leaf && grads_[i].defined()) finish_leaf(*tape_.values[i].leaf, std::move(grads_[i]));
    }
  }

 private:
  static std::size_t at(std::int32_t value) { return static_cast<std::size_t>(value); }

  bool reached(const Node& node) const {
    return std::any_of(node.outputs.begin(), node.outputs.end(),
                       [&](std::int32_t value) { return value != kNoValue && grads_[at(value)].defined(); });
  }

  void visit(Node& node) {
    throw_if_cancelled(thread_state());
    OpStopwatch* const stopwatch = thread_state().stopwatch;
    if (stopwatch != nullptr) stopwatch->begin();
    if (node.used) {
      throw ShapeError(
          fmt::format("[backward] the graph must not be used up; the node {} was already walked. Hint: pass "
                      "retain_graph in the first backward",
                      node.op->doc.name));
    }
    std::vector<Tensor> douts = take_gradients_of_results(node);
    if (node.op->view != nullptr) {
      deliver(node, 0, node.op->view_backward(douts[0], node.specs[0], node.attrs));
    } else {
      run_op(node, douts);
    }
    if (stopwatch != nullptr) stopwatch->end({*node.op, node.attrs, node.specs, true});
    if (!retain_graph_) {
      node.saved_inputs.clear();
      node.saved_outputs.clear();
      node.aux.clear();
      node.attrs = {};
      node.used = true;
    }
  }

  std::vector<Tensor> take_gradients_of_results(const Node& node) {
    std::vector<Tensor> douts(node.outputs.size());
    for (std::size_t i = 0; i < douts.size(); ++i) {
      const std::int32_t value = node.outputs[i];
      if (value == kNoValue) continue;
      Tensor& gradient = grads_[at(value)];
      if (gradient.defined()) {
        finish_result(tape_.values[at(value)], gradient);
        douts[i] = std::move(gradient);
        gradient = Tensor();
      } else {
        douts[i] = Tensor::zeros(node.out_specs[i].shape, node.out_specs[i].dtype);
      }
      if (node.op->view == nullptr) douts[i] = douts[i].contiguous();
    }
    return douts;
  }

  void run_op(Node& node, const std::vector<Tensor>& douts) {
    const std::size_t count = node.inputs.size();
    std::vector<Tensor> inputs = read(node.saved_inputs, node);
    const std::vector<Tensor> outputs = read(node.saved_outputs, node);
    const std::vector<Tensor> aux = read(node.aux, node);
    std::vector<Tensor> dins(count);
    std::vector<char> add(count, 0);
    std::vector<char> in_place(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
      if (node.inputs[i] == kNoValue) continue;
      Tensor* existing = destination(node, i);
      in_place[i] = existing != nullptr ? 1 : 0;
      add[i] = existing != nullptr && !is_unwritten(node.inputs[i]) ? 1 : 0;
      dins[i] = existing != nullptr ? *existing : Tensor::empty(node.specs[i].shape, node.specs[i].dtype);
    }
    const BackwardContext context{node.specs, inputs, outputs, aux, douts, dins, add, node.precision};
    const bool f64 = !douts.empty() && douts[0].defined() && douts[0].dtype() == DType::f64;
    (f64 ? node.op->backward_f64 : node.op->backward_f32)(context, node.attrs);
    for (std::size_t i = 0; i < count; ++i) {
      if (node.inputs[i] == kNoValue) continue;
      if (thread_state().anomaly) check_finite(dins[i], *node.op, node.scope, "the gradient of an input");
      if (in_place[i] == 0) {
        deliver(node, i, std::move(dins[i]));
      } else if (add[i] == 0) {
        tape_.values[at(node.inputs[i])].leaf->unwritten = false;
      }
    }
  }

  [[nodiscard]] bool is_unwritten(std::int32_t id) const {
    const Value& value = tape_.values[at(id)];
    return value.leaf && value.leaf->unwritten;
  }

  /// @return where the operation may put its gradient straight away, or null when it shall write a new one.
  Tensor* destination(const Node& node, std::size_t i) {
    if (!node.op->adds_natively) return nullptr;
    // The same value twice among the inputs: the second gradient must not race with the first one's assignment.
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      if (k != i && node.inputs[k] == node.inputs[i]) return nullptr;
    }
    const Value& value = tape_.values[at(node.inputs[i])];
    if (value.leaf && value.leaf->hooks.empty()) {
      Tensor& gradient = value.leaf->gradient;
      return gradient.defined() && gradient.is_contiguous() ? &gradient : nullptr;
    }
    Tensor& gradient = grads_[at(node.inputs[i])];
    return gradient.defined() && owned(gradient) ? &gradient : nullptr;
  }

  /// A gradient may be added into in place when no view or hook holds its numbers too.
  static bool owned(const Tensor& gradient) { return gradient.is_sole_owner() && gradient.is_contiguous(); }

  void deliver(const Node& node, std::size_t i, Tensor gradient) {
    const std::int32_t id = node.inputs[i];
    if (id == kNoValue) return;
    const Value& value = tape_.values[at(id)];
    if (value.leaf && value.leaf->hooks.empty()) return finish_leaf(*value.leaf, std::move(gradient));
    add_to(id, std::move(gradient));
  }

  void add_to(std::int32_t id, Tensor gradient) {
    Tensor& sum = grads_[at(id)];
    if (!sum.defined()) {
      sum = std::move(gradient);
    } else {
      if (!owned(sum)) sum = sum.clone();
      add_into(sum, gradient);
    }
  }

  void finish_leaf(Variable& leaf, Tensor gradient) {
    run_hooks(leaf, gradient);
    if (leaf.unwritten) {
      leaf.gradient.copy_from(gradient);
      leaf.unwritten = false;
    } else if (leaf.gradient.defined()) {
      add_into(leaf.gradient, gradient);
    } else {
      leaf.gradient = owned(gradient) ? std::move(gradient) : gradient.clone();
    }
  }

  static void finish_result(const Value& value, Tensor& gradient) {
    const auto variable = value.result.lock();
    if (!variable) return;
    run_hooks(*variable, gradient);
    if (!variable->retains) return;
    if (variable->gradient.defined()) {
      variable->gradient = variable->gradient.clone();
      add_into(variable->gradient, gradient);
    } else {
      variable->gradient = gradient.clone();
    }
  }

  /// A hook may register more hooks; they are for later passes.
  static void run_hooks(const Variable& variable, Tensor& gradient) {
    for (std::size_t i = 0, count = variable.hooks.size(); i < count; ++i) {
      replace(gradient, (*variable.hooks[i])(gradient));
    }
  }

  static void replace(Tensor& gradient, Tensor by) {
    if (!by.defined()) return;
    if (by.spec() != gradient.spec()) {
      throw ShapeError(
          fmt::format("[register_hook] a hook must return {}; got {}", gradient.spec().str(), by.spec().str()));
    }
    gradient = std::move(by);
  }

  static std::vector<Tensor> read(const std::vector<Saved>& saved, const Node& node) {
    std::vector<Tensor> tensors;
    tensors.reserve(saved.size());
    for (const Saved& one : saved) {
      if (one.tensor.defined() && one.tensor.storage()->version() != one.version) {
        throw ShapeError(
            fmt::format("[backward] a tensor saved for {} must not be changed in place; it was written to {} "
                        "time(s) since. Hint: clone it before the change",
                        node.op->doc.name, one.tensor.storage()->version() - one.version));
      }
      tensors.push_back(one.tensor);
    }
    return tensors;
  }

  Tape& tape_;
  NoGrad no_grad_;
  bool retain_graph_;
  std::vector<Tensor> grads_;
};

/// Drops the tape when nothing on it can be asked for any more.
void prune(Tape& tape) {
  for (const Node& node : tape.nodes) {
    if (node.used) continue;
    for (std::int32_t output : node.outputs) {
      if (output != kNoValue && !tape.values[static_cast<std::size_t>(output)].result.expired()) return;
    }
  }
  tape.reset();
}

}  // namespace

void backward_from(const Op& op, std::span<const Tensor> results, std::span<const Tensor> seeds) {
  Tape& tape = *thread_state().tape;
  std::vector<std::int32_t> values(results.size(), kNoValue);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Variable* variable = variable_of(results[i]);
    if (variable != nullptr && !variable->leaf && variable->tape != tape.serial) {
      throw ShapeError(
          fmt::format("[{}] a function must return what it computes from its inputs; result {} was computed outside of "
                      "it. Hint: pass that tensor as an input",
                      op.doc.name, i + 1));
    }
    values[i] = value_of(tape, results[i], op);
  }
  Walk walk(tape, {});
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (values[i] != kNoValue && seeds[i].defined()) walk.seed(values[i], seeds[i]);
  }
  walk.run();
}

void backward(const Tensor& result, const BackwardOptions& options) {
  const Variable* variable = variable_of(result);
  Tape& tape = *thread_state().tape;
  refuse_during_walk(tape, "backward");
  if (variable != nullptr && !variable->leaf && variable->tape != tape.serial) {
    throw ShapeError(
        "[backward] the graph must not be used up; it was walked or cleared before. Hint: pass retain_graph in the "
        "first backward");
  }
  if (variable == nullptr || variable->leaf) {
    throw ShapeError(
        "[backward] the result must depend on a tensor with a wanted gradient; nothing was recorded. Hint: "
        "set_requires_grad on the parameters, and no NoGrad around the forward pass");
  }
  Tensor seed = options.seed;
  if (!seed.defined()) {
    if (result.numel() != 1) {
      throw ShapeError(fmt::format("[backward] the result must be a scalar; got {}. Hint: sum it, or give a seed",
                                   result.spec().str()));
    }
    seed = Tensor::full(result.shape(), 1.0, result.dtype());
  }
  if (seed.spec() != result.spec()) {
    throw ShapeError(fmt::format("[backward] the seed must be {}; got {}", result.spec().str(), seed.spec().str()));
  }
  Walk walk(tape, options);
  walk.seed(variable->value, seed);
  walk.run();
  if (!options.retain_graph) prune(tape);
}

}  // namespace minnow
