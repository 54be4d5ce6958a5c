#include "autograd/tape.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cmath>

#include "minnow/autograd/backward.hpp"
#include "minnow/base/error.hpp"

namespace minnow {
namespace {

std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> serial{0};
  return ++serial;
}

std::string index_text(Index flat, const Shape& shape) {
  Shape index = shape;
  for (Index axis = shape.rank() - 1; axis >= 0; --axis) {
    index[axis] = flat % shape[axis];
    flat /= shape[axis];
  }
  return index.str();
}

}  // namespace

Tape::Tape() : serial(next_serial()) {}

void Tape::reset() {
  serial = next_serial();
  nodes.clear();
  values.clear();
}

std::size_t ScopeTable::KeyHash::operator()(const Key& key) const noexcept {
  constexpr std::size_t kOddFactor = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio: spreads the parents over all bits
  return std::hash<std::string_view>{}(key.second) ^ (static_cast<std::size_t>(key.first) * kOddFactor);
}

std::int32_t ScopeTable::inside(std::int32_t parent, std::string_view name) {
  const auto found = numbers_.find({parent, name});
  if (found != numbers_.end()) return found->second;
  const auto number = static_cast<std::int32_t>(names_.size());
  names_.push_back({parent, std::string(name)});
  numbers_.emplace(Key{parent, names_.back().text}, number);
  return number;
}

std::string ScopeTable::path(std::int32_t scope) const {
  std::string path;
  for (; scope != 0; scope = parent(scope)) {
    const std::string& part = names_[at(scope)].text;
    path = path.empty() ? part : fmt::format("{}.{}", part, path);
  }
  return path.empty() ? "(top)" : path;
}

ThreadState& thread_state() {
  thread_local ThreadState state;
  return state;
}

void check_finite(const Tensor& x, const Op& op, std::int32_t scope, std::string_view what) {
  if (!x.defined() || !is_floating(x.dtype())) return;
  const std::vector<double> values = x.to_vector<double>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    throw NumericError(
        fmt::format("[{}] numbers must be finite; got {} in {} {} at index {}; layer {}. Hint: lower the "
                    "learning rate, or look at the inputs of this layer",
                    op.doc.name, values[i], what, x.shape().str(), index_text(static_cast<Index>(i), x.shape()),
                    thread_state().scopes.path(scope)));
  }
}

NoGrad::NoGrad() : before_(thread_state().recording) { thread_state().recording = false; }
NoGrad::~NoGrad() { thread_state().recording = before_; }
bool grad_enabled() { return thread_state().recording; }

PrecisionScope::PrecisionScope(kernels::GemmPrecision precision) : before_(thread_state().precision) {
  thread_state().precision = precision;
}
PrecisionScope::~PrecisionScope() { thread_state().precision = before_; }
kernels::GemmPrecision current_precision() { return thread_state().precision; }

AnomalyMode::AnomalyMode() : before_(thread_state().anomaly) { thread_state().anomaly = true; }
AnomalyMode::~AnomalyMode() { thread_state().anomaly = before_; }

Scope::Scope(std::string_view name) {
  ThreadState& state = thread_state();
  state.tape->scope = state.scopes.inside(state.tape->scope, name);
}
Scope::~Scope() {
  ThreadState& state = thread_state();
  state.tape->scope = state.scopes.parent(state.tape->scope);
}

void refuse_during_walk(const Tape& tape, std::string_view who) {
  if (!tape.walked) return;
  throw ShapeError(
      fmt::format("[{}] a hook must leave the record to the backward pass that runs it; it called {}. Hint: keep the "
                  "gradient in the hook and go on with it behind backward",
                  who, who));
}

void clear_tape() {
  refuse_during_walk(*thread_state().tape, "clear_tape");
  thread_state().tape->reset();
}
std::size_t tape_size() { return thread_state().tape->nodes.size(); }

std::string dump_tape_text() {
  const Tape& tape = *thread_state().tape;
  std::string text;
  for (std::size_t i = 0; i < tape.nodes.size(); ++i) {
    const Node& node = tape.nodes[i];
    text += fmt::format("{:4} {:32} {:20}", i, thread_state().scopes.path(node.scope), node.op->doc.name);
    for (const auto& spec : node.specs) text += fmt::format(" {}", spec.str());
    text += " ->";
    for (const auto& spec : node.out_specs) text += fmt::format(" {}", spec.str());
    std::size_t bytes = 0;
    for (const auto* list : {&node.saved_inputs, &node.saved_outputs, &node.aux}) {
      for (const Saved& saved : *list) {
        if (saved.tensor.defined())
          bytes += static_cast<std::size_t>(saved.tensor.numel()) * size_of(saved.tensor.dtype());
      }
    }
    text += fmt::format("  saved {} bytes{}\n", bytes, node.used ? " (used up)" : "");
  }
  return text;
}

std::string dump_tape_dot() {
  const Tape& tape = *thread_state().tape;
  std::string dot = "digraph tape {\n  rankdir=TB; node [shape=box, fontname=\"sans-serif\"];\n";
  std::vector<std::string> made(tape.values.size());
  for (std::size_t i = 0; i < tape.nodes.size(); ++i) {
    const Node& node = tape.nodes[i];
    dot += fmt::format("  n{} [label=\"{}\\n{}\"];\n", i, node.op->doc.name, thread_state().scopes.path(node.scope));
    for (std::int32_t output : node.outputs) {
      if (output != kNoValue) made[static_cast<std::size_t>(output)] = fmt::format("n{}", i);
    }
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      if (node.inputs[k] == kNoValue) continue;
      std::string& from = made[static_cast<std::size_t>(node.inputs[k])];
      if (from.empty()) {
        from = fmt::format("v{}", node.inputs[k]);
        dot += fmt::format("  {} [label=\"leaf {}\", shape=ellipse];\n", from, node.specs[k].str());
      }
      dot += fmt::format("  {} -> n{} [label=\"{}\"];\n", from, i, node.specs[k].shape.str());
    }
  }
  return dot + "}\n";
}

}  // namespace minnow
