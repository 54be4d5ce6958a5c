#pragma once
/// @file
/// Everything of a run's state that is no tensor, as it stands in state.json.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "minnow/data/fingerprint.hpp"

namespace minnow {

/// The counters of a run after `step` steps. Text form: JSON without time stamps, so equal states give equal bytes.
struct TrainState {
  std::int64_t step = 0;             ///< steps done, skipped ones included: which batch comes next
  std::int64_t optimizer_steps = 0;  ///< steps applied: what schedule and bias correction count
  std::int64_t tokens = 0;           ///< targets trained on
  std::int64_t skipped_steps = 0;
  std::int64_t bad_steps_in_row = 0;
  std::optional<double> best_val_loss;
  std::int64_t best_windows = 0;  ///< that best_val_loss is of; 0 = the whole split
  std::int64_t best_step = 0;
  std::int64_t evals_without_best = 0;
  std::optional<double> val_loss;  ///< of the last evaluation, made at val_step
  std::int64_t val_step = 0;
  std::int64_t val_windows = 0;  ///< that val_loss is of; 0 = the whole split
  std::int64_t logged_step = 0;  ///< up to here logs, evaluations and samples are complete
  bool stopped_early = false;

  double loss = 0, grad_norm = 0, lr = 0;  ///< of the last step, for its log line

  std::int64_t seed = 0;
  std::int64_t leaf_sequences = 0;
  std::int64_t vocab_size = 0;
  /// Id that a prompt begins with, since documents did; -1: none; absent in older states.
  std::optional<std::int64_t> prompt_start;
  DataFingerprint data;  ///< sizes and digests; paths are not kept

  [[nodiscard]] std::string to_json() const;
  /// Throws: CheckpointError naming `who` and the field that is missing or wrong.
  [[nodiscard]] static TrainState from_json(std::string_view text, const std::string& who);
};

}  // namespace minnow
