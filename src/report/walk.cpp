#include "minnow/report/walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/observe.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/ops/loss.hpp"
#include "minnow/report/attention_maps.hpp"
#include "report/walk_recorder.hpp"

namespace minnow {
namespace {

constexpr std::int64_t kIgnored = -100;  // target of the last token, which has no next one
constexpr std::size_t kLikely = 8;       // next tokens named

std::vector<std::pair<std::string, std::string>> letters_of(const ModelConfig& config, Index length, Index vocab_size) {
  std::vector<std::pair<std::string, std::string>> letters = {
      {"B", "1 text"},
      {"T", fmt::format("{} tokens", length)},
      {"C", fmt::format("{} channels, the width of the stream", config.n_embd)},
      {"H", fmt::format("{} heads", config.n_head)},
      {"D", fmt::format("{} channels of a head", config.head_dim())},
      {"F", fmt::format("{} hidden numbers of the MLP", config.hidden_width())},
      {"V", fmt::format("{} tokens in the vocabulary", grouped(vocab_size))}};
  if (config.kv_heads() != config.n_head || config.rotary_width() > 0) {
    letters.insert(letters.begin() + 4, {"K", fmt::format("{} heads of keys and values", config.kv_heads())});
  }
  if (config.rotary_width() > 0)
    letters.emplace_back("R", fmt::format("{} channels of a head that turn", config.rotary_width()));
  if (config.position == PositionKind::kLearned) {
    letters.emplace_back("N", fmt::format("{} positions at most", config.block_size));
  }
  return letters;
}

WalkStep ids_step(const Tensor& tokens, Index vocab_size) {
  return {.kind = WalkKind::kIds,
          .part = "text",
          .title = "ids",
          .symbol = "id",
          .letters = "(B, T)",
          .formula = fmt::format("id[t] = number of token t, 0 \u2026 {}", vocab_size - 1),
          .why = "The text is cut into tokens; each is a number in the vocabulary.",
          .back = "",
          .tensor = tokens};
}

WalkStep probabilities_step(const Tensor& logits) {
  return {.kind = WalkKind::kProbabilities,
          .part = "head",
          .title = "probabilities of the next token",
          .symbol = "p",
          .letters = "(B, T, V)",
          .formula = "p = softmax(logits) = e^logits / \u03A3 e^logits",
          .why = "At every token a distribution over what comes next. The last row is what a sampler draws from.",
          .back = "",
          .tensor = softmax(logits, -1)};
}

/// @return the tokens that most probably come next.
std::vector<std::pair<std::string, double>> likely_next(const Tensor& probabilities, const Tokenizer* tokenizer) {
  const auto all = probabilities.to_vector<float>();
  const auto classes = static_cast<std::size_t>(probabilities.size(-1));
  const float* const last = all.data() + all.size() - classes;
  std::vector<std::size_t> order(classes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t count = std::min(kLikely, classes);
  for (std::size_t i = 0; i < classes; ++i) {
    if (std::isfinite(last[i])) continue;
    throw NumericError(
        "[walk] the probabilities must be finite; some are not. Hint: the training has diverged; an "
        "earlier checkpoint (--checkpoint) may be whole");
  }
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::size_t a, std::size_t b) { return last[a] != last[b] ? last[a] > last[b] : a < b; });
  std::vector<std::pair<std::string, double>> likely;
  for (std::size_t i = 0; i < count; ++i) {
    likely.emplace_back(visible_token(tokenizer, static_cast<std::int32_t>(order[i])),
                        static_cast<double>(last[order[i]]));
  }
  return likely;
}

Tensor next_tokens(std::span<const std::int32_t> ids) {
  std::vector<std::int64_t> targets(ids.begin() + 1, ids.end());
  targets.push_back(kIgnored);
  return Tensor::from(targets, {1, static_cast<Index>(targets.size())});
}

double squared_norm(const Tensor& x) {
  double sum = 0;
  for (const double one : x.to_vector<double>()) sum += one * one;
  return sum;
}

void collect_gradients(Walk& walk, const ParameterList& parameters) {
  double total = 0;
  for (const Parameter& parameter : parameters.all()) {
    if (const Tensor gradient = grad(parameter.tensor); gradient.defined()) total += squared_norm(gradient);
  }
  walk.gradient_norm = std::sqrt(total);
  for (WalkStep& step : walk.steps) {
    if (step.watched.defined()) step.gradient = grad(step.watched);
    for (WalkWeight& weight : step.weights) weight.gradient = grad(weight.tensor);
  }
}

/// The pass back: L, then gradients.
void train_once(Walk& walk, WalkRecorder& recorder, const Tensor& logits, std::span<const std::int32_t> ids) {
  Tensor loss;
  {
    const Observer observer([&](const OpCall& call) { recorder.look(call); });
    loss = cross_entropy(logits, next_tokens(ids), {.ignore_index = kIgnored});
  }
  walk.trained = true;
  walk.loss = loss.item();
  backward(loss);
}

}  // namespace

Walk make_walk(LanguageModel& model, const ModelConfig& config, const Tokenizer* tokenizer,
               std::span<const std::int32_t> ids, bool train) {
  if (train && ids.size() < 2) {
    throw DataError(
        fmt::format("[walk] --train needs at least two tokens, since each learns from the next; got {}", ids.size()));
  }
  Walk walk;
  for (const std::int32_t id : ids) walk.labels.push_back(visible_token(tokenizer, id));
  const auto length = static_cast<Index>(ids.size());
  walk.letters = letters_of(config, length, model.vocab_size());
  walk.has_dropout = config.attention_dropout() > 0 || config.residual_dropout() > 0 || config.embedding_dropout() > 0;
  const Tensor tokens = Tensor::from(ids, {1, length});
  WalkRecorder recorder(model.parameters(), config);
  recorder.steps().push_back(ids_step(tokens, model.vocab_size()));
  std::optional<NoGrad> no_grad;
  if (!train) no_grad.emplace();
  Tensor logits;
  {
    const Observer observer([&](const OpCall& call) { recorder.look(call); });
    logits = model.logits(tokens, {});
  }
  recorder.steps().push_back(probabilities_step(detach(logits)));
  walk.likely = likely_next(recorder.steps().back().tensor, tokenizer);
  if (train) train_once(walk, recorder, logits, ids);
  walk.steps = std::move(recorder.steps());
  if (train) collect_gradients(walk, model.parameters());
  return walk;
}

}  // namespace minnow
