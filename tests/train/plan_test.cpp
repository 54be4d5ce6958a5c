// What a plan promises against what a run leaves on the disk.
#include "minnow/train/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "minnow/io/checkpoint.hpp"
#include "minnow/models/language_model.hpp"
#include "train/small_run.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Overrides = std::vector<std::string>;

class PlanTest : public testing::Test {
 protected:
  [[nodiscard]] LoadedConfig config(const Overrides& overrides = {}) const {
    Overrides all = {"train.max_steps=20"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return test::small_config(text_, all);
  }
  [[nodiscard]] fs::path run() const { return folder_.path("run"); }
  [[nodiscard]] TrainPlan plan(const Overrides& overrides = {}, double seconds = 0) const {
    return make_plan({.config = config(overrides), .run_dir = run(), .measure_seconds = seconds, .interrupted = {}});
  }
  [[nodiscard]] std::string warning(const std::string& key, const Overrides& overrides) const {
    for (const PlanWarning& one : plan(overrides).warnings) {
      if (one.key == key) return one.text;
    }
    return "none";
  }

  test::DataFolder folder_;
  std::string text_ = folder_.write("text.txt", test::small_text(6000));
};

std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder)) bytes += fs::file_size(entry.path());
  return bytes;
}

TEST_F(PlanTest, DiskIsThatOfARealCheckpoint) {
  for (const Overrides& further : {Overrides{}, Overrides{"optimizer.name=sgd"}, Overrides{"optimizer.name=muon"},
                                   Overrides{"model.family=llama", "model.n_layer=1"}}) {
    const TrainPlan made = plan(further);
    EXPECT_FALSE(fs::exists(run())) << "a plan writes nothing";
    test::train_once(config(further), run());
    const auto step = latest_step(run());
    ASSERT_TRUE(step);
    const auto real = static_cast<double>(bytes_in(checkpoint_directory(run(), *step)));
    EXPECT_TRUE(made.checkpoint_exact);
    EXPECT_NEAR(made.checkpoint_bytes, real, 200)
        << testing::PrintToString(further);  // digits of numbers in state.json
    const TrainPlan after = plan(further);
    EXPECT_EQ(after.steps_done, after.max_steps);
    EXPECT_EQ(after.evaluations_left, 0);
    EXPECT_LT(after.disk_bytes, made.disk_bytes);
    fs::remove_all(run());
  }
}

TEST_F(PlanTest, PartsAddUpToTheModel) {
  std::vector<ModelConfig> models{ModelConfig::of(Family::kGpt2), ModelConfig::of(Family::kLlama)};
  models[1].n_kv_head = 2;
  for (ModelConfig base : models) {
    for (const bool tied : {true, false}) {
      for (const bool bias : {true, false}) {
        base.tie_head = tied;
        base.bias = bias;
        base.head_bias = bias;
        base.norm_position = bias ? NormPosition::kPost : NormPosition::kPre;
        double sum = 0;
        for (const ParameterPart& part : parameter_parts(base, 37)) sum += part.count;
        EXPECT_EQ(sum, count_parameters(base, 37));
        EXPECT_EQ(sum, static_cast<double>(make_language_model(base, 37)->parameters().count()));
      }
    }
  }
}

TEST_F(PlanTest, MeasuresRealSteps) {
  const TrainPlan made = plan({}, 0.05);
  ASSERT_TRUE(made.speed);
  EXPECT_GE(made.speed->steps, 1);
  EXPECT_GT(made.speed->tokens_per_s, 0);
  EXPECT_GT(made.speed->seconds_per_evaluation, 0);
  const double steps = static_cast<double>(made.max_steps) * made.speed->seconds_per_step;
  EXPECT_NEAR(made.seconds_total,
              steps + static_cast<double>(made.evaluations_left) * made.speed->seconds_per_evaluation, 1e-9);
  EXPECT_EQ(made.seconds_left, made.seconds_total);
  EXPECT_FALSE(plan({}, 0).speed);
}

TEST_F(PlanTest, CountsTokens) {
  const TrainPlan made =
      plan({"train.max_steps=10", "train.batch_size=4", "train.accumulation_steps=1", "train.leaf_sequences=0",
            "model.block_size=8", "schedule.warmup_steps=0", "schedule.decay_steps=0", "eval.every_steps=4",
            "checkpoint.every_steps=4", "checkpoint.keep=1", "checkpoint.keep_best=false"});
  EXPECT_EQ(made.tokens_per_step, 32);
  EXPECT_EQ(made.tokens, 320);
  EXPECT_NEAR(made.tokens_per_parameter, 320 / made.parameters, 1e-12);
  EXPECT_EQ(made.evaluations_left, 3);  // 4, 8 and the last
  EXPECT_EQ(made.checkpoints, 2);       // one kept, one being written
}

TEST_F(PlanTest, ModelsThatDoNotFitAreNotMade) {
  const TrainPlan made = plan({"model.n_layer=10000", "model.n_embd=65536", "model.n_head=512"}, 5);
  EXPECT_FALSE(made.memory_fits());
  EXPECT_FALSE(made.speed);
  EXPECT_FALSE(made.checkpoint_exact);
  EXPECT_THAT(warning("model.n_embd", {"model.n_layer=10000", "model.n_embd=65536", "model.n_head=512"}),
              HasSubstr("train would refuse it"));
}

TEST_F(PlanTest, WarnsOfWhatIsProbablyNotMeant) {
  EXPECT_THAT(warning("optimizer.learning_rate", {"optimizer.learning_rate=0.5"}), HasSubstr("is high"));
  EXPECT_THAT(warning("optimizer.learning_rate", {"optimizer.learning_rate=1e-7", "schedule.min_lr=0"}),
              HasSubstr("is low"));
  EXPECT_EQ(warning("optimizer.learning_rate", {"optimizer.name=sgd", "optimizer.learning_rate=0.5"}), "none");
  EXPECT_THAT(
      warning("schedule.warmup_steps", {"train.max_steps=10", "schedule.warmup_steps=8", "schedule.decay_steps=0"}),
      HasSubstr("takes 8 of 10 steps"));
  EXPECT_THAT(warning("eval.every_steps", {"eval.every_steps=1000000"}), HasSubstr("beyond the run"));
  EXPECT_THAT(warning("checkpoint.every_steps", {"checkpoint.every_steps=1000000"}),
              HasSubstr("it is saved only after"));
  EXPECT_THAT(warning("model.n_head", {"model.n_embd=16", "model.n_head=8"}), HasSubstr("heads of width 2 are narrow"));
  EXPECT_THAT(warning("model.n_head", {"model.n_embd=100", "model.n_head=10"}),  // three do not divide it
              HasSubstr("so 2 would fit"));
  EXPECT_THAT(warning("train.batch_size", {"train.batch_size=4096", "train.accumulation_steps=1"}),
              HasSubstr("several times in a step"));
  EXPECT_THAT(warning("model.block_size", {"data.documents=lines", "model.block_size=500"}),
              HasSubstr("documents are shorter"));
  EXPECT_THAT(warning("train.max_steps", {"train.max_steps=100000", "model.dropout=0"}), HasSubstr("by heart"));
}

TEST(UsualRates, FallWithTheWidth) {
  const OptimizerConfig adamw;
  for (const auto& [width, rate] : {std::pair{64, 3e-3}, {128, 2e-3}, {384, 1e-3}, {768, 6e-4}, {2048, 2e-4}}) {
    const UsualRates usual = usual_rates(adamw, width);
    EXPECT_LT(usual.low, rate) << width;
    EXPECT_GT(usual.high, rate) << width;
  }
  EXPECT_GT(0.1, usual_rates(adamw, 16).high);
  EXPECT_LT(usual_rates(OptimizerConfig::of(OptimizerKind::kLion), 768).high, usual_rates(adamw, 768).high);
}

}  // namespace
}  // namespace minnow
