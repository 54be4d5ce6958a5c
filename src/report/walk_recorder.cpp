#include "report/walk_recorder.hpp"

#include <fmt/format.h>

#include <charconv>

#include "minnow/autograd/variable.hpp"

namespace minnow {
namespace {

struct Suffix {
  std::string_view text;
  Role role;
};
constexpr Suffix kSuffixes[] = {
    {"wte", Role::kEmbedding},      {"embed_tokens", Role::kEmbedding},
    {"wpe", Role::kPositions},      {"embed_positions", Role::kPositions},
    {"ln_1", Role::kNorm1},         {"input_layernorm", Role::kNorm1},
    {"ln_2", Role::kNorm2},         {"post_attention_layernorm", Role::kNorm2},
    {"ln_f", Role::kFinalNorm},     {"model.norm", Role::kFinalNorm},
    {"attn.c_attn", Role::kQkv},    {"attn.c_proj", Role::kOut},
    {"self_attn.q_proj", Role::kQ}, {"self_attn.k_proj", Role::kK},
    {"self_attn.v_proj", Role::kV}, {"self_attn.o_proj", Role::kOut},
    {"mlp.c_gate", Role::kGate},    {"mlp.gate_proj", Role::kGate},
    {"mlp.c_fc", Role::kUp},        {"mlp.up_proj", Role::kUp},
    {"mlp.c_proj", Role::kDown},    {"mlp.down_proj", Role::kDown},
    {"lm_head", Role::kHead},
};

bool in_attention(Role role) {
  return role == Role::kQkv || role == Role::kQ || role == Role::kK || role == Role::kV || role == Role::kOut;
}
bool in_mlp(Role role) { return role == Role::kGate || role == Role::kUp || role == Role::kDown; }

}  // namespace

Place place_of(const std::string& name) {
  Place place;
  place.name = name;
  const std::string layer = name.substr(0, name.rfind('.'));  // without .weight or .bias
  for (const Suffix& suffix : kSuffixes) {
    if (layer.ends_with(suffix.text)) place.role = suffix.role;
  }
  for (const std::string_view blocks : {".h.", ".layers."}) {
    const std::size_t at = name.find(blocks);
    if (at == std::string::npos) continue;
    std::from_chars(name.data() + at + blocks.size(), name.data() + name.size(), place.layer);
  }
  return place;
}

Place WalkRecorder::place(const Tensor& x) const {
  for (const Parameter& parameter : parameters_.all()) {
    if (x.defined() && parameter.tensor.is(x)) return place_of(parameter.name);
  }
  return {};
}

std::string WalkRecorder::symbol_of(const Tensor& x) const {
  for (std::size_t i = symbols_.size(); i-- > 0;) {
    if (symbols_[i].first.is(x)) return symbols_[i].second;
  }
  return "x";
}

WalkStep& WalkRecorder::add(WalkStep step, const OpCall& call, std::size_t output) {
  step.part = part_;
  step.tensor = call.outputs[output];
  if (requires_grad(step.tensor)) {
    retain_grad(step.tensor);
    if (!step.watched.defined()) step.watched = step.tensor;
  }
  symbols_.emplace_back(step.tensor, step.symbol);
  steps_.push_back(std::move(step));
  return steps_.back();
}

WalkWeight WalkRecorder::weight(const std::string& symbol, const Tensor& x, std::string letters) const {
  return {.symbol = symbol, .name = place(x).name, .letters = std::move(letters), .tensor = x};
}

void WalkRecorder::enter(const Place& place) {
  if (in_attention(place.role) || place.role == Role::kNorm1) part_ = fmt::format("block {}, attention", place.layer);
  if (in_mlp(place.role) || place.role == Role::kNorm2) part_ = fmt::format("block {}, MLP", place.layer);
  if (place.role == Role::kFinalNorm || place.role == Role::kHead) part_ = "head";
}

void WalkRecorder::look(const OpCall& call) {
  if (!attention(call) && !known(call)) unknown(call);
}

bool WalkRecorder::known(const OpCall& call) {
  const std::string_view name = call.op.doc.name;
  const auto takes = [&](std::size_t input, std::string_view symbol) {
    return symbol_of(call.inputs[input]) == symbol;
  };
  if (name == "embedding") return embedding(call), true;
  if (name == "slice" && takes(0, "qkv")) return part_of_qkv(call), true;
  if (name == "slice") return table_slice(call), true;
  if (name == "add") return sum(call), true;
  if (name == "layer_norm") return norm(call, 0, call.inputs[1], call.inputs[2]), true;
  if (name == "rms_norm") return norm(call, 0, call.inputs[1], {}), true;
  if (name == "add_layer_norm" || name == "add_rms_norm") return added_norm(call), true;
  if (name == "linear") return linear(call), true;
  if (name == "row_rope") return rope(call), true;
  if (name == "swiglu" || (name == "mul" && takes(0, "g"))) return gate(call), true;
  if (name == "cross_entropy") return loss(call), true;
  return false;
}

void WalkRecorder::embedding(const OpCall& call) {
  add({.title = "token embedding",
       .symbol = "e",
       .letters = "(B, T, C)",
       .formula = "e[t] = E[id[t]]",
       .why = "Every token of the vocabulary has a row of C numbers of its own, learned; the id picks it.",
       .back = "dE[id[t]] += de[t]: a row learns wherever its token stands",
       .weights = {weight("E", call.inputs[0], "(V, C)")}},
      call);
}

void WalkRecorder::table_slice(const OpCall& call) {
  if (config_.position == PositionKind::kRotary) {
    add({.title = "angles of the positions",
         .symbol = "\u03B1",
         .letters = "(T, R)",
         .formula = fmt::format("\u03B1[t, i] = t \u00B7 {:g}^(\u22122i/R), R = {};  cos \u03B1, then sin \u03B1",
                                config_.rope_theta, config_.rotary_width()),
         .why = "Queries and keys will be turned by these angles, so that their product depends on how far apart the "
                "tokens stand.",
         .back = "a constant: no gradient"},
        call);
    return;
  }
  const bool learned = config_.position == PositionKind::kLearned;
  WalkStep step{.title = "position embedding",
                .symbol = "p",
                .letters = "(T, C)",
                .formula = learned ? "p[t] = P[t]" : "p[t, 2i] = sin(t / 10000^(2i/C)),  p[t, 2i+1] = cos(\u2026)",
                .why = learned ? "Every place in the text has a row of C numbers of its own, learned too: order would "
                                 "be lost otherwise."
                               : "Every place in the text has a pattern of waves: order would be lost otherwise.",
                .back = learned ? "dP[t] = dp[t], summed over the batch" : "a constant: no gradient"};
  if (learned) step.weights = {weight("P", call.inputs[0], "(N, C)")};
  add(std::move(step), call);
}

void WalkRecorder::sum(const OpCall& call) {
  add({.title = "start of the stream",
       .symbol = "x",
       .letters = "(B, T, C)",
       .formula = fmt::format("x = {} + {}", symbol_of(call.inputs[0]), symbol_of(call.inputs[1])),
       .why = "What a token is and where it stands, in one vector. Every block reads this stream and adds to it.",
       .back = "both summands get dx as it is"},
      call);
}

void WalkRecorder::norm(const OpCall& call, std::size_t output, const Tensor& scale, const Tensor& shift) {
  const Place where = place(scale);
  if (config_.norm_position == NormPosition::kPre) enter(where);
  const bool rms = config_.norm == NormLayer::kRms;
  const std::string in = output == 0 ? symbol_of(call.inputs[0]) : "x";
  const std::string out = config_.norm_position == NormPosition::kPost ? "x" : "y";
  WalkStep step{.title = where.role == Role::kFinalNorm ? "final norm" : "norm", .symbol = out, .letters = "(B, T, C)"};
  if (rms) {
    step.formula = fmt::format("{} = {} / \u221A(mean({}\u00B2) + \u03B5) \u00B7 \u03B3", out, in, in);
    step.why = "Each token's vector is brought to one length (RMSNorm), so that no layer sees numbers that grow.";
    step.back = fmt::format(
        "with n = {1} / rms, g = d{0} \u03B3: d{1} = (g \u2212 n mean(g n)) / rms;  d\u03B3 = \u03A3 d{0} n", out, in);
  } else {
    step.formula = fmt::format("{} = ({} \u2212 mean) / \u221A(var + \u03B5) \u00B7 \u03B3{}", out, in,
                               shift.defined() ? " + \u03B2" : "");
    step.why =
        "Each token's vector is brought to mean 0 and variance 1 (LayerNorm), so that no layer sees numbers that grow.";
    step.back = fmt::format(
        "with n = ({1} \u2212 mean) / \u03C3, g = d{0} \u03B3: d{1} = (g \u2212 mean(g) \u2212 n mean(g n)) / \u03C3;  "
        "d\u03B3 = \u03A3 d{0} n{2}",
        out, in, shift.defined() ? fmt::format(";  d\u03B2 = \u03A3 d{}", out) : "");
  }
  if (scale.defined()) step.weights.push_back(weight("\u03B3", scale, "(C)"));
  if (shift.defined()) step.weights.push_back(weight("\u03B2", shift, "(C)"));
  add(std::move(step), call, output);
}

void WalkRecorder::added_norm(const OpCall& call) {
  const std::string what = symbol_of(call.inputs[1]);
  // The two results come from one operation. Whole, the gradient of the sum is what the operation hands to both
  // summands; what reaches the sum itself lacks the way through the norm.
  add({.title = what == "m" ? "the MLP's answer joins the stream" : "attention's answer joins the stream",
       .symbol = "x",
       .letters = "(B, T, C)",
       .formula = fmt::format("x = {} + {}", symbol_of(call.inputs[0]), what),
       .why = "A residual connection: the old vector stays, the part adds what it found.",
       .back = "both summands get dx as it is: gradients reach early layers unweakened",
       .watched = requires_grad(call.inputs[1]) ? call.inputs[1] : Tensor()},
      call);
  const bool has_bias = call.op.doc.name == "add_layer_norm";
  norm(call, 1, call.inputs[2], has_bias ? call.inputs[3] : Tensor());
}

void WalkRecorder::unknown(const OpCall& call) {
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    add({.title = std::string(call.op.doc.name),
         .symbol = symbol_of(call.inputs[0]),
         .letters = "",
         .formula = std::string(call.op.doc.formula),
         .why = std::string(call.op.doc.signature),
         .back = ""},
        call, i);
  }
}

void WalkRecorder::loss(const OpCall& call) {
  part_ = "loss";
  add({.kind = WalkKind::kScalar,
       .title = "loss",
       .symbol = "L",
       .letters = "()",
       .formula = "L = \u2212 mean over t < T\u22121 of ln p[t, id[t+1]]",
       .why = "How surprised the model is by the token that really follows, averaged over all places that have one. "
              "Training makes this number small.",
       .back = "dlogits[t] = (p[t] \u2212 onehot(id[t+1])) / (T\u22121);  0 at the last token"},
      call);
}

}  // namespace minnow
