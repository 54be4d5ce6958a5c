// A run that is interrupted anywhere and resumed equals the uninterrupted one in every bit of state, log and samples.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "train/small_run.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;
using test::expect_same;
using test::Outcome;
using test::outcome_of;
using test::train_once;
using test::Watcher;

class Resume : public ::testing::Test {
 protected:
  LoadedConfig config(const std::vector<std::string>& overrides = {}) const {
    return test::small_config(text_, overrides);
  }
  fs::path run(const std::string& name) const { return folder_.path(name); }

  Outcome straight(const LoadedConfig& config) const {
    train_once(config, run("straight"));
    return outcome_of(run("straight"));
  }

  /// Goes through `config` once; at every wanted step the run is left with a signal, copied, and the copy finished.
  void interrupt_after_each(const LoadedConfig& config, const std::vector<std::int64_t>& steps) const {
    const Outcome expected = straight(config);
    const fs::path prefix = run("prefix");
    const fs::path copy = run("copy");
    for (const std::int64_t step : steps) {
      Watcher watcher;
      watcher.stop_after_step = step;
      if (step == 0) watcher.stop_at_question = 0;
      const TrainResult left = train_once(config, prefix, watcher);
      ASSERT_EQ(left.exit_code, 143) << step;
      ASSERT_EQ(left.step, step);
      ASSERT_FALSE(left.state_hash.empty());
      fs::remove_all(copy);
      fs::copy(prefix, copy, fs::copy_options::recursive);
      const TrainResult result = train_once(config, copy);
      EXPECT_EQ(result.state_hash, expected.state);
      expect_same(expected, outcome_of(copy), fmt::format("interrupted after step {}", step));
      if (HasFailure()) return;
    }
    train_once(config, prefix);
    expect_same(expected, outcome_of(prefix), "interrupted at each of them");
  }

  /// Ends the run at about `visits` of the questions whether a signal came (between steps, operations, evaluation
  /// batches and sampled tokens), or lets it die there without saving, and resumes.
  void end_at_questions(const LoadedConfig& config, std::int64_t visits, bool dies) const {
    Watcher all;
    fs::remove_all(run("straight"));
    train_once(config, run("straight"), all);
    const Outcome expected = outcome_of(run("straight"));
    ASSERT_GT(all.questions, 1000);
    const std::int64_t stride = all.questions / visits | 1;  // odd, so that it falls on every kind of place
    for (std::int64_t question = 0; question < all.questions; question += stride) {
      const fs::path cut = run("cut");
      Watcher watcher;
      watcher.stop_at_question = question;
      watcher.dies = dies;
      if (dies) {
        EXPECT_THROW(train_once(config, cut, watcher), test::Death);
      } else {
        train_once(config, cut, watcher);
      }
      train_once(config, cut);
      expect_same(expected, outcome_of(cut), fmt::format("{} at question {}", dies ? "death" : "signal", question));
      EXPECT_EQ(best_step(run("straight")), best_step(cut)) << question;
      if (HasFailure()) return;
      fs::remove_all(cut);
    }
  }

  test::DataFolder folder_;
  std::string text_ = folder_.write("text.txt", test::small_text(3000));
};

/// The same with everybody who multiplies, in each precision.
class ResumeWith : public Resume, public ::testing::WithParamInterface<test::Products> {
 protected:
  LoadedConfig config_of(const std::vector<std::string>& overrides) const {
    return config(GetParam().settings(overrides));
  }
  /// How many questions to end a run at: few where the usual products were put to the test at all of them.
  static std::int64_t visits() {
    const bool usual =
        GetParam().backend == kernels::best_gemm_backend() && GetParam().precision == kernels::GemmPrecision::kF32;
    return usual ? 30 : 8;
  }

 private:
  kernels::GemmBackendScope backend_;
};
INSTANTIATE_TEST_SUITE_P(, ResumeWith, ::testing::ValuesIn(test::all_products()),
                         [](const auto& chosen) { return chosen.param.name(); });

// 30 steps with evaluations at 7, 14, ..., samples at 9, 18, 27, checkpoints at 10, 20, 30.
const std::vector<std::string> kShort = {"train.max_steps=30"};

TEST_P(ResumeWith, AtTelltaleStepsEqualsTheStraightRun) {
  interrupt_after_each(config_of(kShort), {0, 1, 6, 7, 8, 9, 10, 14, 20, 27, 28, 29});
}

TEST_F(Resume, SlowAtEachOf200StepsEqualsTheStraightRun) {
  std::vector<std::int64_t> each;
  for (std::int64_t step = 0; step < 200; ++step) each.push_back(step);
  interrupt_after_each(config(), each);
}

TEST_P(ResumeWith, InsideStepsEvaluationsAndSamplesEqualsTheStraightRun) {
  end_at_questions(config_of({"train.max_steps=21"}), visits(), false);
}
TEST_F(Resume, SlowInsideEverythingEqualsTheStraightRun) {
  end_at_questions(config({"train.max_steps=21"}), 400, false);
}
TEST_P(ResumeWith, DeathsInsideStepsEvaluationsAndSamplesLoseNothing) {
  end_at_questions(config_of({"train.max_steps=21"}), visits(), true);
}
TEST_F(Resume, SlowDeathsAnywhereLoseNothing) { end_at_questions(config({"train.max_steps=21"}), 400, true); }

// Evaluation, sample, log line and checkpoint all fall on the same step: the order of the end of a step is put to test.
TEST_F(Resume, WhenEverythingFallsOnOneStep) {
  const auto all = config({"train.max_steps=6", "eval.every_steps=3", "sample.every_steps=3",
                           "checkpoint.every_steps=3", "log.every_steps=1", "train.early_stop_evals=2"});
  end_at_questions(all, 25, false);
  end_at_questions(all, 25, true);
}

// At the end, and where it stops early, a part of the split is scored and then all of it: a signal may come in between.
TEST_F(Resume, WhereEvaluationsScoreAPartOfTheSplit) {
  const std::vector<std::string> part = {"train.max_steps=7", "eval.every_steps=3", "eval.max_windows=3",
                                         "eval.batch_size=2"};
  end_at_questions(config(part), 25, false);
  end_at_questions(config(part), 25, true);
  std::vector<std::string> flat = part;
  flat.insert(flat.end(), {"train.early_stop_evals=1", "optimizer.learning_rate=1e-30", "schedule.min_lr=0",
                           "optimizer.weight_decay=0"});
  end_at_questions(config(flat), 25, false);
  EXPECT_NE(outcome_of(run("straight")).metrics.find("final_val_loss"), std::string::npos);
}

TEST_F(Resume, AnotherPartOfTheSplitBeginsANewComparison) {
  Watcher half;
  half.stop_after_step = 14;
  train_once(config({"train.max_steps=28", "eval.max_windows=2"}), run("other"), half);
  const TrainResult result = train_once(config({"train.max_steps=28", "eval.max_windows=3"}), run("other"));
  EXPECT_EQ(result.best_windows, 3);
  EXPECT_GT(result.best_step, 14) << "a score of other windows must not stand in its way";
  EXPECT_EQ(result.val_windows, 0);
}

TEST_F(Resume, AnEvaluationThatIsRepeatedCountsOnceForEarlyStopping) {
  // No step improves: with patience 2 the run ends at the third evaluation, however often it is interrupted.
  const auto flat =
      config({"train.max_steps=30", "eval.every_steps=2", "sample.every_steps=2", "train.early_stop_evals=2",
              "optimizer.learning_rate=1e-30", "schedule.min_lr=0", "optimizer.weight_decay=0"});
  Watcher watcher;
  const TrainResult straight = train_once(flat, run("straight"), watcher);
  ASSERT_EQ(straight.reason, StopReason::kEarlyStop);
  ASSERT_EQ(straight.step, 6);
  const std::int64_t stride = watcher.questions / 50 | 1;
  for (std::int64_t question = 0; question < watcher.questions; question += stride) {
    Watcher cut;
    cut.stop_at_question = question;
    train_once(flat, run("cut"), cut);
    const TrainResult result = train_once(flat, run("cut"));
    EXPECT_EQ(result.step, 6) << question;
    EXPECT_EQ(result.state_hash, straight.state_hash) << question;
    fs::remove_all(run("cut"));
  }
}

TEST_F(Resume, AChainOfRandomInterruptionsEqualsTheStraightRun) {
  const auto longer = config({"train.max_steps=60"});
  Watcher all;
  train_once(longer, run("straight"), all);
  const Outcome expected = outcome_of(run("straight"));
  const auto longest = static_cast<std::uint32_t>(all.questions / 10);  // six steps
  std::uint32_t state = 7;
  int processes = 0;
  for (; processes < 200; ++processes) {
    state = state * 1664525U + 1013904223U;
    Watcher watcher;
    watcher.stop_at_question = (state >> 8U) % longest;
    if (train_once(longer, run("chain"), watcher).reason == StopReason::kFinished) break;
  }
  EXPECT_GT(processes, 5);
  train_once(longer, run("chain"));
  expect_same(expected, outcome_of(run("chain")), "chain");
}

// A step-wise mistake in the order of batches shows as another loss: every step is logged.
TEST_F(Resume, InAnEpochGoesOnWithTheOrderOfThatEpoch) {
  // 2000 training characters and a few: 125 batches of one window of 16 in an epoch; 500 steps are 4 epochs.
  const std::string text = folder_.write("epochs.txt", test::small_text(2300).substr(0, 2223));
  auto epochs = test::small_config(
      text, {"train.max_steps=500", "train.batch_size=1", "train.accumulation_steps=1", "train.leaf_sequences=1",
             "model.n_layer=1", "model.n_embd=8", "log.every_steps=1", "eval.every_steps=0", "sample.every_steps=0",
             "checkpoint.every_steps=0", "data.order=epoch"});
  const Outcome expected = straight(epochs);
  for (const std::int64_t step : {1, 124, 125, 126, 200, 250, 499}) {  // epoch ends, beginnings and middles
    Watcher watcher;
    watcher.stop_after_step = step;
    train_once(epochs, run("cut"), watcher);
    train_once(epochs, run("cut"));
    expect_same(expected, outcome_of(run("cut")), fmt::format("interrupted after step {}", step));
    fs::remove_all(run("cut"));
  }
  Watcher watcher;
  train_once(epochs, run("again"), watcher, {.resume = false});
  ASSERT_EQ(watcher.steps.size(), 500U);
}

// nanoGPT's rates: warm-up 10, end 100, 1e-3 to 1e-4; steps count from 0.
TEST_F(Resume, TheScheduleGoesOnWithoutALag) {
  const auto rates = config({"train.max_steps=101", "schedule.warmup_steps=10", "schedule.decay_steps=100",
                             "schedule.min_lr=1e-4", "optimizer.learning_rate=1e-3", "log.every_steps=1",
                             "sample.every_steps=0", "eval.every_steps=0", "checkpoint.every_steps=0"});
  const std::vector<std::pair<std::int64_t, double>> known = {
      {9, 9.0909e-4}, {10, 1e-3}, {55, 5.5e-4}, {99, 1.00274e-4}, {100, 1e-4}};
  Watcher watcher;
  train_once(rates, run("straight"), watcher);
  for (const auto& [step, rate] : known) {
    EXPECT_NEAR(watcher.steps.at(static_cast<std::size_t>(step)).lr, rate, 1e-9) << step;
    Watcher before, after;
    before.stop_after_step = step;
    train_once(rates, run("cut"), before);
    train_once(rates, run("cut"), after);
    ASSERT_FALSE(after.steps.empty());
    EXPECT_EQ(after.steps.front().step, step + 1);
    for (const TrainProgress& now : after.steps) {
      EXPECT_EQ(now.lr, watcher.steps.at(static_cast<std::size_t>(now.step - 1)).lr) << now.step;
    }
    fs::remove_all(run("cut"));
  }
}

}  // namespace
}  // namespace minnow
