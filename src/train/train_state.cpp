#include "train/train_state.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "minnow/base/error.hpp"

namespace minnow {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kFormat = 1;

Json optional_number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

std::optional<double> read_optional(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional<double>(json.get<double>());
}

/// A loss that is no number is written as null.
double read_number(const Json& json) { return json.is_null() ? std::nan("") : json.get<double>(); }

/// Numbers that no run writes would be an index, a size or an overflow later on.
void check(const TrainState& s) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53U;  // sums of two stay far from overflow
  const auto within = [](const char* name, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value >= least && value <= most) return;
    throw CheckpointError(fmt::format("{} must be from {} to {}; got {}", name, least, most, value));
  };
  within("step", s.step, 0, kMost);
  within("optimizer_steps", s.optimizer_steps, 0, s.step);
  within("tokens", s.tokens, 0, kMost);
  within("skipped_steps", s.skipped_steps, 0, s.step);
  within("bad_steps_in_row", s.bad_steps_in_row, 0, s.step);
  within("best_windows", s.best_windows, 0, kMost);
  within("val_windows", s.val_windows, 0, kMost);
  within("best_step", s.best_step, 0, s.step);
  within("evals_without_best", s.evals_without_best, 0, s.step);
  within("val_step", s.val_step, 0, s.step);
  within("logged_step", s.logged_step, 0, s.step);
  within("seed", s.seed, 0, INT64_MAX);
  within("leaf_sequences", s.leaf_sequences, 1, kMost);
  within("vocab_size", s.vocab_size, 1, kMost);
  if (s.prompt_start) within("prompt_start", *s.prompt_start, -1, s.vocab_size - 1);
}

TrainState read(const Json& json) {
  TrainState state;
  if (json.at("format").get<int>() != kFormat) throw CheckpointError(fmt::format("format must be {}", kFormat));
  state.step = json.at("step");
  state.optimizer_steps = json.at("optimizer_steps");
  state.tokens = json.at("tokens");
  state.skipped_steps = json.at("skipped_steps");
  state.bad_steps_in_row = json.at("bad_steps_in_row");
  state.best_val_loss = read_optional(json.at("best_val_loss"));
  state.best_windows = json.value("best_windows", std::int64_t{0});  // states of earlier versions have none
  state.best_step = json.at("best_step");
  state.evals_without_best = json.at("evals_without_best");
  state.val_loss = read_optional(json.at("val_loss"));
  state.val_step = json.at("val_step");
  state.val_windows = json.value("val_windows", std::int64_t{0});
  state.logged_step = json.at("logged_step");
  state.stopped_early = json.at("stopped_early");
  state.loss = read_number(json.at("loss"));
  state.grad_norm = read_number(json.at("grad_norm"));
  state.lr = read_number(json.at("lr"));
  state.seed = json.at("seed");
  state.leaf_sequences = json.at("leaf_sequences");
  state.vocab_size = json.at("vocab_size");
  if (json.contains("prompt_start")) state.prompt_start = json.at("prompt_start").get<std::int64_t>();
  for (const Json& file : json.at("data")) state.data.files.push_back({"", file.at("bytes"), file.at("sha256")});
  check(state);
  return state;
}

}  // namespace

std::string TrainState::to_json() const {
  Json files = Json::array();
  for (const DataFile& file : data.files) files.push_back({{"bytes", file.bytes}, {"sha256", file.sha256}});
  const Json json{{"format", kFormat},
                  {"step", step},
                  {"optimizer_steps", optimizer_steps},
                  {"tokens", tokens},
                  {"skipped_steps", skipped_steps},
                  {"bad_steps_in_row", bad_steps_in_row},
                  {"best_val_loss", optional_number(best_val_loss)},
                  {"best_windows", best_windows},
                  {"best_step", best_step},
                  {"evals_without_best", evals_without_best},
                  {"val_loss", optional_number(val_loss)},
                  {"val_step", val_step},
                  {"val_windows", val_windows},
                  {"logged_step", logged_step},
                  {"stopped_early", stopped_early},
                  {"loss", loss},
                  {"grad_norm", grad_norm},
                  {"lr", lr},
                  {"seed", seed},
                  {"leaf_sequences", leaf_sequences},
                  {"vocab_size", vocab_size},
                  {"prompt_start", prompt_start.value_or(-1)},
                  {"data", files}};
  return json.dump(1) + "\n";
}

TrainState TrainState::from_json(std::string_view text, const std::string& who) {
  try {
    return read(Json::parse(text));
  } catch (const std::exception& error) {
    throw CheckpointError(fmt::format(
        "[state] {} must hold the state of a run; {}. Hint: resume from another checkpoint", who, error.what()));
  }
}

}  // namespace minnow
