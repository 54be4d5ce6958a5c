#include "minnow/train/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "minnow/base/error.hpp"
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

/// One training run of the comparison, in a directory of its own that goes with it.
class Trial {
 public:
  Trial(const VerifyOptions& options, const std::string& name) : directory_(options.scratch / name) {
    train_.config = options.config;
    Config& config = train_.config.config;
    config.train.max_steps = options.steps;
    // A schedule made for many steps must fit into few: half of them for the warm-up, so that both parts are seen.
    ScheduleConfig& schedule = config.schedule;
    schedule.warmup_steps = std::min(schedule.warmup_steps, options.steps / 2);
    schedule.decay_steps = std::min(schedule.decay_steps, options.steps - schedule.warmup_steps);
    config.train.max_minutes = 0;
    config.train.early_stop_evals = 0;
    config.checkpoint.every_steps = 0;  // only where it is stopped, and at the end
    train_.run_dir = directory_;
    train_.resume = true;
    stop_ = options.interrupted;
  }
  ~Trial() {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  Config& config() { return train_.config.config; }

  /// Trains until `until` steps are done, as a process that gets a signal there.
  TrainResult run_until(std::int64_t until) {
    StopAt observer(until);
    train_.observer = &observer;
    train_.interrupted = [&] {
      if (stop_ && stop_() != 0) return stop_();
      return observer.reached ? static_cast<int>(ExitCode::kInterrupted) : 0;
    };
    TrainResult result = train(train_);
    train_.observer = nullptr;
    return result;
  }

  [[nodiscard]] const fs::path& directory() const { return directory_; }

 private:
  struct StopAt final : TrainObserver {
    explicit StopAt(std::int64_t step) : at(step) {}
    void on_step(const TrainProgress& progress) override {
      reached = progress.step == at && progress.step < progress.max_steps;
    }
    std::int64_t at;
    bool reached = false;
  };
  fs::path directory_;
  TrainOptions train_;
  std::function<int()> stop_;
};

class Comparison {
 public:
  explicit Comparison(const VerifyOptions& options) : options_(options) {
    Trial straight(options, "straight");
    result_.hash = straight.run_until(options.steps).state_hash;
    log_ = timeless_log(straight.directory());
    say(fmt::format("straight run of {} steps: {}", options.steps, result_.hash));
  }

  void interrupted_at(const std::vector<std::int64_t>& stops, const std::string& what) {
    Trial trial(options_, "interrupted");
    for (std::int64_t stop : stops) (void)trial.run_until(stop);
    add(what, trial.run_until(options_.steps), trial);
  }

  void with_threads(int count) {
    Trial trial(options_, "threads");
    trial.config().compute.threads = count;
    const int before = threads();
    set_threads(count);
    TrainResult result = trial.run_until(options_.steps);
    set_threads(before);
    add(fmt::format("{} thread{}", count, count == 1 ? "" : "s"), result, trial);
  }

  VerifyResult take() { return std::move(result_); }

 private:
  void add(const std::string& what, const TrainResult& result, const Trial& trial) {
    if (options_.interrupted && options_.interrupted() != 0) return;
    VerifyRow row{what, result.state_hash, result.state_hash == result_.hash, timeless_log(trial.directory()) == log_};
    say(fmt::format("{}: state {}, log {}", what, row.same_state ? "same" : "DIFFERS",
                    row.same_logs ? "same" : "DIFFERS"));
    result_.rows.push_back(std::move(row));
  }
  void say(const std::string& line) const {
    if (options_.report) options_.report(line);
  }

  const VerifyOptions& options_;
  std::string log_;
  VerifyResult result_;
};

}  // namespace

bool VerifyResult::ok() const {
  return std::all_of(rows.begin(), rows.end(), [](const VerifyRow& row) { return row.same_state && row.same_logs; });
}

VerifyResult verify_resume(const VerifyOptions& options) {
  const auto stopped = [&] { return options.interrupted && options.interrupted() != 0; };
  Comparison comparison(options);
  std::vector<std::int64_t> each = options.interrupts;
  if (each.empty()) {
    for (std::int64_t step = 1; step < options.steps; ++step) each.push_back(step);
  }
  for (std::int64_t step : each) {
    if (stopped()) break;
    comparison.interrupted_at({step}, fmt::format("interrupted after step {}", step));
  }
  if (!stopped() && each.size() > 1) comparison.interrupted_at(each, fmt::format("interrupted {} times", each.size()));
  for (int count : options.threads) {
    if (!stopped()) comparison.with_threads(count);
  }
  return comparison.take();
}

}  // namespace minnow
