#include "minnow/train/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/io/file.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;

/// @return the log without what time decides.
std::string timeless_log(const fs::path& run) {
  const std::string text = read_file(run / "metrics.jsonl");
  std::string kept;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    auto line = nlohmann::ordered_json::parse(text.substr(begin, end - begin));
    line.erase("seconds");
    line.erase("tokens_per_s");
    kept += line.dump() + "\n";
    begin = end + 1;
  }
  return kept;
}

/// @return samples.txt; nothing where no sample was due.
std::string samples_of(const fs::path& run) {
  const fs::path file = run / "samples.txt";
  return path_exists(file) ? read_file(file) : std::string();
}

/// Where a run is left, as by a signal.
struct Stop {
  std::int64_t step = 0;
  std::int64_t windows = -1;  ///< -1: after the step; else inside its evaluation, as soon as so many are done
};

/// How long the evaluations of the straight run were.
struct Evaluation {
  std::int64_t step = 0, windows = 0;
};

constexpr std::int64_t kEvaluationBatches = 4;  // at least so many, so that there is a between

/// @return a run of few steps that shows everything that the run of `config` does.
Config shortened(Config config, std::int64_t steps) {
  config.train.max_steps = steps;
  // A schedule made for many steps must fit into few: half of them for the warm-up, so that both parts are seen.
  ScheduleConfig& schedule = config.schedule;
  schedule.warmup_steps = std::min(schedule.warmup_steps, steps / 2);
  schedule.decay_steps = std::min(schedule.decay_steps, steps - schedule.warmup_steps);
  const std::int64_t middle = (steps + 1) / 2;
  if (config.eval.every_steps == 0 || config.eval.every_steps > middle) config.eval.every_steps = middle;
  config.sample.every_steps = std::min(config.sample.every_steps, middle);
  config.train.max_minutes = 0;
  config.train.early_stop_evals = 0;
  config.checkpoint.every_steps = 0;  // only where it is stopped, and at the end
  return config;
}

/// One training run of the comparison, in a directory of its own that goes with it.
class Trial {
 public:
  Trial(const VerifyOptions& options, const std::string& name) : directory_(options.scratch / name) {
    train_.config = options.config;
    train_.config.config = shortened(options.config.config, options.steps);
    train_.run_dir = directory_;
    train_.resume = true;
    train_.sampler = options.sampler;
    stop_ = options.interrupted;
  }
  ~Trial() {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  Config& config() { return train_.config.config; }

  /// Trains until all steps are done, or as a process that gets a signal at `stop`.
  TrainResult run(const std::optional<Stop>& stop = std::nullopt) {
    Watch watch(stop, evaluations_);
    train_.observer = &watch;
    train_.interrupted = [&] {
      if (stop_ && stop_() != 0) return stop_();
      return watch.reached ? static_cast<int>(ExitCode::kInterrupted) : 0;
    };
    TrainResult result = train(train_);
    train_.observer = nullptr;
    return result;
  }

  [[nodiscard]] const fs::path& directory() const { return directory_; }
  [[nodiscard]] const std::vector<Evaluation>& evaluations() const { return evaluations_; }

 private:
  struct Watch final : TrainObserver {
    Watch(const std::optional<Stop>& stop, std::vector<Evaluation>& evaluations) : at(stop), seen(evaluations) {}
    void on_step(const TrainProgress& now) override {
      reached = reached || (at && at->windows < 0 && now.step == at->step && now.step < now.max_steps);
    }
    void on_evaluation(const EvalProgress& now) override {
      if (now.done == now.total) seen.push_back({now.step, now.total});
      reached = reached || (at && at->windows >= 0 && now.step == at->step && now.done >= at->windows);
    }
    std::optional<Stop> at;
    std::vector<Evaluation>& seen;
    bool reached = false;
  };
  fs::path directory_;
  TrainOptions train_;
  std::vector<Evaluation> evaluations_;
  std::function<int()> stop_;
};

class Comparison {
 public:
  explicit Comparison(const VerifyOptions& options) : options_(options) {
    Trial straight(options, "straight");
    result_.hash = straight.run().state_hash;
    metrics_ = timeless_log(straight.directory());
    samples_ = samples_of(straight.directory());
    evaluations_ = straight.evaluations();
    say(fmt::format("straight run of {} steps: {}", grouped(options.steps), result_.hash));
  }

  void interrupted_at(const std::vector<Stop>& stops, const std::string& what) {
    if (stopped()) return;
    Trial trial(options_, "interrupted");
    trial.config().eval.batch_size = evaluation_rows(trial.config());
    for (const Stop& stop : stops) {
      if (!stopped()) (void)trial.run(stop);
    }
    add(what, trial.run(), trial);
  }

  /// Each evaluation once in its middle; then all of them at their beginning, middle and end, one after the other.
  void interrupted_inside_evaluations() {
    std::vector<Stop> all;
    for (const auto& [step, windows] : evaluations_) {
      const std::int64_t middle = windows / 2;
      interrupted_at({{step, middle}},
                     fmt::format("interrupted inside the evaluation of step {}, {} of {} windows done", step,
                                 grouped(middle), grouped(windows)));
      for (const std::int64_t done : {std::int64_t{0}, middle, windows}) all.push_back({step, done});
    }
    if (!all.empty()) interrupted_at(all, fmt::format("interrupted {} times inside evaluations", all.size()));
  }

  void with_threads(int count) {
    if (stopped()) return;
    Trial trial(options_, "threads");
    trial.config().compute.threads = count;
    const int before = threads();
    set_threads(count);
    TrainResult result = trial.run();
    set_threads(before);
    add(fmt::format("{} thread{}", count, count == 1 ? "" : "s"), result, trial);
  }

  VerifyResult take() { return std::move(result_); }

 private:
  [[nodiscard]] bool stopped() const { return options_.interrupted && options_.interrupted() != 0; }

  /// @return windows at once, few enough for several batches.
  [[nodiscard]] std::int64_t evaluation_rows(const Config& config) const {
    const std::int64_t windows = evaluations_.empty() ? 0 : evaluations_.front().windows;
    const std::int64_t rows = config.eval.batch_size > 0 ? config.eval.batch_size : config.train.micro_batch();
    return std::min(rows, std::max<std::int64_t>(1, windows / kEvaluationBatches));
  }

  void add(const std::string& what, const TrainResult& result, const Trial& trial) {
    if (stopped()) return;
    VerifyRow row{.what = what,
                  .hash = result.state_hash,
                  .same_state = result.state_hash == result_.hash,
                  .same_metrics = timeless_log(trial.directory()) == metrics_,
                  .same_samples = samples_of(trial.directory()) == samples_};
    const auto verdict = [](bool same) { return same ? "same" : "DIFFERS"; };
    say(fmt::format(
        "{}: state {}, metrics {}{}", what, verdict(row.same_state), verdict(row.same_metrics),
        samples_.empty() && row.same_samples ? std::string() : fmt::format(", samples {}", verdict(row.same_samples))));
    result_.rows.push_back(std::move(row));
  }
  void say(const std::string& line) const {
    if (options_.report) options_.report(line);
  }

  const VerifyOptions& options_;
  std::string metrics_, samples_;
  std::vector<Evaluation> evaluations_;
  VerifyResult result_;
};

}  // namespace

bool VerifyResult::ok() const {
  return std::all_of(rows.begin(), rows.end(), [](const VerifyRow& row) { return row.same_state && row.same_logs(); });
}

VerifyResult verify_resume(const VerifyOptions& options) {
  Comparison comparison(options);
  std::vector<std::int64_t> steps = options.interrupts;
  if (steps.empty()) {
    for (std::int64_t step = 1; step < options.steps; ++step) steps.push_back(step);
  }
  std::vector<Stop> each;
  for (const std::int64_t step : steps) {
    each.push_back({step});
    comparison.interrupted_at({{step}}, fmt::format("interrupted after step {}", step));
  }
  if (each.size() > 1) comparison.interrupted_at(each, fmt::format("interrupted {} times", each.size()));
  comparison.interrupted_inside_evaluations();
  for (const int count : options.threads) comparison.with_threads(count);
  return comparison.take();
}

}  // namespace minnow
