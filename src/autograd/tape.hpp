#pragma once
/// @file
/// The record of one thread's operations since the last backward.

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "minnow/autograd/observe.hpp"
#include "minnow/autograd/op.hpp"
#include "minnow/autograd/stopwatch.hpp"

namespace minnow {

constexpr std::int32_t kNoValue = -1;

/// What hangs on a tensor that takes part in gradients.
struct Variable final : AutogradMeta {
  bool leaf = false;       ///< made by set_requires_grad
  bool wanted = false;     ///< of leaves: a gradient is wanted
  bool retains = false;    ///< of results: keep the gradient
  std::uint64_t tape = 0;  ///< serial of the tape on which `value` is valid
  std::int32_t value = kNoValue;
  TensorSpec spec;
  Tensor gradient;
  bool unwritten = false;  ///< of leaves: `gradient` is a buffer that nothing was written to yet
  // Each stays where it is when one of them adds another. Most results have none, and shall cost no memory for them.
  std::vector<std::unique_ptr<const std::function<Tensor(const Tensor&)>>> hooks;
};

/// @return the variable of a tensor, or null.
inline Variable* variable_of(const Tensor& x) {
  return x.defined() ? static_cast<Variable*>(x.autograd().get()) : nullptr;
}

/// A tensor kept for backward, and how often its storage had been written to by then.
struct Saved {
  Tensor tensor;
  std::uint64_t version = 0;
};

struct Node {
  const Op* op = nullptr;
  AttrBox attrs;
  std::vector<TensorSpec> specs, out_specs;
  std::vector<std::int32_t> inputs;  // value ids, kNoValue where no gradient is wanted
  std::vector<std::int32_t> outputs;
  std::vector<Saved> saved_inputs, saved_outputs, aux;
  std::int32_t scope = 0;
  kernels::GemmPrecision precision = kernels::GemmPrecision::kF32;
  bool used = false;  // its saved tensors were dropped by a backward pass
};

/// A tensor's place on the tape.
struct Value {
  std::shared_ptr<Variable> leaf;  // of leaves
  std::weak_ptr<Variable> result;  // of results; expired when nobody holds the tensor any more
  TensorSpec spec;
};

/// The names of nested parts of a model, each once: a number stands for a path such as transformer.h.3.attn.
class ScopeTable {
 public:
  /// @return the number of the scope `name` inside `parent`, made when it is new. Cost: one look-up in a hash table.
  std::int32_t inside(std::int32_t parent, std::string_view name);
  [[nodiscard]] std::int32_t parent(std::int32_t scope) const { return names_[at(scope)].parent; }
  /// @return names from the outermost to this one, with dots between; "(top)" for scope 0.
  [[nodiscard]] std::string path(std::int32_t scope) const;

 private:
  struct Name {
    std::int32_t parent = 0;
    std::string text;
  };
  using Key = std::pair<std::int32_t, std::string_view>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  static std::size_t at(std::int32_t scope) { return static_cast<std::size_t>(scope); }

  std::deque<Name> names_{{}};  // scope 0 is the nameless outermost one; a deque, since keys point into the texts
  std::unordered_map<Key, std::int32_t, KeyHash> numbers_;
};

struct Tape {
  std::uint64_t serial = 0;
  std::vector<Node> nodes;
  std::vector<Value> values;
  std::int32_t scope = 0;
  bool walked = false;  // right now, by backward: nothing may be added or dropped

  Tape();
  /// Forgets all nodes; value ids given out so far become invalid.
  void reset();
};

/// State of this thread.
struct ThreadState {
  std::unique_ptr<Tape> tape = std::make_unique<Tape>();
  ScopeTable scopes;  // outlives tapes: those of recomputations share it
  bool recording = true;
  bool anomaly = false;
  kernels::GemmPrecision precision = kernels::GemmPrecision::kF32;  // of the innermost PrecisionScope
  const std::function<bool()>* stop = nullptr;                      // of the innermost CancelScope
  const std::function<void(const OpCall&)>* observer = nullptr;
  OpStopwatch* stopwatch = nullptr;  // of the innermost StopwatchScope
};
ThreadState& thread_state();

/// Throws: Cancelled when the innermost CancelScope says so.
void throw_if_cancelled(const ThreadState& state);

/// Shows a call to this thread's observer, which must be there.
void show_call(const Op& op, const AttrBox& attrs, std::span<const Tensor> inputs, std::span<const Tensor> outputs);

/// Tells this thread's stopwatch, which must be there, that a forward call has ended.
void stop_forward(const Op& op, const AttrBox& attrs, std::span<const Tensor> inputs);

/// Throws: NumericError naming operation, scope, `what` and index when `x` holds a NaN or an infinity.
void check_finite(const Tensor& x, const Op& op, std::int32_t scope, std::string_view what);

/// Puts a call on the tape and hangs variables onto its floating outputs.
/// @param values of the inputs, kNoValue where no gradient is wanted
void record(Tape& tape, const Op& op, std::span<const Tensor> inputs, std::span<Tensor> outputs, std::span<Tensor> aux,
            const AttrBox& attrs, std::vector<std::int32_t> values);

/// @return the value id of a tensor on this tape, kNoValue when no gradient is wanted for it.
std::int32_t value_of(Tape& tape, const Tensor& x, const Op& op);

/// As backward(), from several results at once on this thread's tape; constants among the results are skipped.
/// Throws: ShapeError naming `op` for a result that was recorded on another tape.
void backward_from(const Op& op, std::span<const Tensor> results, std::span<const Tensor> seeds);

/// Throws: ShapeError naming `who` while backward walks over the tape: a hook must leave it alone.
void refuse_during_walk(const Tape& tape, std::string_view who);

/// @return f32 or f64: in which of both an operation on these tensors computes.
DType compute_dtype(const Op& op, std::span<const Tensor> inputs);

}  // namespace minnow
