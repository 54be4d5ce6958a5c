#include <algorithm>

#include "autograd/tape.hpp"
#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"

namespace minnow {
namespace {

using Function = std::function<std::vector<Tensor>(std::span<const Tensor>)>;

/// Puts a tape of its own in place of the running one while the function runs again.
class InnerTape {
 public:
  InnerTape() : outer_(std::move(thread_state().tape)), recording_(thread_state().recording) {
    thread_state().tape = std::make_unique<Tape>();
    thread_state().tape->scope = outer_->scope;
    thread_state().recording = true;
  }
  ~InnerTape() {
    thread_state().tape = std::move(outer_);
    thread_state().recording = recording_;
  }
  InnerTape(const InnerTape&) = delete;
  InnerTape& operator=(const InnerTape&) = delete;

 private:
  std::unique_ptr<Tape> outer_;
  bool recording_;
};

extern const Op op_recompute;

/// Throws: ShapeError unless the second run gave what the first one did.
void check_same(std::span<const Tensor> results, std::span<const Tensor> douts) {
  const auto same = [](const Tensor& result, const Tensor& dout) {
    return result.defined() && (!dout.defined() || result.spec() == dout.spec());
  };
  if (std::equal(results.begin(), results.end(), douts.begin(), douts.end(), same)) return;
  throw ShapeError(
      "[recompute] the function must give the same results when it runs again; got another number, shape or type of "
      "them. Hint: it may depend on nothing but its inputs, parameters and fixed keys");
}

void recompute_backward(const BackwardContext& context, const AttrBox& attrs) {
  const InnerTape inner;
  const PrecisionScope precision(context.precision);
  std::vector<Tensor> leaves;
  for (std::size_t i = 0; i < context.inputs.size(); ++i) {
    leaves.push_back(context.inputs[i].defined() ? context.inputs[i].alias() : Tensor());
    if (context.wants(i)) set_requires_grad(leaves.back());
  }
  const std::vector<Tensor> results = attrs.as<Function>()(leaves);
  check_same(results, context.douts);
  backward_from(op_recompute, results, context.douts);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!context.wants(i)) continue;
    const Tensor gradient = grad(leaves[i]);
    if (gradient.defined()) {
      context.dins[i].copy_from(gradient);
    } else {
      context.dins[i].fill(0);
    }
  }
}

constexpr Op make_recompute() {
  Op op;
  op.doc = {"recompute", "recompute(function, inputs) -> outputs",
            "outputs = function(inputs), computed again in backward",
            "Chen et al. 2016, Training Deep Nets with Sublinear Memory Cost"};
  op.saves = {.inputs = ~0U};
  op.backward_f32 = &recompute_backward;
  op.backward_f64 = &recompute_backward;
  return op;
}
constinit const Op op_recompute = make_recompute();  // NOLINT: declared above, where backward needs its name

}  // namespace

std::vector<Tensor> recompute(const Function& function, std::span<const Tensor> inputs) {
  if (!function) throw ShapeError("[recompute] there must be a function; got none");
  std::vector<Tensor> outputs;
  {
    const NoGrad no_grad;
    outputs = function(inputs);
  }
  if (!std::all_of(outputs.begin(), outputs.end(), [](const Tensor& output) { return output.defined(); })) {
    throw ShapeError("[recompute] the function must return tensors; got an empty handle among them");
  }
  ThreadState& state = thread_state();
  if (!state.recording) return outputs;
  std::vector<std::int32_t> values;
  for (const Tensor& input : inputs) values.push_back(value_of(*state.tape, input, op_recompute));
  for (Tensor& output : outputs) output = output.alias();  // never hang a variable onto a tensor of somebody else
  record(*state.tape, op_recompute, inputs, outputs, {}, AttrBox::of(function), std::move(values));
  return outputs;
}

}  // namespace minnow
