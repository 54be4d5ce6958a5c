// Faults of other engines in whole runs, held as tests with the right values.

#include <gtest/gtest.h>

#include <map>

#include "io/io_support.hpp"
#include "minnow/optim/schedule.hpp"
#include "minnow/train/trainer.hpp"
#include "support/tiny_model.hpp"

namespace minnow {
namespace {

/// Keeps what every step said.
class Listener final : public TrainObserver {
 public:
  void on_step(const TrainProgress& step) override {
    loss[step.step] = step.loss;
    lr[step.step] = step.lr;
  }
  std::map<std::int64_t, double> loss, lr;
};

class TrainRun : public testing::Test {
 protected:
  void SetUp() override {
    std::string text;
    for (const std::int32_t id : test::ids(600, 9)) text += static_cast<char>('a' + id);
    test::spill(dir_ / "text.txt", text);
    config_.model = test::tiny_config();
    config_.model.block_size = 8;
    config_.data.path = (dir_ / "text.txt").string();
    config_.train.batch_size = 4;
    config_.train.max_steps = 10;
    config_.eval.every_steps = 0;
    config_.checkpoint.every_steps = 0;
    config_.log.every_steps = 1;
  }

  /// @param stop the step after which a signal comes; 0: none
  TrainResult run(const Config& config, const std::string& name, Listener* listener = nullptr, bool resume = false,
                  std::int64_t stop = 0) {
    TrainOptions options;
    options.config.config = config;
    options.config.origins.assign(config_keys().size(), "test");
    options.run_dir = dir_ / name;
    options.resume = resume;
    options.observer = listener;
    if (stop > 0) options.interrupted = [=] { return listener->loss.contains(stop) ? 143 : 0; };
    return train(options);
  }

  test::TempDir dir_;
  Config config_;
  test::Threads one_{1};
};

// joeynmt#184: dropout stayed off behind an evaluation.
TEST_F(TrainRun, R19AnEvaluationInTheMiddleChangesNothing) {
  config_.model.dropout = 0.5;
  Listener straight;
  const TrainResult a = run(config_, "straight", &straight);
  for (const std::int64_t every : {5, 1, 3}) {
    config_.eval.every_steps = every;
    config_.eval.batch_size = every;
    Listener evaluated;
    const TrainResult b = run(config_, "evaluated" + std::to_string(every), &evaluated);
    EXPECT_EQ(evaluated.loss, straight.loss) << every;
    EXPECT_EQ(evaluated.loss.size(), 10U);
    EXPECT_EQ(b.val_loss, a.val_loss);
  }
}

// pytorch-lightning#4655: the schedule lagged by one behind a resume.
TEST_F(TrainRun, B23TheScheduleGoesOnWhereItStopped) {
  config_.model.n_layer = 1;
  config_.model.n_embd = 4;
  config_.train.batch_size = 1;
  config_.train.max_steps = 101;
  config_.optimizer.learning_rate = 1e-3;
  config_.schedule = {.name = ScheduleKind::kCosine, .warmup_steps = 10, .decay_steps = 100, .min_lr = 1e-4};
  Listener straight;
  run(config_, "straight", &straight);
  // The rate of step s (from 0) stands in the line of step s + 1 (steps done).
  const std::map<std::int64_t, double> wanted = {
      {9, 9.0909e-4}, {10, 1e-3}, {55, 5.5e-4}, {99, 1.00274e-4}, {100, 1e-4}};
  for (const auto& [step, rate] : wanted) EXPECT_NEAR(straight.lr.at(step + 1), rate, 1e-5 * rate) << step;

  // One run that is stopped behind so many steps, again and again.
  Listener resumed;
  bool first = true;
  for (const std::int64_t stop : {9, 10, 55, 99, 100}) {
    const TrainResult result = run(config_, "resumed", &resumed, !first, stop);
    EXPECT_EQ(result.reason, StopReason::kInterrupted);
    EXPECT_EQ(result.step, stop);
    first = false;
  }
  EXPECT_EQ(run(config_, "resumed", &resumed, true).reason, StopReason::kFinished);
  EXPECT_EQ(resumed.lr, straight.lr);
  EXPECT_EQ(resumed.loss, straight.loss);
}

// How a batch is cut and how many threads work on it changes no bit, as long as the leaves are the same.
TEST_F(TrainRun, AccumulationChangesNothing) {
  config_.model.dropout = 0.3;
  config_.train.batch_size = 8;
  config_.train.leaf_sequences = 2;
  std::string hash;
  for (const std::int64_t accumulation : {1, 2, 4}) {
    config_.train.accumulation_steps = accumulation;
    config_.eval.batch_size = 4;
    Listener listener;
    const TrainResult result = run(config_, "accumulation" + std::to_string(accumulation), &listener);
    const std::string weights = test::slurp(dir_ / ("accumulation" + std::to_string(accumulation)) /
                                            "checkpoints/step_00000010/model.safetensors");
    EXPECT_FALSE(weights.empty());
    if (hash.empty()) hash = weights;
    EXPECT_EQ(weights == hash, true) << accumulation;
    EXPECT_EQ(result.step, 10);
  }
}

/// @return loss, norm and state after some steps with dropout.
std::vector<std::byte> after_steps(const ModelConfig& config, Index rows, Index leaf) {
  const auto model = test::tiny_model(config);
  TrainStep step(*model, {.optimizer = {}, .leaf_sequences = leaf, .seed = 4});
  std::vector<std::byte> bytes;
  for (int i = 0; i < 3; ++i) {
    const Batch batch = test::make_batch(rows, 12, 11, {12, 7, 12, 1, 12}, static_cast<std::uint32_t>(10 * i));
    const auto result = step.run(batch, i, 1e-2);
    EXPECT_TRUE(result->applied) << result->problem;
    for (const double value : {result->loss, result->grad_norm}) {
      const auto* begin = reinterpret_cast<const std::byte*>(&value);
      bytes.insert(bytes.end(), begin, begin + sizeof value);
    }
  }
  const auto state = test::state_bytes(step);
  bytes.insert(bytes.end(), state.begin(), state.end());
  return bytes;
}

TEST(TrainBits, AreTheSameAtAnyThreadCount) {
  ModelConfig config = test::tiny_config();
  config.dropout = 0.2;
  ModelConfig larger = config;  // large enough that products and losses are cut into tiles
  larger.n_embd = 64;
  const test::Threads restore(1);
  for (const ModelConfig& one : {config, larger}) {
    set_threads(1);
    const auto wanted = after_steps(one, 5, 2);
    EXPECT_EQ(after_steps(one, 5, 2) == wanted, true);
    for (const int threads : {2, 3, 4, 8}) {
      set_threads(threads);
      EXPECT_EQ(after_steps(one, 5, 2) == wanted, true) << threads << " threads, C " << one.n_embd;
    }
  }
}

/// Leaves of any size give the same batch: losses and gradients agree but for rounding.
TEST(TrainBits, LeafSizesDifferByRoundingAlone) {
  ModelConfig config = test::tiny_config();
  config.dropout = 0.2;
  const test::Threads one(1);
  std::vector<double> losses;
  std::vector<double> norms;
  for (Index leaf = 1; leaf <= 5; ++leaf) {  // 5, 3, 2, 2 and 1 leaves
    const auto model = test::tiny_model(config);
    TrainStep step(*model, {.optimizer = {}, .leaf_sequences = leaf, .seed = 4});
    const auto result = step.run(test::make_batch(5, 12, 11, {12, 7, 12, 1, 12}), 0, 1e-2);
    losses.push_back(result->loss);
    norms.push_back(result->grad_norm);
    EXPECT_NEAR(losses.back(), losses.front(), 2e-6) << leaf;
    EXPECT_NEAR(norms.back(), norms.front(), 2e-5 * norms.front()) << leaf;
  }
}

}  // namespace
}  // namespace minnow
