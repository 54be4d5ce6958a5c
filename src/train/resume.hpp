#pragma once
/// @file
/// Decides what happens with what is already in a run directory.

#include <optional>
#include <string>
#include <vector>

#include "minnow/io/checkpoint.hpp"
#include "minnow/optim/schedule.hpp"
#include "minnow/train/trainer.hpp"
#include "train/train_state.hpp"

namespace minnow {

/// The checkpoint that a run goes on from.
struct ResumePoint {
  Checkpoint checkpoint;
  TrainState state;
  LoadedConfig config;      ///< as the run was last trained
  std::string environment;  ///< environment.json
  std::shared_ptr<const Tokenizer> tokenizer;
};

/// @return what becomes of a schedule that was made for more steps than train.max_steps; empty where it fits.
[[nodiscard]] std::string cut_schedule(const Config& config);

/// @return the newest checkpoint that verifies, or nothing when the directory has none.
/// Throws: CheckpointError when there are some but none verifies.
[[nodiscard]] std::optional<ResumePoint> find_resume_point(const std::filesystem::path& run_dir,
                                                           std::vector<std::string>& warnings);

/// @return whether a run was started here before.
[[nodiscard]] bool holds_a_run(const std::filesystem::path& run_dir);

/// Throws: ConfigError that names `who` when the directory holds packed data or a model of somebody else, whose
/// tokenizer a run would write over.
void require_no_other_contents(const std::filesystem::path& run_dir, std::string_view who);

/// Throws: ConfigError that names `who` when the directory is no run and holds files that a run writes: they are
/// somebody's. (Those of a run that saved nothing yet are known by their config.toml.)
void require_no_other_files(const std::filesystem::path& run_dir, std::string_view who);

/// @return differences of configuration and environment, and how the schedule changes.
[[nodiscard]] std::vector<ResumeFinding> compare_with(const ResumePoint& point, const Config& now);

/// Throws: CheckpointError listing every finding that is refused.
void refuse_if_any(const std::vector<ResumeFinding>& findings);

/// Marks the best checkpoint again: a process that dies between saving it and marking it leaves the mark at an older
/// one.
void restore_best_mark(const std::filesystem::path& run_dir, const TrainState& state, bool keep_best);

/// @return the learning-rate schedule that a configuration describes.
[[nodiscard]] Schedule schedule_of(const Config& config);

}  // namespace minnow
