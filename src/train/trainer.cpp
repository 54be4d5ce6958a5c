#include "minnow/train/trainer.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "minnow/base/error.hpp"
#include "minnow/config/choices.hpp"
#include "minnow/io/file.hpp"
#include "minnow/io/run_lock.hpp"
#include "minnow/kernels/gemm.hpp"
#include "minnow/train/compute.hpp"
#include "minnow/train/memory.hpp"
#include "minnow/train/run.hpp"
#include "train/copy_weights.hpp"
#include "train/model_files.hpp"
#include "train/resume.hpp"
#include "train/session.hpp"

namespace minnow {
namespace {

/// @return seconds of training that the log has seen up to `step`.
double seconds_until(const std::filesystem::path& metrics, std::int64_t step) {
  if (!path_exists(metrics)) return 0;
  const std::string text = cut_metrics(read_file(metrics), step);
  const auto end = text.find_last_not_of('\n');
  if (end == std::string::npos) return 0;
  const auto begin = text.rfind('\n', end);
  const auto line = nlohmann::json::parse(text.substr(begin == std::string::npos ? 0 : begin + 1), nullptr, false);
  if (!line.is_object()) return 0;
  const auto seconds = line.find("seconds");  // somebody may have edited the file
  return seconds != line.end() && seconds->is_number() ? seconds->get<double>() : 0;
}

/// @return whether nothing is left to do after that checkpoint.
bool finished(const ResumePoint& point, const Config& config) {
  const TrainState& state = point.state;
  if (state.logged_step < state.step) return false;
  const std::int64_t patience = config.train.early_stop_evals;
  const bool stopped = state.stopped_early && patience > 0 && state.evals_without_best >= patience;
  return state.step >= config.train.max_steps || stopped;
}

/// Turns options into a run that is ready to go.
class Preparation {
 public:
  explicit Preparation(const TrainOptions& options) : options_(options), config_(options.config.config) {}

  /// Decides between a new run and one that goes on. @return false when nothing is left to do.
  bool decide() {
    if (options_.resume) {
      std::vector<std::string> warnings;
      point_ = find_resume_point(options_.run_dir, warnings);
      for (const std::string& warning : warnings) warn(warning);
      if (!point_) note(fmt::format("{} has no checkpoint: starting anew", options_.run_dir.string()));
    } else if (!options_.overwrite && holds_a_run(options_.run_dir)) {
      throw ConfigError(fmt::format(
          "[train] the run directory must be new; {} already holds a run. Hint: --resume goes on with it, --overwrite "
          "starts over, --run names another directory",
          options_.run_dir.string()));
    }
    if (!point_) {
      require_no_other_contents(options_.run_dir, "train");
      if (!options_.resume) require_no_other_files(options_.run_dir, "train");
      return true;
    }
    if (!options_.init_from.empty()) {
      note(fmt::format("--init-from {} is not looked at: the run goes on from its own step {}",
                       options_.init_from.string(), point_->state.step));
    }
    const auto findings = compare_with(*point_, config_);
    refuse_if_any(findings);
    report(findings);
    return !finished(*point_, config_);
  }

  /// Says what another process did between our look at the directory and our lock on it.
  void look_again() const {
    if (point_ || options_.overwrite || !holds_a_run(options_.run_dir)) return;
    if (options_.resume && list_checkpoints(options_.run_dir).empty()) return;
    throw BusyError(fmt::format(
        "[train] the run directory must be free for this process; in {} another one began a run meanwhile. Hint: "
        "--resume goes on with it, --run names another directory",
        options_.run_dir.string()));
  }

  void open_data() {
    std::shared_ptr<const Tokenizer> stored = point_ ? point_->tokenizer : nullptr;
    if (!point_ && !options_.init_from.empty()) {
      origin_ = open_run(options_.init_from);
      for (const std::string& warning : origin_->warnings) warn(warning);
      stored = origin_->tokenizer;
    }
    DatasetOptions opening = dataset_options(config_, stored);
    if (origin_ && !stored) {
      opening.model_without_tokenizer = options_.init_from.string();
      opening.model_tokenizer_unused = origin_->tokenizer_unused;
    }
    if (point_) opening.files_read = [this](const DataFingerprint& now) { require_same_data(now); };
    data_ = Dataset::open(opening);
    for (const std::string& text : data_->notes()) warn(text);
    const auto data_bytes = static_cast<double>(data_->memory_bytes());
    require_memory(estimate_memory(config_, data_->vocab_size(), data_->val().windows(), data_bytes),
                   available_memory());
  }

  /// @param profiler may be null
  TrainSession::Setup build(Profiler* profiler) {
    TrainSession::Setup setup;
    setup.options = options_;
    setup.profiler = profiler;
    setup.model = make_language_model(config_.model, data_->vocab_size());
    apply_compute(config_.compute, *setup.model);
    kernels::prepare_gemm();
    setup.step = std::make_unique<TrainStep>(
        *setup.model, TrainStepOptions{.optimizer = config_.optimizer,
                                       .leaf_sequences = config_.train.leaf(),
                                       .seed = static_cast<std::uint64_t>(config_.train.seed),
                                       .profiler = profiler,
                                       .on_choice = [observer = options_.observer](const std::string& text) {
                                         if (observer != nullptr) observer->on_detail(text);
                                       }});
    setup.config_text = to_toml(options_.config);
    if (data_->tokenizer()) setup.tokenizer_text = data_->tokenizer()->to_json();
    require_room(options_.run_dir, *setup.step, setup.tokenizer_text.size(), point_.has_value());
    point_ ? load_point(setup) : begin_new(setup);
    setup.state.seed = config_.train.seed;
    setup.state.leaf_sequences = config_.train.leaf();
    setup.state.vocab_size = data_->vocab_size();
    setup.state.prompt_start = data_->document_start().value_or(-1);
    setup.state.data = data_->fingerprint();
    announce(setup);
    setup.data = std::move(data_);
    return setup;
  }

  TrainResult finished_result() const {
    TrainResult result;
    restore_best_mark(options_.run_dir, point_->state, config_.checkpoint.keep_best);
    result.reason = StopReason::kAlreadyFinished;
    result.step = point_->state.step;
    result.val_loss = point_->state.val_loss;
    result.val_windows = point_->state.val_windows;
    result.best_val_loss = point_->state.best_val_loss;
    result.best_windows = point_->state.best_windows;
    result.best_step = point_->state.best_step;
    result.message =
        point_->state.stopped_early
            ? fmt::format("the run stopped early at step {}; raise train.early_stop_evals to go on", point_->state.step)
            : fmt::format("all {} steps were done before; to go on, raise train.max_steps: --set train.max_steps={}",
                          config_.train.max_steps, 2 * config_.train.max_steps);
    result.state_hash = state_hash(point_->checkpoint.directory());
    return result;
  }

 private:
  void note(const std::string& text) const {
    if (options_.observer) options_.observer->on_note(text);
  }
  void warn(const std::string& text) const {
    if (options_.observer) options_.observer->on_warning(text);
  }

  void require_same_data(const DataFingerprint& now) const {
    try {
      check_same_data(point_->state.data, now);
    } catch (const DataError& error) {
      if (!options_.allow_data_change) throw;
      warn(error.what());
    }
  }

  void report(const std::vector<ResumeFinding>& findings) const {
    for (const ResumeFinding& finding : findings) {
      const std::string text = finding.text();
      const bool bits = finding.verdict != "free";
      if (bits && options_.exact) {
        throw CheckpointError(fmt::format(
            "[resume] --exact demands that nothing that changes bits differs; got {}. Hint: resume without --exact",
            text));
      }
      bits ? warn(text) : note(text);
    }
  }

  void load_point(TrainSession::Setup& setup) {
    load_tensors(point_->checkpoint, kModelFile, setup.step->parameters());
    load_tensors(point_->checkpoint, kOptimizerFile, setup.step->optimizer_state());
    require_moments(setup.step->optimizer_state(), (point_->checkpoint.directory() / kOptimizerFile).string());
    load_average(setup);
    setup.state = point_->state;
    setup.state.stopped_early = false;
    if (setup.state.bad_steps_in_row >= config_.train.max_bad_steps) {
      setup.state.bad_steps_in_row = 0;  // the run had given up; whoever resumes it wants another try
      note(fmt::format("the run had given up after {} steps that were not finite; they are counted anew",
                       point_->state.bad_steps_in_row));
    }
    setup.step->set_optimizer_steps(setup.state.optimizer_steps);
    setup.resumed_step = setup.state.step;
    setup.seconds_before = seconds_until(options_.run_dir / "metrics.jsonl", setup.state.logged_step);
    write_files(setup);
  }

  void load_average(TrainSession::Setup& setup) const {
    const auto average = setup.step->averaged_parameters();
    if (average.empty()) return;
    if (point_->checkpoint.has(kAverageFile)) return load_tensors(point_->checkpoint, kAverageFile, average);
    setup.step->restart_average();
    note("the checkpoint has no averaged weights: the average begins at its weights");
  }

  void begin_new(TrainSession::Setup& setup) {
    setup.model->parameters().initialize(static_cast<std::uint64_t>(config_.train.seed));
    if (origin_) take_weights(setup);
    setup.step->restart_average();
    if (options_.overwrite) {  // nothing is refused any more
      for (const std::string& kept : remove_all_checkpoints(options_.run_dir)) warn(kept);
    }
    write_files(setup);
  }

  void take_weights(TrainSession::Setup& setup) const {
    require_finite(*origin_->model, options_.init_from, "init-from");
    for (const std::string& text : copy_weights(*origin_->model, *setup.model, config_.model, options_.init_from))
      note(text);
    note(fmt::format("weights taken from {}, step {}", options_.init_from.string(), origin_->step));
  }

  void write_files(const TrainSession::Setup& setup) const {
    write_file_atomic(options_.run_dir / kConfigFile, setup.config_text);
    if (!setup.tokenizer_text.empty()) write_file_atomic(options_.run_dir / kTokenizerFile, setup.tokenizer_text);
  }

  void announce(const TrainSession::Setup& setup) const {
    if (!options_.observer) return;
    if (const std::string cut = cut_schedule(config_); !cut.empty()) warn(cut);
    const Index all = data_->val().windows();
    const Index part = scored_windows(all, config_.eval.max_windows);
    options_.observer->on_start({.run_dir = options_.run_dir,
                                 .first_step = setup.state.step,
                                 .max_steps = config_.train.max_steps,
                                 .parameters = setup.model->parameters().count(),
                                 .vocab_size = data_->vocab_size(),
                                 .eval_every_steps = config_.eval.every_steps,
                                 .eval_windows = part,
                                 .final_windows = part < all ? part + all : all,
                                 .data = data_->describe(config_.train.max_steps)});
  }

  const TrainOptions& options_;
  const Config& config_;
  std::optional<ResumePoint> point_;
  std::optional<LoadedRun> origin_;
  std::optional<Dataset> data_;
};

/// What --profile needs beside the run.
struct Profiling {
  const TrainOptions& options;
  MachineRoof roof;
  Profiler profiler;

  explicit Profiling(const TrainOptions& of)
      : options(of), roof(measure_roof(precision(), [&of] { return of.interrupted && of.interrupted() != 0; })) {}

  [[nodiscard]] kernels::GemmPrecision precision() const {
    const bool bf16 = options.config.config.compute.precision == PrecisionKind::kBf16;
    return bf16 ? kernels::GemmPrecision::kBf16 : kernels::GemmPrecision::kF32;
  }

  [[nodiscard]] Profile write() const {
    Profile profile = profiler.finish();
    profile.roof = roof;
    profile.raise_roof();
    const auto which = static_cast<std::size_t>(options.config.config.compute.precision);
    profile.precision = kChoiceNames<PrecisionKind>[which];
    write_profile(options.run_dir, profile);
    return profile;
  }
};

/// A run that is refused, or has nothing left to do, leaves nothing behind.
struct LockOfBeginning {
  std::optional<RunLock> lock{};
  bool begun = false;

  LockOfBeginning() = default;
  ~LockOfBeginning() {
    if (lock && !begun) lock->withdraw();
  }
  LockOfBeginning(const LockOfBeginning&) = delete;
  LockOfBeginning& operator=(const LockOfBeginning&) = delete;
};

/// What changed is said first; a resume may go on with it. What can't be used at all is refused whatever is allowed.
void add_data_findings(const TrainOptions& options, const ResumePoint& point, std::vector<ResumeFinding>& findings) {
  DatasetOptions opening = dataset_options(options.config.config, point.tokenizer);
  bool changed = false;
  opening.files_read = [&](const DataFingerprint& now) {
    try {
      check_same_data(point.state.data, now);
    } catch (const DataError& error) {
      changed = true;
      findings.push_back({"data", "", error.what(), options.allow_data_change ? "changes bits" : "refused"});
    }
  };
  try {
    (void)Dataset::open(opening);
  } catch (const DataError& error) {
    if (!changed || options.allow_data_change) findings.push_back({"data", "", error.what(), "refused"});
  }
}

}  // namespace

TrainResult train(const TrainOptions& options) {
  Preparation preparation(options);
  LockOfBeginning beginning;
  std::optional<RunLock>& lock = beginning.lock;
  if (options.resume || options.overwrite) {  // what is there must not change under our eyes
    if (path_exists(options.run_dir)) lock = RunLock::acquire(options.run_dir);
  }
  if (!preparation.decide()) return preparation.finished_result();
  preparation.open_data();  // before anything is created: bad data leave nothing behind
  if (!lock) {
    lock = RunLock::acquire(options.run_dir);
    preparation.look_again();
  }
  std::optional<Profiling> profiling;
  if (options.profile) profiling.emplace(options);
  TrainSession::Setup setup = preparation.build(profiling ? &profiling->profiler : nullptr);
  setup.lock = &*lock;
  beginning.begun = true;
  if (options.begun) options.begun();
  TrainSession session(std::move(setup));
  try {
    TrainResult result = session.run();
    if (profiling) result.profile = profiling->write();
    return result;
  } catch (const IoError&) {
    lock->keep();  // a directory that went away in the middle of a save is the better reason
    throw;
  }
}

std::vector<ResumeFinding> compare_with_run(const TrainOptions& options) {
  std::vector<std::string> warnings;
  const auto point = find_resume_point(options.run_dir, warnings);
  if (!point) return {{"checkpoint", "", "there is none: a resume starts anew", "free"}};
  const Config& config = options.config.config;
  std::vector<ResumeFinding> findings = compare_with(*point, config);
  for (const std::string& warning : warnings) findings.push_back({"checkpoint", "", warning, "free"});
  if (finished(*point, config))
    findings.push_back({"step", "", fmt::format("{}: nothing is left to do", point->state.step), "free"});
  add_data_findings(options, *point, findings);
  for (ResumeFinding& finding : findings) {
    if (options.exact && finding.verdict == "changes bits") finding.verdict = "refused";
  }
  return findings;
}

}  // namespace minnow
