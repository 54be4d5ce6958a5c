#include "train/copy_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/models/decoder.hpp"
#include "minnow/ops/shape.hpp"

namespace minnow {
namespace {

const Parameter* find_parameter(LanguageModel& model, const std::string& name) {
  const auto& all = model.parameters().all();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Parameter& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

[[noreturn]] void refuse_weights_of(const std::filesystem::path& where, const std::string& rule) {
  throw CheckpointError(
      fmt::format("[init-from] {}. Hint: leave out the keys of [model] that differ: those of {} are taken then", rule,
                  where.string()));
}

}  // namespace

void require_finite(LanguageModel& model, const std::filesystem::path& where, std::string_view who) {
  for (const Parameter& parameter : model.parameters().all()) {
    const std::span<const float> values(parameter.tensor.data<float>(),
                                        static_cast<std::size_t>(parameter.tensor.numel()));
    const auto bad = std::count_if(values.begin(), values.end(), [](float value) { return !std::isfinite(value); });
    if (bad == 0) continue;
    throw CheckpointError(fmt::format(
        "[{}] weights must be finite; {} of {} has {} value{} not. Hint: `minnow inspect {}` counts them", who,
        parameter.name, where.string(), grouped(bad), bad == 1 ? " that is" : "s that are", where.string()));
  }
}

std::vector<std::string> copy_weights(LanguageModel& from, LanguageModel& into, const ModelConfig& model,
                                      const std::filesystem::path& where) {
  std::vector<std::string> notes;
  for (const Parameter& parameter : into.parameters().all()) {
    const Parameter* source = find_parameter(from, parameter.name);
    if (source == nullptr) {
      refuse_weights_of(where,
                        fmt::format("the weights must be those of the model; {} is not among them", parameter.name));
    }
    Tensor values = source->tensor.alias();
    const Shape& here = parameter.tensor.shape();
    const bool longer =
        parameter.name == positions_name(model.family) && values.shape()[0] > here[0] && values.shape()[1] == here[1];
    if (longer) {
      notes.push_back(fmt::format("of the {} positions of {} the first {} are taken", grouped(values.shape()[0]),
                                  where.string(), grouped(here[0])));
      values = slice(values, 0, 0, here[0]);
    }
    if (values.shape() != here) {
      refuse_weights_of(where, fmt::format("the tensors must have the model's shapes; {} is {} there and {} here",
                                           parameter.name, values.shape().str(), here.str()));
    }
    Tensor target = parameter.tensor;
    target.copy_from(values);
  }
  for (const Parameter& parameter : from.parameters().all()) {
    if (find_parameter(into, parameter.name) == nullptr) {
      refuse_weights_of(where,
                        fmt::format("the model must have a place for all weights; it has none for {}", parameter.name));
    }
  }
  return notes;
}

}  // namespace minnow
