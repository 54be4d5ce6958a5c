// Whole runs with each optimizer: they learn, resume to the bit and do not depend on threads; averaged weights.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "minnow/base/error.hpp"
#include "minnow/train/run.hpp"
#include "support/tiny_model.hpp"
#include "train/small_run.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;
using test::expect_same;
using test::outcome_of;
using test::train_once;
using test::Watcher;
using ::testing::HasSubstr;

struct Variant {
  const char* name;
  std::vector<std::string> settings;
};

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = {
      {"adamw amsgrad", {"optimizer.name=adamw", "optimizer.amsgrad=true"}},
      {"adam", {"optimizer.name=adam", "optimizer.weight_decay=0.01"}},
      {"sgd", {"optimizer.name=sgd", "optimizer.learning_rate=0.3"}},
      {"sgd nesterov",
       {"optimizer.name=sgd", "optimizer.momentum=0.9", "optimizer.nesterov=true", "optimizer.learning_rate=0.3"}},
      {"sgd dampened",
       {"optimizer.name=sgd", "optimizer.momentum=0.9", "optimizer.dampening=0.5", "optimizer.learning_rate=0.5"}},
      {"adagrad", {"optimizer.name=adagrad", "optimizer.learning_rate=0.05", "optimizer.lr_decay=0.01"}},
      {"rmsprop",
       {"optimizer.name=rmsprop", "optimizer.centered=true", "optimizer.momentum=0.5", "optimizer.alpha=0.9"}},
      {"adafactor", {"optimizer.name=adafactor", "optimizer.learning_rate=0.3"}},
      {"lion", {"optimizer.name=lion", "optimizer.learning_rate=3e-3"}},
      {"muon", {"optimizer.name=muon", "optimizer.muon_learning_rate=2e-2", "optimizer.ema_decay=0.9"}},
      {"muon llama",
       {"optimizer.name=muon", "optimizer.muon_adjust=original", "model.family=llama", "model.n_kv_head=1"}}};
  return all;
}

class Optimizers : public ::testing::TestWithParam<std::size_t> {
 protected:
  LoadedConfig config(std::vector<std::string> more = {}) const {
    std::vector<std::string> all = {"train.max_steps=32",  "schedule.min_lr=0",        "optimizer.learning_rate=1e-2",
                                    "eval.every_steps=12", "checkpoint.every_steps=0", "sample.every_steps=0"};
    const Variant& variant = variants()[GetParam()];
    all.insert(all.end(), variant.settings.begin(), variant.settings.end());
    all.insert(all.end(), more.begin(), more.end());
    return test::small_config(folder_.path("text.txt"), all);
  }
  void SetUp() override { (void)folder_.write("text.txt", test::small_text(6000)); }
  test::DataFolder folder_;
};

TEST_P(Optimizers, LearnAndResumeToTheBit) {
  Watcher watcher;
  const TrainResult result = train_once(config(), folder_.path("straight"), watcher);
  ASSERT_EQ(result.reason, StopReason::kFinished);
  EXPECT_LT(watcher.steps.back().loss, watcher.steps.front().loss - 0.1);
  for (const std::int64_t stop : {1, 2, 13}) {
    const fs::path run = folder_.path(fmt::format("stopped{}", stop));
    Watcher leaves;
    leaves.stop_after_step = stop;
    EXPECT_EQ(train_once(config(), run, leaves).step, stop);
    train_once(config(), run);
    expect_same(outcome_of(folder_.path("straight")), outcome_of(run), fmt::format("after step {}", stop));
  }
  const test::Threads three(3);
  train_once(config(), folder_.path("threads"));
  expect_same(outcome_of(folder_.path("straight")), outcome_of(folder_.path("threads")), "three threads");
}

INSTANTIATE_TEST_SUITE_P(All, Optimizers, ::testing::Range<std::size_t>(0, variants().size()), [](const auto& info) {
  std::string name = variants()[info.param].name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

class AveragedWeights : public ::testing::Test {
 protected:
  LoadedConfig config(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {"train.max_steps=20", "optimizer.ema_decay=0.8", "optimizer.learning_rate=1e-2",
                                    "eval.every_steps=5", "checkpoint.every_steps=5"};
    all.insert(all.end(), more.begin(), more.end());
    return test::small_config(folder_.path("text.txt"), all);
  }
  void SetUp() override { (void)folder_.write("text.txt", test::small_text(6000)); }
  double loss_of(const fs::path& run, WhichWeights weights) const {
    const LoadedRun loaded = open_run(run, WhichCheckpoint::parse("latest"), weights);
    const Dataset data = Dataset::open(dataset_options(loaded.config, loaded.tokenizer));
    return evaluate(*loaded.model, data, 4)->loss;
  }
  test::DataFolder folder_;
};

TEST_F(AveragedWeights, AreEvaluatedWhereWantedAndDoNotTouchTheTraining) {
  const TrainResult plain = train_once(config({"optimizer.ema_decay=0"}), folder_.path("plain"));
  const TrainResult beside = train_once(config(), folder_.path("beside"));
  const TrainResult used = train_once(config({"eval.use_ema=true"}), folder_.path("used"));
  EXPECT_EQ(*plain.val_loss, *beside.val_loss);
  EXPECT_NE(*plain.val_loss, *used.val_loss);
  const auto weights = [&](const char* run) { return test::file_hash(folder_.path(run), 20, "model.safetensors"); };
  EXPECT_EQ(weights("plain"), weights("beside"));
  EXPECT_EQ(weights("plain"), weights("used"));
  EXPECT_NE(plain.state_hash, beside.state_hash) << "the averages are part of the state";
  EXPECT_EQ(loss_of(folder_.path("used"), WhichWeights::kAuto), *used.val_loss);
  EXPECT_EQ(loss_of(folder_.path("used"), WhichWeights::kTrained), *plain.val_loss);
  EXPECT_EQ(loss_of(folder_.path("beside"), WhichWeights::kEma), *used.val_loss);
  EXPECT_EQ(loss_of(folder_.path("beside"), WhichWeights::kAuto), *plain.val_loss);
  EXPECT_THROW((void)loss_of(folder_.path("plain"), WhichWeights::kEma), CheckpointError);
}

TEST_F(AveragedWeights, BeginAtTheWeightsOfARunWithoutThem) {
  Watcher watcher;
  watcher.stop_after_step = 10;
  train_once(config({"optimizer.ema_decay=0"}), folder_.path("run"), watcher);
  Watcher again;
  train_once(config(), folder_.path("run"), again);
  EXPECT_TRUE(again.heard("the average begins at its weights"));
  EXPECT_NO_THROW((void)loss_of(folder_.path("run"), WhichWeights::kEma));
}

TEST(ParseWeights, KnowsThreeWords) {
  EXPECT_EQ(parse_weights("ema"), WhichWeights::kEma);
  EXPECT_EQ(parse_weights("trained"), WhichWeights::kTrained);
  EXPECT_EQ(parse_weights("auto"), WhichWeights::kAuto);
  EXPECT_THROW((void)parse_weights("both"), ConfigError);
}

}  // namespace
}  // namespace minnow
