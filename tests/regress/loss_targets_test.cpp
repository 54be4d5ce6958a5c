// Faults of other engines around embeddings, targets and losses, held as tests with the right values.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "io/io_support.hpp"
#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/embedding.hpp"
#include "minnow/ops/loss.hpp"
#include "minnow/ops/reduction.hpp"
#include "minnow/ops/shape.hpp"
#include "minnow/tasks/language_modeling.hpp"
#include "support/function_model.hpp"
#include "support/tiny_model.hpp"

namespace minnow {
namespace {

Tensor targets_of(std::vector<std::int32_t> numbers) {
  const auto n = static_cast<Index>(numbers.size());
  return Tensor::from(numbers, {n});
}

Tensor ramp(const Shape& shape) {
  std::vector<float> made;
  for (Index i = 0; i < shape.numel(); ++i) made.push_back(std::sin(static_cast<float>(i)));
  return set_requires_grad(Tensor::from(made, shape));
}

// pytorch#70348: the mean over no target divides by zero.
TEST(LossB07, AllTargetsIgnoredGiveZeroLossAndGradient) {
  const Tensor targets = targets_of({-100, -100, -100, -100});
  for (const bool chunked : {false, true}) {
    const Tensor x = ramp({4, 7});
    const Tensor weight = ramp({7, 7});
    const Tensor loss = chunked ? linear_cross_entropy(x, weight, {}, targets) : cross_entropy(x, targets);
    EXPECT_EQ(loss.item(), 0);
    backward(loss);
    for (const double g : grad(x).to_vector<double>()) EXPECT_EQ(g, 0);
  }
}

TEST(LossB07, ATrainingStepWithoutCountedTargetsIsSkipped) {
  const auto model = test::tiny_model(test::tiny_config());
  TrainStep step(*model, {.optimizer = {}, .leaf_sequences = 1});
  const auto before = test::state_bytes(step);
  const Batch batch = test::make_batch(2, 6, 11, {0, 0});
  const auto result = step.run(batch, 0, 1e-2);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->applied);
  EXPECT_EQ(result->counted, 0);
  EXPECT_EQ(result->loss, 0);
  EXPECT_THAT(result->problem, testing::HasSubstr("no target"));
  EXPECT_EQ(step.optimizer_steps(), 0);
  EXPECT_EQ(test::state_bytes(step), before);
}

// Some leaves without a counted target beside others with some: no NaN from the empty ones.
TEST(LossB07, AnEmptyLeafAddsNothing) {
  std::vector<std::vector<std::byte>> states;
  for (const bool with_empty : {false, true}) {
    const auto model = test::tiny_model(test::tiny_config());
    TrainStep step(*model, {.optimizer = {}, .leaf_sequences = 1});
    Batch batch = test::make_batch(with_empty ? 2 : 1, 6, 11, {6, 0});
    const auto result = step.run(batch, 0, 1e-2);
    ASSERT_TRUE(result->applied) << result->problem;
    EXPECT_EQ(result->counted, 6);
    states.push_back(test::state_bytes(step));
  }
  EXPECT_EQ(states[0], states[1]);
}

// pytorch#103023: the row of the padding id collected gradient.
TEST(LossB13, ThePaddingRowOfAnEmbeddingCollectsNoGradient) {
  const Tensor table = ramp({5, 3});
  backward(sum(embedding(table, targets_of({0, 1, 1, 2}), 0)));
  EXPECT_EQ(grad(table).to_vector<float>(), (std::vector<float>{0, 0, 0, 2, 2, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0}));
}

// pytorch#12670: a target outside the classes that is not the ignored one was read past the end.
TEST(LossR01, ATargetThatIsNoClassIsNamedByPosition) {
  for (const std::int32_t bad : {-4, -100, 7, 1 << 30}) {
    for (const bool chunked : {false, true}) {
      const Tensor targets = targets_of({0, -1, bad, 3});
      const CrossEntropyOptions options{.ignore_index = -1};
      try {
        (void)(chunked ? linear_cross_entropy(ramp({4, 7}), ramp({7, 7}), {}, targets, options)
                       : cross_entropy(ramp({4, 7}), targets, options));
        ADD_FAILURE() << bad << " was taken";
      } catch (const DataError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr(std::to_string(bad)));
        EXPECT_THAT(error.what(), testing::ContainsRegex("(position|at|row|index) *\\(?2")) << error.what();
      }
    }
  }
}

// transformers#34191: a mean of means over micro-batches of unequal token counts.
TEST(LossB17, MicroBatchesOfUnequalCountsAddUpToTheMeanOfAllTokens) {
  // ln(1 + e^x) is the loss of class 0 at logits (0, x).
  const auto row = [](double loss) { return static_cast<float>(std::log(std::expm1(loss))); };
  const Tensor first = set_requires_grad(Tensor::from<float>({0, row(1), 0, row(1), 0, row(1)}, {3, 2}));
  const Tensor second = set_requires_grad(Tensor::from<float>({0, row(5)}, {1, 2}));
  const Tensor whole = set_requires_grad(Tensor::from<float>({0, row(1), 0, row(1), 0, row(1), 0, row(5)}, {4, 2}));
  const Tensor a = cross_entropy(first, targets_of({0, 0, 0}), {.divisor = 4});
  const Tensor b = cross_entropy(second, targets_of({0}), {.divisor = 4});
  const Tensor all = cross_entropy(whole, targets_of({0, 0, 0, 0}));
  EXPECT_NEAR(a.item() + b.item(), 2, 1e-6);
  EXPECT_NEAR(all.item(), 2, 1e-6);
  for (const Tensor& loss : {a, b, all}) backward(loss, {.seed = {}, .retain_graph = true});
  auto parts = grad(first).to_vector<double>();
  for (const double g : grad(second).to_vector<double>()) parts.push_back(g);
  const auto wanted = grad(whole).to_vector<double>();
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(parts[i], wanted[i], 1e-6);
}

// The same through a training step: rows of 3 and 1 counted tokens, as two leaves and as one.
TEST(LossB17, LeavesOfUnequalCountsGiveTheGradientOfTheWholeBatch) {
  const Batch batch = test::make_batch(2, 3, 11, {3, 1});
  std::vector<std::vector<double>> gradients;
  std::vector<double> losses;
  for (const Index leaf : {1, 2}) {
    const auto model = test::tiny_model(test::tiny_config());
    TrainStep step(*model, {.optimizer = {.beta1 = 0, .grad_clip = 0}, .leaf_sequences = leaf});
    const auto result = step.run(batch, 0, 1e-3);
    ASSERT_TRUE(result->applied) << result->problem;
    losses.push_back(result->loss);
    gradients.emplace_back();
    for (const auto& named : step.optimizer_state()) {  // with beta1 = 0 the mean is the gradient itself
      if (!named.name.starts_with("exp_avg.")) continue;
      for (const double g : named.tensor.to_vector<double>()) gradients.back().push_back(g);
    }
  }
  EXPECT_NEAR(losses[0], losses[1], 1e-6);
  for (std::size_t i = 0; i < gradients[0].size(); ++i) EXPECT_NEAR(gradients[0][i], gradients[1][i], 1e-6);

  const auto model = test::tiny_model(test::tiny_config());
  const NoGrad no_grad;
  const Tensor each = model->token_losses(Tensor::from(batch.tokens, {2, 3}), Tensor::from(batch.targets, {2, 3}), {});
  EXPECT_NEAR(losses[0], sum(each).item() / 4, 1e-6);
}

// ipex-llm#3021: evaluation took the mean of the batches' means.
TEST(LossR17, EvaluationWeighsBatchesByTheirTokens) {
  const test::TempDir dir;
  test::spill(dir / "train.txt", "abcdefghiabcdefghiabcdefghi");
  test::spill(dir / "val.txt", "abcdefghi");  // 8 targets: windows of 5 and 3
  DatasetOptions options;
  options.path = (dir / "train.txt").string();
  options.val_path = (dir / "val.txt").string();
  options.split = SplitRule::kFile;
  options.loader = {.batch_size = 1, .block_size = 5};
  const Dataset data = Dataset::open(options);
  test::FunctionModel model(nullptr, [](auto&, const Tensor& tokens, const Tensor& targets, double) {
    const auto ids = tokens.to_vector<std::int32_t>();
    const auto wanted = targets.to_vector<std::int32_t>();
    std::vector<double> losses;
    for (std::size_t i = 0; i < ids.size(); ++i) losses.push_back(wanted[i] < 0 ? 0 : ids[i] < 5 ? 1.2 : 1.3);
    return Tensor::from(losses, tokens.shape()).to(DType::f32);
  });
  for (const Index batch : {1, 2, 10}) {
    const LmScore score = *evaluate(model, data, batch);
    EXPECT_EQ(score.targets, 8);
    EXPECT_NEAR(score.loss, 1.2375, 1e-7);
  }
}

}  // namespace
}  // namespace minnow
