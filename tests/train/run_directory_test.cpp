// What a run does with what it finds in its directory, and how it ends.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "minnow/io/file.hpp"
#include "minnow/io/run_lock.hpp"
#include "minnow/train/run.hpp"
#include "minnow/train/verify.hpp"
#include "train/small_run.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::expect_same;
using test::Outcome;
using test::outcome_of;
using test::train_once;
using test::Watcher;
using ::testing::Test;

class RunDirectory : public Test {
 protected:
  LoadedConfig config(const std::vector<std::string>& overrides = {}) const {
    std::vector<std::string> all = {"train.max_steps=20", "sample.every_steps=0"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return test::small_config(text_, all);
  }
  fs::path run(const std::string& name = "run") const { return folder_.path(name); }
  std::string resume_error(const LoadedConfig& config, const test::Start& start = {}) const {
    return error_of([&] { train_once(config, run(), start); });
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
  TrainResult until(const LoadedConfig& config, std::int64_t step, const std::string& name = "run") const {
    Watcher watcher;
    watcher.stop_after_step = step;
    return train_once(config, run(name), watcher);
  }

  test::DataFolder folder_;
  std::string text_ = folder_.write("text.txt", test::small_text(3000));
};

TEST_F(RunDirectory, AnExistingRunNeedsResumeOrOverwrite) {
  train_once(config(), run());
  const Outcome before = outcome_of(run());
  const std::string error = resume_error(config(), {.resume = false});
  EXPECT_TRUE(has(error, "2: [train] the run directory must be new;")) << error;
  EXPECT_TRUE(has(error, "--resume goes on with it, --overwrite starts over")) << error;
  expect_same(before, outcome_of(run()), "refused");
  train_once(config({"train.seed=5"}), run(), {.overwrite = true});
  EXPECT_NE(outcome_of(run()).state, before.state);
  EXPECT_EQ(outcome_of(run()).metrics.find("\"step\":3,"), 1U) << "the old log goes";
  train_once(config(), run(), {.overwrite = true});
  expect_same(before, outcome_of(run()), "the first one again");
}

TEST_F(RunDirectory, ResumeWithoutACheckpointStartsAnewAndSaysSo) {
  Watcher watcher;
  train_once(config(), run(), watcher);
  EXPECT_TRUE(watcher.heard("has no checkpoint: starting anew"));
  EXPECT_EQ(watcher.steps.size(), 20U);
}

TEST_F(RunDirectory, AFinishedRunSaysSoAndRaisingMaxStepsGoesOn) {
  const auto first = config({"schedule.name=cosine"});
  const TrainResult whole = train_once(first, run());
  Watcher again;
  const TrainResult done = train_once(first, run(), again);
  EXPECT_EQ(done.reason, StopReason::kAlreadyFinished);
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_EQ(done.state_hash, whole.state_hash);
  EXPECT_TRUE(
      has(done.message, "all 20 steps were done before; to go on, raise train.max_steps: --set train.max_steps=40"))
      << done.message;
  EXPECT_TRUE(again.steps.empty());

  Watcher more;
  const TrainResult longer = train_once(config({"schedule.name=cosine", "train.max_steps=30"}), run(), more);
  EXPECT_EQ(longer.reason, StopReason::kFinished);
  ASSERT_EQ(more.steps.size(), 10U);
  EXPECT_EQ(more.steps.front().step, 21);
  EXPECT_TRUE(more.heard("train.max_steps: 20 -> 30 (changes bits)"));
  EXPECT_TRUE(more.heard("learning rate of the next step: 0.0001 ->")) << "what happens to the schedule";

  Watcher fewer;
  const TrainResult shorter = train_once(config({"schedule.name=cosine", "train.max_steps=25"}), run(), fewer);
  EXPECT_EQ(shorter.reason, StopReason::kAlreadyFinished);
  EXPECT_EQ(shorter.step, 30);
}

// A run to 30 steps in one go, and one to 20 that is then raised: with a constant rate the weights are the same.
TEST_F(RunDirectory, ARaisedRunWithAConstantRateEqualsAStraightOne) {
  const auto to = [&](int steps) {
    return config({"schedule.name=constant", fmt::format("train.max_steps={}", steps)});
  };
  train_once(to(30), run("straight"));
  train_once(to(20), run());
  Watcher more;
  train_once(to(30), run(), more);
  EXPECT_FALSE(more.heard("changes bits"));
  for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
    EXPECT_EQ(test::file_hash(run("straight"), 30, file), test::file_hash(run(), 30, file));
  }
}

TEST_F(RunDirectory, ChangedModelAndTokenizerAreRefusedAllAtOnce) {
  until(config(), 12);
  const std::string error =
      resume_error(config({"model.n_embd=32", "model.n_layer=1", "model.activation=relu", "model.norm_position=post",
                           "model.tie_head=false", "tokenizer.type=byte", "optimizer.learning_rate=1"}));
  EXPECT_EQ(error.substr(0, 11), "4: [resume]") << error;
  for (const char* key :
       {"model.n_embd: 16 in the checkpoint, 32 now", "model.n_layer: 2 in the checkpoint, 1 now", "model.activation: ",
        "model.norm_position: ", "model.tie_head: true in the checkpoint, false now", "tokenizer.type: "}) {
    EXPECT_TRUE(has(error, key)) << key << "\n" << error;
  }
  EXPECT_FALSE(has(error, "learning_rate")) << error;
  EXPECT_TRUE(has(error, "--init-from")) << error;
}

TEST_F(RunDirectory, EveryKeyOfTheModelIsRefusedOrSaidToChangeBits) {
  until(config(), 12);
  const std::vector<std::string> refused = {"model.n_layer=3",
                                            "model.n_head=4",
                                            "model.n_embd=24",
                                            "model.block_size=8",
                                            "model.n_inner=20",
                                            "model.vocab_size=100",
                                            "model.activation=gelu_tanh",
                                            "model.position=sinusoidal",
                                            "model.norm_position=post",
                                            "model.bias=false",
                                            "model.head_bias=true",
                                            "model.tie_head=false",
                                            "tokenizer.type=byte"};
  for (const std::string& one : refused) {
    EXPECT_EQ(resume_error(config({one})).substr(0, 11), "4: [resume]") << one;
  }
  for (const std::string one :
       {"optimizer.learning_rate=1e-4", "train.seed=3", "model.dropout=0.2", "optimizer.weight_decay=0",
        "train.batch_size=16", "schedule.name=linear", "train.leaf_sequences=1"}) {
    EXPECT_EQ(resume_error(config({one}), {.exact = true}).substr(0, 11), "4: [resume]") << one;
    TrainOptions options;
    options.config = config({one});
    options.run_dir = run();
    const auto findings = compare_with_run(options);
    ASSERT_FALSE(findings.empty()) << one;
    EXPECT_EQ(findings.front().verdict, "changes bits") << one;
  }
  for (const std::string one : {"compute.threads=2", "log.every_steps=2", "checkpoint.keep=7", "eval.every_steps=3",
                                "train.accumulation_steps=4"}) {
    fs::remove_all(run("copy"));
    fs::copy(run(), run("copy"), fs::copy_options::recursive);
    EXPECT_EQ(error_of([&] { train_once(config({one}), run("copy"), {.exact = true}); }), "no error") << one;
  }
}

TEST_F(RunDirectory, DryRunListsEverything) {
  TrainOptions options;
  options.config = config();
  options.run_dir = run();
  const auto none = compare_with_run(options);
  ASSERT_EQ(none.size(), 1U);
  EXPECT_EQ(none[0].text(), "checkpoint: there is none: a resume starts anew (free)");
  EXPECT_FALSE(fs::exists(run())) << "a dry run makes nothing";

  until(config(), 12);
  EXPECT_TRUE(compare_with_run(options).empty());
  options.config = config({"model.n_embd=32", "train.max_steps=40", "log.every_steps=9"});
  std::string other = test::small_text(3000);
  other[5] = '#';
  folder_.write("text.txt", other);
  std::string all;
  for (const ResumeFinding& finding : compare_with_run(options)) all += finding.text() + "\n";
  for (const char* line : {"model.n_embd: 16 -> 32 (refused)", "train.max_steps: 20 -> 40 (changes bits)",
                           "log.every_steps: 3 -> 9 (free)", "learning rate of the next step: ", "data: "}) {
    EXPECT_TRUE(has(all, line)) << line << "\n" << all;
  }
}

TEST_F(RunDirectory, DataThatChangedAreRefusedUnlessAllowed) {
  until(config(), 12);
  const auto time = fs::last_write_time(text_);
  std::string changed = test::small_text(3000);
  std::swap(changed[100], changed[101]);
  folder_.write("text.txt", changed);
  fs::last_write_time(text_, time);
  const std::string error = resume_error(config());
  EXPECT_TRUE(has(error, "3: ")) << error;
  EXPECT_TRUE(has(error, "same size (")) << error;
  Watcher watcher;
  const TrainResult result = train_once(config(), run(), watcher, {.allow_data_change = true});
  EXPECT_EQ(result.reason, StopReason::kFinished);
  EXPECT_TRUE(watcher.heard("other content"));
  EXPECT_EQ(watcher.steps.front().step, 13);
  // The run has taken the new data over: the next resume is not asked again.
  EXPECT_EQ(resume_error(config({"train.max_steps=25"})), "no error");
}

TEST_F(RunDirectory, InitFromTakesTheWeightsAndBeginsAtStepZero) {
  train_once(config(), run("source"));
  Watcher watcher;
  const auto fine = config({"train.max_steps=5", "train.seed=9", "optimizer.learning_rate=1e-6", "schedule.min_lr=0"});
  const TrainResult result = train_once(fine, run(), watcher, {.resume = false, .init_from = run("source")});
  EXPECT_EQ(watcher.steps.front().step, 1);
  EXPECT_EQ(result.step, 5);
  EXPECT_TRUE(watcher.heard("weights taken from"));
  EXPECT_LT(watcher.steps.front().loss, 2.75) << "ln(19) = 2.94 would be an untrained model";

  EXPECT_TRUE(has(error_of([&] {
                    train_once(config({"model.n_embd=32"}), run("wrong"),
                               {.resume = false, .init_from = run("source")});
                  }),
                  "4: [init-from] the tensors must have the model's shapes"));
  EXPECT_TRUE(
      has(error_of([&] { train_once(config(), run("nothing"), {.resume = false, .init_from = run("missing")}); }),
          "4: [run] the run directory must exist"));
  EXPECT_FALSE(fs::exists(run("nothing")));

  Watcher resumed;
  train_once(config({"train.max_steps=7"}), run(), resumed, {.init_from = run("source")});
  EXPECT_TRUE(resumed.heard("is not looked at: the run goes on from its own step 5"));
}

TEST_F(RunDirectory, EarlyStoppingStopsAndARaisedPatienceGoesOn) {
  const auto flat = [&](int patience) {
    return config({"train.max_steps=40", "eval.every_steps=2", "optimizer.learning_rate=1e-30", "schedule.min_lr=0",
                   "optimizer.weight_decay=0", fmt::format("train.early_stop_evals={}", patience)});
  };
  const TrainResult stopped = train_once(flat(3), run());
  EXPECT_EQ(stopped.reason, StopReason::kEarlyStop);
  EXPECT_EQ(stopped.exit_code, 0);
  EXPECT_EQ(stopped.step, 8);
  EXPECT_EQ(stopped.best_step, 2);
  const TrainResult again = train_once(flat(3), run());
  EXPECT_EQ(again.reason, StopReason::kAlreadyFinished);
  EXPECT_TRUE(has(again.message, "the run stopped early at step 8; raise train.early_stop_evals to go on"));
  EXPECT_EQ(train_once(flat(5), run()).step, 12);
  EXPECT_EQ(train_once(flat(0), run()).reason, StopReason::kFinished);
}

TEST_F(RunDirectory, TheTimeLimitSavesAndGoesOn) {
  const Outcome expected = (train_once(config(), run("straight")), outcome_of(run("straight")));
  int processes = 0;
  for (; processes < 100; ++processes) {
    const TrainResult result = train_once(config({"train.max_minutes=0.0002"}), run());
    EXPECT_EQ(result.exit_code, 0);
    if (result.reason != StopReason::kTimeLimit) break;
    EXPECT_TRUE(has(result.message, "--resume goes on"));
    EXPECT_EQ(latest_step(run()), result.step);
  }
  EXPECT_GT(processes, 0);
  if (processes == 100) train_once(config(), run());
  expect_same(expected, outcome_of(run()), "time limits");
}

// Rate and decay make the weights grow a million times a step until they overflow.
TEST_F(RunDirectory, TheNanLimitStopsWithTheLastGoodWeights) {
  const auto wild = config({"optimizer.learning_rate=1000", "optimizer.weight_decay=1000", "schedule.warmup_steps=0",
                            "schedule.name=constant", "train.max_bad_steps=3", "checkpoint.every_steps=1",
                            "checkpoint.keep=30", "eval.every_steps=0"});
  Watcher watcher;
  const TrainResult result = train_once(wild, run(), watcher);
  EXPECT_EQ(result.reason, StopReason::kNumeric);
  EXPECT_EQ(result.exit_code, 6);
  EXPECT_TRUE(has(result.message, "3 steps in a row were not")) << result.message;
  EXPECT_TRUE(has(result.message, "the gradient of transformer.") || has(result.message, "the loss is not finite"))
      << result.message;
  EXPECT_TRUE(watcher.heard("was skipped and changed nothing"));
  for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
    EXPECT_EQ(test::file_hash(run(), result.step, file), test::file_hash(run(), result.step - 3, file));
  }
  EXPECT_TRUE(has(outcome_of(run()).metrics, "\"skipped_steps\":3"));
  // A resume tries again, and may be given a lower rate.
  EXPECT_EQ(train_once(wild, run()).step, result.step + 3);
  Watcher gentle;
  train_once(config({"optimizer.learning_rate=1e-3", "train.max_bad_steps=3"}), run(), gentle);
  EXPECT_TRUE(gentle.heard("the run had given up after 3 steps"));
}

TEST_F(RunDirectory, ADamagedCheckpointFallsBackToTheOneBefore) {
  until(config(), 12, "run");
  train_once(config(), run("straight"));
  ASSERT_EQ(latest_step(run()), 12);
  test::flip_bit(checkpoint_directory(run(), 12) / "model.safetensors", 3000);
  Watcher watcher;
  train_once(config(), run(), watcher);
  EXPECT_EQ(watcher.steps.front().step, 11);
  EXPECT_TRUE(watcher.heard("checkpoint of step 12 skipped (kept on the disk): model.safetensors: section"))
      << ::testing::PrintToString(watcher.warnings);
  expect_same(outcome_of(run("straight")), outcome_of(run()), "after falling back");
}

TEST_F(RunDirectory, WhenAllAreDamagedTheResumeIsRefused) {
  until(config(), 12);
  for (const CheckpointInfo& info : list_checkpoints(run())) test::flip_bit(info.directory / "state.json", 30);
  const std::string error = resume_error(config());
  EXPECT_EQ(error.substr(0, 2), "4:") << error;
  EXPECT_EQ(list_checkpoints(run()).size(), 3U) << "nothing is deleted";
  const std::string fresh = resume_error(config(), {.resume = false});
  EXPECT_EQ(fresh.substr(0, 2), "2:") << fresh;
  EXPECT_EQ(resume_error(config(), {.overwrite = true}), "no error");
}

TEST_F(RunDirectory, ABestMarkThatWasLostComesBack) {
  const auto often = config({"eval.every_steps=4", "checkpoint.every_steps=4"});
  train_once(often, run("straight"));
  until(often, 12);
  const auto best = best_step(run());
  ASSERT_TRUE(best.has_value());
  mark_best(run(), list_checkpoints(run()).front().step == *best ? 12 : list_checkpoints(run()).front().step);
  remove_file(run() / "best");
  train_once(often, run());
  EXPECT_EQ(best_step(run()), best_step(run("straight")));
}

TEST_F(RunDirectory, OneProcessAtATime) {
  until(config(), 12);
  const RunLock other = RunLock::acquire(run());
  EXPECT_EQ(resume_error(config()).substr(0, 2), "8:");
  EXPECT_EQ(resume_error(config(), {.overwrite = true}).substr(0, 2), "8:");
  EXPECT_EQ(list_checkpoints(run()).size(), 3U) << "nothing was touched";
}

TEST_F(RunDirectory, KeepsTheNewestAndTheBest) {
  train_once(config({"checkpoint.every_steps=2", "checkpoint.keep=2", "eval.every_steps=5"}), run());
  std::vector<std::int64_t> steps;
  for (const CheckpointInfo& info : list_checkpoints(run())) steps.push_back(info.step);
  EXPECT_EQ(steps.back(), 20);
  EXPECT_LE(steps.size(), 3U);
  const auto best = best_step(run());
  ASSERT_TRUE(best.has_value());
  EXPECT_NE(std::find(steps.begin(), steps.end(), *best), steps.end());
  EXPECT_EQ(open_run(run()).step, *best);
}

TEST_F(RunDirectory, VerifyResumeProvesItself) {
  VerifyOptions options;
  options.config = config();
  options.steps = 8;
  options.threads = {1, 2};
  options.scratch = folder_.path();
  std::int64_t lines = 0;
  options.report = [&](const std::string&) { ++lines; };
  const VerifyResult result = verify_resume(options);
  EXPECT_TRUE(result.ok());
  // 7 single interruptions, all in one run; inside 2 evaluations (4 and 8), all of these in one run; 2 thread counts
  EXPECT_EQ(result.rows.size(), 13U);
  EXPECT_EQ(lines, 14);
  EXPECT_TRUE(has(result.rows.at(8).what, "interrupted inside the evaluation of step 4, ")) << result.rows.at(8).what;
  EXPECT_EQ(result.rows.at(10).what, "interrupted 6 times inside evaluations");
  for (const VerifyRow& row : result.rows) EXPECT_EQ(row.hash, result.hash) << row.what;
}

// A sampler that remembers what it said before is no function of the run: the samples differ, and nothing else.
TEST_F(RunDirectory, VerifyComparesTheSamples) {
  VerifyOptions options;
  options.config = config({"sample.every_steps=1000"});
  options.steps = 4;
  options.interrupts = {1};
  options.scratch = folder_.path();
  int calls = 0;
  options.sampler = [&](LanguageModel&, const Dataset&, const SampleConfig&, std::uint64_t, std::int64_t) {
    return std::to_string(++calls);
  };
  const VerifyResult different = verify_resume(options);
  EXPECT_FALSE(different.ok());
  for (const VerifyRow& row : different.rows) {
    EXPECT_TRUE(row.same_state && row.same_metrics) << row.what;
    EXPECT_FALSE(row.same_samples) << row.what;
  }
  options.sampler = [&](LanguageModel&, const Dataset&, const SampleConfig&, std::uint64_t, std::int64_t step) {
    return std::to_string(step);
  };
  EXPECT_TRUE(verify_resume(options).ok());
}

TEST_F(RunDirectory, VerifyFitsALongScheduleIntoFewSteps) {
  for (const char* schedule : {"schedule.name=cosine", "schedule.name=wsd"}) {
    VerifyOptions options;
    options.config = config({"train.max_steps=1000", "schedule.warmup_steps=50", "schedule.min_lr=0",
                             "schedule.decay_steps=100", schedule});
    options.steps = 4;
    options.interrupts = {1};
    options.threads = {1};
    options.scratch = folder_.path();
    EXPECT_TRUE(verify_resume(options).ok()) << schedule;
  }
}

}  // namespace
}  // namespace minnow
