#include "train/resume.hpp"

#include <fmt/format.h>

#include "minnow/base/error.hpp"
#include "minnow/base/sha256.hpp"
#include "minnow/config/choices.hpp"
#include "minnow/config/load.hpp"
#include "minnow/data/shard.hpp"
#include "minnow/exchange/model_folder.hpp"
#include "minnow/io/file.hpp"
#include "train/checkpoint_texts.hpp"
#include "train/kept_text.hpp"
#include "train/model_files.hpp"

namespace minnow {
namespace {

constexpr std::string_view kRefused = "refused";

/// Says what raising or lowering train.max_steps does to the rates that come.
void compare_schedules(const ResumePoint& point, const Config& now, std::vector<ResumeFinding>& findings) {
  const Config& before = point.config.config;
  if (before.train.max_steps == now.train.max_steps) return;
  const std::int64_t next = point.state.optimizer_steps;
  const double old_rate = schedule_of(before).at(next);
  const double new_rate = schedule_of(now).at(next);
  findings.push_back({"learning rate of the next step", fmt::format("{:.6g}", old_rate),
                      fmt::format("{:.6g}", new_rate), old_rate == new_rate ? "free" : "changes bits"});
}

}  // namespace

std::string cut_schedule(const Config& config) {
  const std::int64_t warmup = config.schedule.warmup_steps, steps = config.train.max_steps;
  if (warmup >= steps && warmup > 0) {
    return fmt::format(
        "the run of {} steps ends within the warm-up of {}: its learning rate rises to {:.3g}, not to {:.3g}. "
        "A shorter warm-up: --set schedule.warmup_steps={}",
        steps, warmup, schedule_of(config).at(steps - 1), config.optimizer.learning_rate, steps / 10);
  }
  const std::int64_t decay = config.schedule.resolved_decay_steps(steps);
  if (config.schedule.name != ScheduleKind::kWsd || config.schedule.decay_steps <= decay) return "";
  return fmt::format("of {} steps {} are left for a decay of {}: it takes place in these", steps, decay,
                     config.schedule.decay_steps);
}

Schedule schedule_of(const Config& config) {
  Schedule schedule;
  schedule.peak = config.optimizer.learning_rate;
  schedule.min = config.schedule.min_lr;
  schedule.warmup = config.schedule.warmup_steps;
  const std::int64_t decay = config.schedule.resolved_decay_steps(config.train.max_steps);
  schedule.total = decay;
  switch (config.schedule.name) {
    case ScheduleKind::kConstant:
      schedule.kind = Schedule::Kind::kConstant;
      break;
    case ScheduleKind::kLinear:
      schedule.kind = Schedule::Kind::kLinear;
      break;
    case ScheduleKind::kCosine:
      schedule.kind = Schedule::Kind::kCosine;
      break;
    case ScheduleKind::kInverseSqrt:
      schedule.kind = Schedule::Kind::kInverseSqrt;
      break;
    case ScheduleKind::kWsd:
      schedule.kind =
          config.schedule.wsd_shape == WsdShape::kSqrt ? Schedule::Kind::kWsdSqrt : Schedule::Kind::kWsdLinear;
      schedule.total = config.train.max_steps;
      schedule.decay = decay;
      break;
  }
  return schedule;
}

bool holds_a_run(const std::filesystem::path& run_dir) {
  return path_exists(run_dir) && (path_exists(run_dir / "metrics.jsonl") || !list_checkpoints(run_dir).empty());
}

void require_no_other_contents(const std::filesystem::path& run_dir, std::string_view who) {
  if (holds_a_run(run_dir)) return;
  const bool data = is_packed_folder(run_dir);
  if (!data && !exchange::is_model_folder(run_dir)) return;
  throw ConfigError(fmt::format("[{}] the run directory must be new; {} holds {}. Hint: --run names another directory",
                                who, run_dir.string(), data ? "a packed data set" : "a model in another form"));
}

void require_no_other_files(const std::filesystem::path& run_dir, std::string_view who) {
  if (holds_a_run(run_dir)) return;
  const auto config = run_dir / kConfigFile;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(config, ignored) && is_resolved_toml(read_file(config))) return;
  for (const char* const name : {kConfigFile, kTokenizerFile, "samples.txt"}) {
    if (!path_exists(run_dir / name)) continue;
    throw ConfigError(
        fmt::format("[{}] the run directory must be new; {} is no run and holds a {}, which would be "
                    "replaced. Hint: --run names another directory",
                    who, run_dir.string(), name));
  }
}

std::string ResumeFinding::text() const {
  if (before.empty()) return fmt::format("{}: {} ({})", what, now, verdict);
  return fmt::format("{}: {} -> {} ({})", what, before, now, verdict);
}

std::optional<ResumePoint> find_resume_point(const std::filesystem::path& run_dir, std::vector<std::string>& warnings) {
  if (!path_exists(run_dir)) return std::nullopt;
  std::optional<Checkpoint> checkpoint = open_newest_valid(run_dir, warnings);
  if (!checkpoint) return std::nullopt;
  ReadTexts texts = read_texts(*checkpoint);
  find_kept_text(run_dir, texts.config.config.data);
  ResumePoint point{.checkpoint = *checkpoint,
                    .state = std::move(texts.state),
                    .config = std::move(texts.config),
                    .environment = checkpoint->read(kEnvironmentFile),
                    .tokenizer = std::move(texts.tokenizer)};
  return point;
}

std::vector<ResumeFinding> compare_with(const ResumePoint& point, const Config& now) {
  std::vector<ResumeFinding> findings;
  for (const Difference& difference : compare_configs(point.config.config, now)) {
    findings.push_back({std::string(difference.key->name), difference.before, difference.after,
                        std::string(effect_name(difference.effect))});
  }
  compare_schedules(point, now, findings);
  for (const std::string& line : compare_environments(point.environment, environment_json())) {
    findings.push_back({"environment", "", line, "changes bits"});
  }
  return findings;
}

void refuse_if_any(const std::vector<ResumeFinding>& findings) {
  std::string text;
  for (const ResumeFinding& finding : findings) {
    if (finding.verdict == kRefused)
      text += fmt::format("\n  {}: {} in the checkpoint, {} now", finding.what, finding.before, finding.now);
  }
  if (!text.empty()) {
    throw CheckpointError(fmt::format(
        "[resume] the configuration must fit the checkpoint; these differ:{}\nHint: resume with the old values, or "
        "start a new run with --init-from",
        text));
  }
}

void restore_best_mark(const std::filesystem::path& run_dir, const TrainState& state, bool keep_best) {
  const bool complete = state.logged_step >= state.step;
  if (!keep_best || !state.best_val_loss || !complete || best_step(run_dir) == state.best_step) return;
  const auto directory = checkpoint_directory(run_dir, state.best_step);
  if (path_exists(directory) && verify_checkpoint(directory).ok()) mark_best(run_dir, state.best_step);
}

std::string state_hash(const std::filesystem::path& checkpoint_directory) {
  const Checkpoint checkpoint = Checkpoint::open(checkpoint_directory);
  std::string text;
  for (const char* file : {kModelFile, kOptimizerFile, kStateFile, kAverageFile}) {
    if (file == kAverageFile && !checkpoint.has(file)) continue;
    const FileRecord* record = checkpoint.manifest().find(file);
    text += fmt::format("{} {}\n", file, record == nullptr ? "missing" : record->sha256);
  }
  return sha256_hex(text);
}

}  // namespace minnow
