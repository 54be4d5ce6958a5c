#include "train/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "minnow/base/error.hpp"
#include "minnow/base/parallel.hpp"
#include "minnow/io/checkpoint.hpp"
#include "minnow/io/file.hpp"
#include "train/model_files.hpp"
#include "train/resume.hpp"

namespace minnow {
namespace {

constexpr double kSecondsPerMinute = 60;

double since(std::chrono::steady_clock::time_point start) {
  // A clock that is set back (virtual machines, faketime) must not give negative times and rates.
  return std::max(0.0, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

/// Shows the model with its averaged weights until the end of the block.
class Averaged {
 public:
  Averaged(TrainStep& step, bool wanted) : step_(wanted ? &step : nullptr) {
    if (step_ != nullptr) step_->swap_average();
  }
  ~Averaged() {
    if (step_ != nullptr) step_->swap_average();
  }
  Averaged(const Averaged&) = delete;
  Averaged& operator=(const Averaged&) = delete;

 private:
  TrainStep* step_;
};

}  // namespace

// Logs are cut at logged_step: a line of a step whose end is incomplete is written again.
TrainSession::TrainSession(Setup setup)
    : setup_(std::move(setup)),
      schedule_(schedule_of(config())),
      metrics_(setup_.options.run_dir / "metrics.jsonl", setup_.state.logged_step),
      samples_(setup_.options.run_dir / "samples.txt", setup_.state.logged_step),
      events_(setup_.options.run_dir, setup_.state.logged_step) {}

int TrainSession::signal() const { return setup_.options.interrupted ? setup_.options.interrupted() : 0; }

bool TrainSession::due(std::int64_t every) const {
  return (every > 0 && setup_.state.step % every == 0) || last_step();
}

bool TrainSession::evaluates() const { return due(config().eval.every_steps) && setup_.data->val().windows() > 0; }

TrainResult TrainSession::run() {
  restore_best_mark(setup_.options.run_dir, setup_.state, config().checkpoint.keep_best);
  // What an earlier process did not get to after its last step comes first.
  if (state().step > state().logged_step && !finish_step(false)) {
    return result(StopReason::kInterrupted, signal(), "interrupted");
  }
  while (!last_step()) {
    if (auto stop = reason_to_stop()) return *stop;
    if (signal() != 0 || !step_once() || !finish_step(true)) {
      save(false);
      return result(StopReason::kInterrupted, signal(), "interrupted; everything is saved");
    }
  }
  if (auto stop = reason_to_stop()) return *stop;
  return result(StopReason::kFinished, 0, "all steps are done");
}

std::optional<TrainResult> TrainSession::reason_to_stop() {
  if (state().bad_steps_in_row > 0 && state().bad_steps_in_row >= config().train.max_bad_steps) {
    save(false);
    return result(StopReason::kNumeric, static_cast<int>(ExitCode::kNumeric),
                  fmt::format("[train] losses and gradients must be finite; {} steps in a row were not, the last one "
                              "because {}; the weights "
                              "are those before them. Hint: lower optimizer.learning_rate, or look at the data",
                              state().bad_steps_in_row, last_problem_));
  }
  if (state().stopped_early || stops_early()) {
    state().stopped_early = true;
    save(false);
    return result(StopReason::kEarlyStop, 0,
                  fmt::format("no new best validation loss in {} evaluations", state().evals_without_best));
  }
  const double limit = config().train.max_minutes * kSecondsPerMinute;
  if (limit > 0 && since(started_) >= limit && !last_step()) {
    save(false);
    return result(StopReason::kTimeLimit, 0,
                  fmt::format("the limit of {} minutes is over; --resume goes on", config().train.max_minutes));
  }
  return std::nullopt;
}

bool TrainSession::stops_early() const {
  const std::int64_t patience = config().train.early_stop_evals;
  return patience > 0 && setup_.state.evals_without_best >= patience;
}

template <class Read>
auto TrainSession::or_save(Read read) {
  try {
    return read();
  } catch (const IoError&) {
    try {
      save(false);
    } catch (const Error&) {  // the first reason is the one to say
    }
    throw;
  }
}

bool TrainSession::step_once() {
  const auto begin = Clock::now();
  TrainState& s = state();
  const double lr = schedule_.at(s.optimizer_steps);
  const Batch batch = or_save([&] {
    const ActivityClock clock(setup_.profiler, "data");
    return setup_.data->train().make_batch(s.step);
  });
  const auto step = setup_.step->run(batch, s.step, lr, [this] { return signal() != 0; });
  if (!step) return false;
  ++s.step;
  s.optimizer_steps = setup_.step->optimizer_steps();
  s.loss = step->loss;
  s.grad_norm = step->grad_norm;
  s.lr = lr;
  if (step->applied) {
    s.tokens += step->counted;
    s.bad_steps_in_row = 0;
  } else {
    ++s.skipped_steps;
    ++s.bad_steps_in_row;
    last_problem_ = step->problem;
    if (setup_.options.observer) {
      setup_.options.observer->on_warning(
          fmt::format("step {} was skipped and changed nothing: {}", s.step, step->problem));
    }
  }
  const double took = since(begin);
  seconds_ += took;
  interval_seconds_ += took;
  interval_tokens_ += step->counted;
  const std::string note = team_notes_.after_step(team_report());
  if (!note.empty() && setup_.options.observer) setup_.options.observer->on_note(note);
  return true;
}

bool TrainSession::finish_step(bool save_before_evaluation) {
  const bool saves = due(config().checkpoint.every_steps);
  const bool evaluating = evaluates();
  bool improved = false;
  score_.reset();
  final_score_.reset();
  if (evaluating) {
    if (saves && save_before_evaluation) save(false);
    const TrainState before = state();
    const auto evaluation = [&] {
      try {
        return evaluate_now(improved);
      } catch (...) {
        state() = before;
        throw;
      }
    };
    if (!or_save(evaluation) || !sample_now()) {
      state() = before;  // a resume evaluates again: counted twice, it would stop a run too early
      return false;
    }
  } else if (!sample_now()) {
    return false;
  }
  const bool logs = due(config().log.every_steps) || evaluating;
  tell(logs);
  if (logs) interval_seconds_ = 0, interval_tokens_ = 0;
  state().logged_step = state().step;
  const bool best = improved && config().checkpoint.keep_best;
  if (saves || best) save(best);
  return true;
}

void TrainSession::tell(bool logs) {
  const ActivityClock clock(setup_.profiler, "log");
  if (logs) write_log_line();
  if (!setup_.options.observer) return;
  TrainProgress now = progress();
  now.logged = logs;
  setup_.options.observer->on_step(now);
}

std::optional<LmScore> TrainSession::score(Index most_windows, Index before, Index total) {
  const Config& c = config();
  const Index rows = c.eval.batch_size > 0 ? c.eval.batch_size : c.train.micro_batch();
  return evaluate(
      *setup_.model, *setup_.data, rows, [this] { return signal() != 0; },
      [&](Index done, Index) {
        if (setup_.options.observer) setup_.options.observer->on_evaluation({state().step, before + done, total});
      },
      most_windows);
}

bool TrainSession::evaluate_now(bool& improved) {
  const ActivityClock clock(setup_.profiler, "evaluation");
  const Averaged weights(*setup_.step, config().eval.use_ema);
  const Index all = setup_.data->val().windows();
  const Index part = scored_windows(all, config().eval.max_windows);
  const bool whole_follows = part < all && last_step();
  score_ = score(part, 0, whole_follows ? part + all : part);
  if (!score_) return false;
  improved = take_score();
  // Scores of a part are compared with each other; where training ends, what they estimate is told as well.
  if (part == all || !(last_step() || stops_early())) return true;
  final_score_ = score(0, part, part + all);
  if (!final_score_) return false;
  state().val_loss = final_score_->loss;
  state().val_windows = 0;
  return true;
}

bool TrainSession::take_score() {
  TrainState& s = state();
  const std::int64_t windows = score_->whole ? 0 : score_->windows;
  s.val_loss = score_->loss;
  s.val_step = s.step;
  s.val_windows = windows;
  // A score that is no number is never the best: nothing would be below it. One of other windows says nothing here.
  const bool comparable = s.best_val_loss && s.best_windows == windows;
  const bool improved = std::isfinite(score_->loss) && (!comparable || score_->loss < *s.best_val_loss);
  if (improved) {
    s.best_val_loss = score_->loss;
    s.best_windows = windows;
    s.best_step = s.step;
    s.evals_without_best = 0;
  } else {
    ++s.evals_without_best;
  }
  return improved;
}

bool TrainSession::sample_now() {
  if (config().sample.every_steps == 0 || !due(config().sample.every_steps) || !setup_.options.sampler) return true;
  const ActivityClock clock(setup_.profiler, "sample");
  const Averaged weights(*setup_.step, config().eval.use_ema);
  const std::string text = setup_.options.sampler(*setup_.model, *setup_.data, config().sample,
                                                  static_cast<std::uint64_t>(config().train.seed), state().step);
  if (signal() != 0) return false;  // the text may have been cut short
  keep_lock();
  samples_.append(state().step, text);
  if (setup_.options.observer) setup_.options.observer->on_sample(state().step, text);
  return true;
}

TrainProgress TrainSession::progress() const {
  const TrainState& s = setup_.state;
  TrainProgress now;
  now.step = s.step;
  now.max_steps = config().train.max_steps;
  now.tokens = s.tokens;
  now.loss = s.loss;
  now.lr = s.lr;
  now.grad_norm = s.grad_norm;
  now.seconds = setup_.seconds_before + seconds_;
  now.tokens_per_s = interval_seconds_ > 0 ? static_cast<double>(interval_tokens_) / interval_seconds_ : 0;
  now.score = score_;
  now.final_score = final_score_;
  return now;
}

void TrainSession::write_log_line() {
  const TrainProgress now = progress();
  const SplitFacts& facts = setup_.data->train_facts();
  MetricFields fields{{"tokens", now.tokens}, {"loss", now.loss}, {"perplexity", std::exp(now.loss)}};
  if (facts.bytes > 0 && facts.targets > 0) {  // mean bytes that a target of the training split spells
    fields.emplace_back("bits_per_byte", now.loss / std::log(2.0) * static_cast<double>(facts.targets) /
                                             static_cast<double>(facts.bytes));
  }
  fields.emplace_back("lr", now.lr);
  fields.emplace_back("grad_norm", now.grad_norm);
  fields.emplace_back("skipped_steps", setup_.state.skipped_steps);
  if (score_) {
    fields.emplace_back("val_loss", score_->loss);
    fields.emplace_back("val_perplexity", score_->perplexity);
    if (score_->bits_per_byte > 0) fields.emplace_back("val_bits_per_byte", score_->bits_per_byte);
    if (!score_->whole) fields.emplace_back("val_windows", score_->windows);
  }
  if (final_score_) {
    fields.emplace_back("final_val_loss", final_score_->loss);
    fields.emplace_back("final_val_perplexity", final_score_->perplexity);
    if (final_score_->bits_per_byte > 0) fields.emplace_back("final_val_bits_per_byte", final_score_->bits_per_byte);
  }
  fields.emplace_back("tokens_per_s", now.tokens_per_s);
  fields.emplace_back("seconds", now.seconds);
  keep_lock();
  metrics_.append(now.step, fields);
  events_.append(now.step, fields);
}

void TrainSession::keep_lock() {
  if (setup_.lock != nullptr) setup_.lock->keep();
}

void TrainSession::save(bool best) {
  const ActivityClock clock(setup_.profiler, "checkpoint");
  keep_lock();
  metrics_.sync();
  samples_.sync();
  events_.sync();
  const CheckpointTexts texts{.state = state().to_json(),
                              .config = setup_.config_text,
                              .tokenizer = setup_.tokenizer_text,
                              .environment = environment_json()};
  const SaveResult saved =
      save_checkpoint(setup_.options.run_dir, state().step, checkpoint_sources(*setup_.step, texts),
                      {.keep = config().checkpoint.keep, .resumed_step = setup_.resumed_step});
  if (best) mark_best(setup_.options.run_dir, state().step);
  TrainObserver* observer = setup_.options.observer;
  if (!observer) return;
  for (const std::string& warning : saved.warnings) observer->on_warning(warning);
  observer->on_checkpoint(state().step, saved.directory, best);
}

TrainResult TrainSession::result(StopReason reason, int exit_code, std::string message) {
  TrainResult made;
  made.reason = reason;
  made.exit_code = exit_code;
  made.step = state().step;
  made.val_loss = state().val_loss;
  made.val_windows = state().val_windows;
  made.best_val_loss = state().best_val_loss;
  made.best_windows = state().best_windows;
  made.best_step = state().best_step;
  made.message = std::move(message);
  const auto directory = checkpoint_directory(setup_.options.run_dir, state().step);
  if (latest_step(setup_.options.run_dir) == state().step) made.state_hash = state_hash(directory);
  return made;
}

}  // namespace minnow
