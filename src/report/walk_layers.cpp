#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "minnow/autograd/variable.hpp"
#include "minnow/ops/attention.hpp"
#include "report/walk_recorder.hpp"

namespace minnow {
namespace {

std::string activation_name(Activation activation) {
  switch (activation) {
    case Activation::kGeluErf:
    case Activation::kGeluTanh:
    case Activation::kGeglu:
      return "gelu";
    case Activation::kRelu:
    case Activation::kReglu:
      return "relu";
    case Activation::kSilu:
    case Activation::kSwiglu:
      return "silu";
  }
  return "f";
}

/// @return "y W\u1D40 + b".
std::string product(const std::string& in, const std::string& matrix, bool bias) {
  return fmt::format("{} {}\u1D40{}", in, matrix, bias ? " + b" : "");
}

std::string back_of(const std::string& out, const std::string& in, const std::string& matrix, bool bias) {
  return fmt::format("d{1} = d{0} {2};  d{2} = d{0}\u1D40 {1} over all tokens{3}", out, in, matrix,
                     bias ? fmt::format(";  db = \u03A3 d{}", out) : "");
}

/// Scores as they stand before the softmax: minus infinity where the weights say that nothing is seen.
/// @param weights (B, H, Tq, Tk) @return the same shape, f32
Tensor scores_of(const AttentionCall& seen, const Tensor& weights) {
  const auto q = seen.q.to_vector<double>();
  const auto k = seen.k.to_vector<double>();
  const auto w = weights.to_vector<float>();
  const Index width = seen.q.size(3), queries = seen.q.size(2), keys = seen.k.size(2);
  const Index group = seen.q.size(1) / seen.k.size(1);
  const double scale = seen.options.scale.value_or(1.0 / std::sqrt(static_cast<double>(width)));
  std::vector<float> scores(w.size(), -std::numeric_limits<float>::infinity());
  for (Index row = 0; row < static_cast<Index>(w.size()) / keys; ++row) {  // (b, h, query)
    const Index head = row / queries;                                      // b H + h
    for (Index key = 0; key < keys; ++key) {
      const auto at = static_cast<std::size_t>(row * keys + key);
      if (w[at] <= 0) continue;
      double dot = 0;
      for (Index d = 0; d < width; ++d) {
        dot += q[static_cast<std::size_t>(row * width + d)] *
               k[static_cast<std::size_t>((head / group * keys + key) * width + d)];
      }
      scores[at] = static_cast<float>(dot * scale);
    }
  }
  return Tensor::from(scores, weights.shape());
}

}  // namespace

void WalkRecorder::linear(const OpCall& call) {
  Place where = place(call.inputs[1]);
  if (where.role == Role::kEmbedding) where.role = Role::kHead;  // tied
  enter(where);
  switch (where.role) {
    case Role::kQkv:
    case Role::kQ:
    case Role::kK:
    case Role::kV:
    case Role::kOut:
      return linear_in_attention(call, where);
    case Role::kGate:
    case Role::kUp:
    case Role::kDown:
      return linear_in_mlp(call, where);
    case Role::kHead:
      return head(call);
    default:
      return unknown(call);
  }
}

void WalkRecorder::linear_in_attention(const OpCall& call, const Place& where) {
  const std::string in = symbol_of(call.inputs[0]);
  const bool bias = call.inputs[2].defined();
  const bool grouped = config_.kv_heads() != config_.n_head;
  WalkStep step;
  std::string matrix = "W", shape = "(H D, C)", formula_left;
  if (where.role == Role::kQkv) {
    step.title = "queries, keys and values in one product";
    step.symbol = "qkv", matrix = "Wqkv";
    step.letters = grouped ? "(B, T, (H + 2K) D)" : "(B, T, 3 C)";
    shape = grouped ? "((H + 2K) D, C)" : "(3 C, C)";
    formula_left = "[q | k | v]";
    step.why =
        "Each token makes a query (what it looks for), a key (what it offers to be found by) and a value (what "
        "it hands over).";
  } else if (where.role == Role::kOut) {
    step.title = "what attention adds";
    step.symbol = "a", matrix = "Wo", step.letters = "(B, T, C)", shape = "(C, H D)";
    step.why = "The heads stand side by side; one product mixes them into the width of the stream.";
  } else {
    const bool query = where.role == Role::kQ;
    step.symbol = query ? "q" : where.role == Role::kK ? "k" : "v";
    matrix = "W" + step.symbol;
    step.title = query ? "queries" : where.role == Role::kK ? "keys" : "values";
    step.letters = query ? "(B, T, H D)" : "(B, T, K D)";
    shape = query ? "(H D, C)" : "(K D, C)";
    step.why = query                    ? "What each token looks for."
               : where.role == Role::kK ? "What each token offers to be found by."
                                        : "What each token hands over to those that look at it.";
    if (!query && grouped) step.why += " There are fewer of these heads than of queries: groups of queries share one.";
  }
  if (formula_left.empty()) formula_left = step.symbol;
  step.formula = fmt::format("{} = {}", formula_left, product(in, matrix, bias));
  step.back = back_of(step.symbol, in, matrix, bias);
  step.weights.push_back(weight(matrix, call.inputs[1], shape));
  if (bias)
    step.weights.push_back(weight("b", call.inputs[2], fmt::format("({})", shape.substr(1, shape.rfind(',') - 1))));
  add(std::move(step), call);
}

void WalkRecorder::linear_in_mlp(const OpCall& call, const Place& where) {
  const std::string in = symbol_of(call.inputs[0]);
  const bool bias = call.inputs[2].defined();
  const std::string activation = activation_name(config_.activation);
  const bool silu_later = config_.activation == Activation::kSwiglu;  // it runs in the product of gate and up
  const bool down = where.role == Role::kDown;
  const bool activated = where.role == Role::kGate ? !silu_later : where.role == Role::kUp && !config_.gated();
  WalkStep step;
  step.symbol = down ? "m" : where.role == Role::kGate ? "g" : "u";
  step.title = down ? "what the MLP adds" : where.role == Role::kGate ? "gate" : "hidden layer";
  const std::string matrix = down ? "Wdown" : where.role == Role::kGate ? "Wgate" : "Wup";
  step.letters = down ? "(B, T, C)" : "(B, T, F)";
  const std::string inner = product(in, matrix, bias);
  step.formula = fmt::format("{} = {}", step.symbol, activated ? fmt::format("{}({})", activation, inner) : inner);
  step.why = down ? "Back to the width of the stream."
             : where.role == Role::kGate
                 ? "How far each hidden number is let through."
                 : "Each token for itself, in a wider space: F numbers, each a pattern that may be there.";
  step.back = activated ? fmt::format("dz = d{0} {1}\u2032(z), z = {2};  d{3} = dz {4};  d{4} = dz\u1D40 {3}",
                                      step.symbol, activation, inner, in, matrix)
                        : back_of(step.symbol, in, matrix, bias);
  step.weights.push_back(weight(matrix, call.inputs[1], down ? "(C, F)" : "(F, C)"));
  if (bias) step.weights.push_back(weight("b", call.inputs[2], down ? "(C)" : "(F)"));
  add(std::move(step), call);
}

void WalkRecorder::head(const OpCall& call) {
  const std::string in = symbol_of(call.inputs[0]);
  const bool bias = call.inputs[2].defined();
  const bool tied = place(call.inputs[1]).role == Role::kEmbedding;
  const std::string matrix = tied ? "E" : "W";
  WalkStep step{.title = "logits",
                .symbol = "logits",
                .letters = "(B, T, V)",
                .formula = "logits = " + product(in, matrix, bias),
                .why = tied ? "Each token's vector is compared with every row of the embedding: the more alike, the "
                              "likelier that token comes next."
                            : "A score for every token of the vocabulary to come next.",
                .back = back_of("logits", in, matrix, bias) + (tied ? ";  the embedding adds its own share to dE" : ""),
                .weights = {weight(matrix, call.inputs[1], "(V, C)")}};
  if (bias) step.weights.push_back(weight("b", call.inputs[2], "(V)"));
  add(std::move(step), call);
}

void WalkRecorder::part_of_qkv(const OpCall& call) {
  const Index first = call.outputs[0].offset() - call.inputs[0].offset();
  const Index keys = config_.n_head * config_.head_dim();
  const std::string symbol = first == 0 ? "q" : first == keys ? "k" : "v";
  add({.title = first == 0      ? "queries"
                : first == keys ? "keys"
                                : "values",
       .symbol = symbol,
       .letters = first == 0 ? "(B, T, H D)" : "(B, T, K D)",
       .formula = fmt::format("{} = its channels of [q | k | v]", symbol),
       .why = first == 0      ? "What each token looks for."
              : first == keys ? "What each token offers to be found by."
                              : "What each token hands over to those that look at it.",
       .back = "goes back to its channels of d[q | k | v]"},
      call);
}

void WalkRecorder::rope(const OpCall& call) {
  const std::string symbol = symbol_of(call.inputs[0]);
  const bool halves = config_.rope_style == RopeStyle::kHalf;
  add({.title = symbol == "q" ? "queries, turned" : "keys, turned",
       .symbol = symbol,
       .letters = symbol == "q" ? "(B, T, H D)" : "(B, T, K D)",
       .formula = "(a, b) \u2192 (a cos \u03B1 \u2212 b sin \u03B1,  b cos \u03B1 + a sin \u03B1)",
       .why = fmt::format("Channel i of a head and channel {} are a pair, turned by the angle of the token's position.",
                          halves ? "i + R/2" : "i + 1 (i even)"),
       .back = fmt::format("d{} is turned back by the same angles", symbol)},
      call);
}

void WalkRecorder::inside(WalkStep step, const Tensor& tensor) {
  step.part = part_;
  step.tensor = tensor;
  steps_.push_back(std::move(step));
}

void WalkRecorder::heads(const AttentionCall& seen) {
  const auto show = [&](const char* title, const char* symbol, const char* why, const Tensor& tensor) {
    inside({.title = title,
            .symbol = symbol,
            .letters = "(B, H, T, D)",
            .formula = fmt::format("{} = its channels of [q | k | v], cut into H heads", symbol),
            .why = why},
           tensor);
  };
  show("queries, head by head", "q", "What each token looks for. A head is D channels and works alone.", seen.q);
  show("keys, head by head", "k", "What each token offers to be found by.", seen.k);
  show("values, head by head", "v", "What each token hands over to those that look at it.", seen.v);
}

void WalkRecorder::scores(const AttentionCall& seen, const Tensor& weights) {
  if (seen.inputs.mask.defined() || seen.inputs.alibi_slopes.defined()) return;  // told by the weights alone
  std::string formula = "s = q k\u1D40 / \u221AD,  \u2212\u221E where a token may not look";
  if (seen.k.size(1) != seen.q.size(1)) formula += ";  head h reads key head \u230Ah K/H\u230B";
  std::string why = "How well each query fits each key, per head.";
  if (seen.options.causal) why += " A token may not look at what comes after it";
  if (seen.options.causal && seen.options.window > 0) {
    why += fmt::format(", nor further back than {} tokens, itself included", seen.options.window);
  }
  inside({.kind = WalkKind::kMaps,
          .title = "scores",
          .symbol = "s",
          .letters = "(B, H, T, T)",
          .formula = formula,
          .why = why + (seen.options.causal ? "." : "")},
         scores_of(seen, weights));
}

bool WalkRecorder::attention(const OpCall& call) {
  const std::optional<AttentionCall> seen = attention_call(call);
  if (!seen) return false;
  const Tensor weights = seen->weights();
  const bool grouped = seen->k.size(1) != seen->q.size(1);
  if (call.op.doc.name == "packed_self_attention") heads(*seen);
  scores(*seen, weights);
  inside({.kind = WalkKind::kMaps,
          .title = "attention weights",
          .symbol = "w",
          .letters = "(B, H, T, T)",
          .formula = "w = softmax(s), row by row",
          .why = "Each row becomes shares that sum to 1: how much a token takes from each other one."},
         weights);
  add({.title = "what the heads gathered",
       .symbol = "z",
       .letters = "(B, T, H D)",
       .formula = fmt::format("z = w v, the heads side by side{}",
                              grouped ? ";  head h reads value head \u230Ah K/H\u230B" : ""),
       .why = "A mean of the values, weighted by attention. The program computes scores, weights and this in tiles and "
              "never holds the first two whole.",
       .back = "dv = w\u1D40 dz;  dw = dz v\u1D40;  ds = w (dw \u2212 \u03A3 w dw);  dq = ds k/\u221AD;  dk = ds\u1D40 "
               "q/\u221AD"},
      call);
  return true;
}

void WalkRecorder::gate(const OpCall& call) {
  const bool silu_here = call.op.doc.name == "swiglu";
  const std::string opened = silu_here ? "silu(g)" : "g";
  add({.title = "gated hidden layer",
       .symbol = "h",
       .letters = "(B, T, F)",
       .formula = fmt::format("h = {} \u00B7 u", opened),
       .why = "The gate decides, number by number, how much of the hidden layer passes.",
       .back = silu_here ? "dg = dh u silu\u2032(g);  du = dh silu(g)" : "dg = dh u;  du = dh g"},
      call);
}

}  // namespace minnow
