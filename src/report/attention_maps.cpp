#include "minnow/report/attention_maps.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/observe.hpp"
#include "minnow/base/error.hpp"
#include "minnow/ops/attention.hpp"

namespace minnow {
namespace {

constexpr double kMostBytes = 1024.0 * 1024.0 * 1024.0;

/// Takes the weights of every attention that runs.
class WeightReader {
 public:
  void look(const OpCall& call) {
    const std::optional<AttentionCall> seen = attention_call(call);
    if (!seen) return;
    check_size(seen->q.size(1), seen->q.size(2));
    const Tensor weights = seen->weights();  // (1, H, T, T)
    heads_ = weights.size(1);
    const auto numbers = weights.to_vector<float>();
    for (const float one : numbers) {
      if (!std::isfinite(one)) {
        throw NumericError(
            fmt::format("[attention] the weights must be finite; those of layer {} are not. Hint: the training has "
                        "diverged; an earlier checkpoint (--checkpoint) may be whole",
                        layers_));
      }
    }
    all_.insert(all_.end(), numbers.begin(), numbers.end());
    ++layers_;
  }
  void move_to(AttentionMaps& maps) {
    maps.layers = layers_;
    maps.heads = heads_;
    maps.weights = std::move(all_);
  }

 private:
  void check_size(Index heads, Index length) const {
    const double bytes = static_cast<double>((layers_ + 1) * heads * length * length) * sizeof(float);
    if (bytes <= kMostBytes) return;
    throw DataError(
        fmt::format("[attention] the weights of all layers must fit in 1 GiB; those of {} layers of {} "
                    "heads over {} tokens do not. Hint: a shorter text",
                    layers_ + 1, heads, length));
  }

  Index layers_ = 0, heads_ = 0;
  std::vector<float> all_;
};

/// @return the numbers of what is shown; nothing stands for the mean.
std::vector<std::optional<Index>> shown(const MapChoice& choice, Index count, bool with_mean) {
  if (choice.kind == MapChoice::Kind::kMean) return {std::nullopt};
  if (choice.kind == MapChoice::Kind::kOne) return {choice.index};
  std::vector<std::optional<Index>> all;
  for (Index i = 0; i < count; ++i) all.emplace_back(i);
  if (with_mean && count > 1) all.emplace_back(std::nullopt);
  return all;
}

std::string title_of(std::optional<Index> layer, std::optional<Index> head) {
  if (!layer && !head) return "mean of all";
  return fmt::format("{}, {}", layer ? fmt::format("layer {}", *layer) : std::string("all layers"),
                     head ? fmt::format("head {}", *head) : std::string("mean"));
}

}  // namespace

std::vector<float> AttentionMaps::map(std::optional<Index> layer, std::optional<Index> head) const {
  const Index cells = length() * length();
  std::vector<double> sum(static_cast<std::size_t>(cells), 0.0);
  double count = 0;
  for (Index l = layer.value_or(0); l < (layer ? *layer + 1 : layers); ++l) {
    for (Index h = head.value_or(0); h < (head ? *head + 1 : heads); ++h) {
      const float* const from = weights.data() + (l * heads + h) * cells;
      for (Index i = 0; i < cells; ++i) sum[static_cast<std::size_t>(i)] += static_cast<double>(from[i]);
      ++count;
    }
  }
  std::vector<float> mean;
  mean.reserve(sum.size());
  for (const double one : sum) mean.push_back(static_cast<float>(one / count));
  return mean;
}

AttentionMaps read_attention(LanguageModel& model, std::span<const std::int32_t> ids, std::vector<std::string> labels) {
  const auto length = static_cast<Index>(ids.size());
  WeightReader reader;
  const NoGrad no_grad;
  const Tensor tokens = Tensor::from(ids, {1, length});
  {
    const Observer observer([&](const OpCall& call) { reader.look(call); });
    (void)model.logits(tokens, {});
  }
  AttentionMaps maps;
  maps.tokens = std::move(labels);
  reader.move_to(maps);
  return maps;
}

MapChoice MapChoice::parse(std::string_view text, std::string_view what, Index count) {
  if (text == "all") return {Kind::kAll};
  if (text == "mean") return {Kind::kMean};
  Index index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error == std::errc() && end == text.data() + text.size() && index >= 0 && index < count) {
    return {Kind::kOne, index};
  }
  throw ConfigError(
      fmt::format("[attention] --{} must be a number from 0 to {}, mean or all; got '{}'", what, count - 1, text));
}

std::vector<std::vector<MapPanel>> map_panels(const AttentionMaps& maps, const MapChoice& layer,
                                              const MapChoice& head) {
  std::vector<std::vector<MapPanel>> rows;
  const auto panel = [&](std::optional<Index> l, std::optional<Index> h) {
    return MapPanel{title_of(l, h), maps.map(l, h)};
  };
  if (layer.kind == MapChoice::Kind::kAll && head.kind == MapChoice::Kind::kAll && maps.layers * maps.heads > 1) {
    rows.push_back({panel({}, {})});
  }
  for (const std::optional<Index> l : shown(layer, maps.layers, false)) {
    rows.emplace_back();
    for (const std::optional<Index> h : shown(head, maps.heads, true)) rows.back().push_back(panel(l, h));
  }
  return rows;
}

}  // namespace minnow
