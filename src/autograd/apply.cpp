#include <fmt/format.h>
#include <fmt/ranges.h>

#include "autograd/tape.hpp"
#include "minnow/autograd/op.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"

namespace minnow {
namespace {

/// @return the spec; of an absent optional input one that says so.
TensorSpec spec_of(const Tensor& x) { return x.defined() ? x.spec() : TensorSpec::absent(); }

/// @return bit i; lists of tensors may be longer than the bits: with all of them set it holds for every tensor.
bool has_bit(unsigned bits, std::size_t i) { return i < 32 ? (bits >> i & 1U) != 0 : bits == ~0U; }

Saved save(const Tensor& x, bool wanted) {
  if (!wanted || !x.defined()) return {};
  return {x.alias(), x.storage()->version()};
}

/// Throws: ShapeError for an empty handle where the operation needs a tensor.
void check_given(const Op& op, std::span<const Tensor> given) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].defined() || has_bit(op.optional, i)) continue;
    throw ShapeError(fmt::format(
        "[{}] input {} must be a tensor; got an empty handle, in {}. Hint: a Tensor made without a shape has "
        "no numbers, nor has grad(x) before a backward reached x",
        op.doc.name, i + 1, op.doc.signature));
  }
}

/// Throws: ShapeError that names the operation, for one that a member of a tensor threw inside of it: a wrong element
/// type, an axis too many.
[[noreturn]] void name_operation(const Op& op, std::span<const Tensor> inputs, const ShapeError& error) {
  const std::string_view text = error.what();
  if (text.starts_with(fmt::format("[{}]", op.doc.name))) throw;
  std::vector<std::string> specs;
  for (const Tensor& input : inputs) specs.push_back(input.defined() ? input.spec().str() : "none");
  throw ShapeError(fmt::format("[{}] the inputs must fit {}; got {}: {}", op.doc.name, op.doc.signature,
                               fmt::join(specs, ", "), text));
}

void run_forward(const Op& op, std::span<const Tensor> inputs, std::vector<Tensor>& outputs, std::vector<Tensor>& aux,
                 const AttrBox& attrs, bool recorded) {
  std::vector<TensorSpec> specs;
  specs.reserve(inputs.size());
  for (const Tensor& input : inputs) specs.push_back(spec_of(input));
  const Inferred inferred = op.infer(specs, attrs);
  for (const TensorSpec& spec : inferred.outputs) outputs.push_back(Tensor::empty(spec.shape, spec.dtype));
  if (recorded || !op.aux_for_backward)
    for (const TensorSpec& spec : inferred.aux) aux.push_back(Tensor::empty(spec.shape, spec.dtype));
  const ForwardContext context{inputs, outputs, aux, thread_state().precision};
  (compute_dtype(op, inputs) == DType::f64 ? op.forward_f64 : op.forward_f32)(context, attrs);
}

/// Computes the outputs; inputs are made contiguous where the operation wants them so.
void run(const Op& op, std::vector<Tensor>& inputs, std::vector<Tensor>& outputs, std::vector<Tensor>& aux,
         const AttrBox& attrs, bool recorded) {
  if (op.view != nullptr) {
    outputs.push_back(op.view(inputs[0], attrs));
    return;
  }
  if (!op.strided) {
    for (Tensor& input : inputs) {
      if (input.defined() && !input.is_contiguous()) input = input.contiguous();
    }
  }
  run_forward(op, inputs, outputs, aux, attrs, recorded);
}

}  // namespace

std::int32_t value_of(Tape& tape, const Tensor& x, const Op& op) {
  Variable* variable = variable_of(x);
  if (variable == nullptr || (variable->leaf && !variable->wanted)) return kNoValue;
  if (variable->tape == tape.serial) return variable->value;
  if (!variable->leaf) {
    throw ShapeError(
        fmt::format("[{}] an input's graph must still be recorded; it was used up by backward or cleared. "
                    "Hint: detach the tensor, or pass retain_graph",
                    op.doc.name));
  }
  variable->tape = tape.serial;
  variable->value = static_cast<std::int32_t>(tape.values.size());
  tape.values.push_back({std::static_pointer_cast<Variable>(x.autograd()), {}, x.spec()});
  return variable->value;
}

void record(Tape& tape, const Op& op, std::span<const Tensor> inputs, std::span<Tensor> outputs, std::span<Tensor> aux,
            const AttrBox& attrs, std::vector<std::int32_t> values) {
  Node node;
  node.op = &op;
  node.attrs = attrs;
  node.scope = tape.scope;
  node.precision = thread_state().precision;
  node.inputs = std::move(values);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    node.specs.push_back(spec_of(inputs[i]));
    node.saved_inputs.push_back(save(inputs[i], has_bit(op.saves.inputs, i)));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    node.out_specs.push_back(outputs[i].spec());
    node.saved_outputs.push_back(save(outputs[i], has_bit(op.saves.outputs, i)));
    std::int32_t value = kNoValue;
    if (is_floating(outputs[i].dtype())) {
      auto variable = std::make_shared<Variable>();
      variable->tape = tape.serial;
      variable->spec = outputs[i].spec();
      variable->value = value = static_cast<std::int32_t>(tape.values.size());
      tape.values.push_back({nullptr, variable, outputs[i].spec()});
      outputs[i].set_autograd(std::move(variable));
    }
    node.outputs.push_back(value);
  }
  for (const Tensor& kept : aux) node.aux.push_back(save(kept, true));
  tape.nodes.push_back(std::move(node));
}

DType compute_dtype(const Op& op, std::span<const Tensor> inputs) {
  DType found = DType::f32;
  bool any = false;
  for (const Tensor& input : inputs) {
    if (!input.defined() || !is_floating(input.dtype())) continue;
    if (input.dtype() == DType::bf16) {
      throw ShapeError(
          fmt::format("[{}] inputs must be f32 or f64; got {}. Hint: cast it first", op.doc.name, input.spec().str()));
    }
    if (any && input.dtype() != found) {
      throw ShapeError(fmt::format("[{}] floating inputs must be of one type; got {} and {}", op.doc.name,
                                   name_of(found), input.spec().str()));
    }
    found = input.dtype();
    any = true;
  }
  return found;
}

std::vector<Tensor> apply(const Op& op, std::span<const Tensor> given, const AttrBox& attrs) {
  check_given(op, given);
  ThreadState& state = thread_state();
  throw_if_cancelled(state);
  if (state.stopwatch != nullptr) state.stopwatch->begin();
  Tape& tape = *state.tape;
  std::vector<Tensor> inputs(given.begin(), given.end());
  std::vector<std::int32_t> values(inputs.size(), kNoValue);
  bool recorded = false;
  if (state.recording && op.differentiable) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      values[i] = value_of(tape, inputs[i], op);
      recorded = recorded || values[i] != kNoValue;
    }
  }
  std::vector<Tensor> outputs;
  std::vector<Tensor> aux;
  try {
    run(op, inputs, outputs, aux, attrs, recorded);
  } catch (const ShapeError& error) {
    name_operation(op, given, error);
  }
  if (state.anomaly) {
    for (const Tensor& output : outputs) check_finite(output, op, tape.scope, "the result");
  }
  if (recorded) record(tape, op, inputs, outputs, aux, attrs, std::move(values));
  if (state.stopwatch != nullptr) stop_forward(op, attrs, given);
  if (state.observer != nullptr) show_call(op, attrs, given, outputs);
  return outputs;
}

Tensor apply_one(const Op& op, std::initializer_list<Tensor> inputs, const AttrBox& attrs) {
  return std::move(apply(op, {inputs.begin(), inputs.size()}, attrs).front());
}

}  // namespace minnow
