// Faults of other engines in the optimizer step, held as tests with the right values.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "io/io_support.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/checkpoint.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/reduction.hpp"
#include "minnow/optim/flat.hpp"
#include "support/function_model.hpp"
#include "support/tiny_model.hpp"
#include "train/model_files.hpp"

namespace minnow {
namespace {

using ::testing::HasSubstr;

/// One row of one counted token, for models whose loss does not read it.
Batch any_batch() { return test::make_batch(1, 1, 5); }

// pytorch#46849: the norm of gradients near 1e20 overflows in f32, every gradient becomes 0, training goes on.
TEST(TrainB15, GradientsOf1e20HaveTheirTrueNormAndAreClipped) {
  std::vector<Tensor> gradients = {Tensor::full({100}, 1e20)};
  EXPECT_NEAR(clip_gradients(gradients, 1) / 1e21, 1, 1e-6);
  for (const double g : gradients[0].to_vector<double>()) EXPECT_NEAR(g, 0.1, 1e-7);

  test::FunctionModel model([](test::FunctionModel& self, const Tensor&, const Tensor&, double) {
    return mul_scalar(sum(self.parameters().at("w")), 1e20);
  });
  (void)model.parameters().add("w", {100}, Initializer::zeros());
  model.parameters().initialize(1);
  TrainStep step(model, {.optimizer = {.beta1 = 0, .grad_clip = 1}});
  const auto result = step.run(any_batch(), 0, 1e-3);
  ASSERT_TRUE(result->applied) << result->problem;
  EXPECT_NEAR(result->grad_norm / 1e21, 1, 1e-6);
  for (const auto& named : step.optimizer_state()) {
    if (named.name != "exp_avg.w") continue;  // with beta1 = 0 this is the clipped gradient
    for (const double g : named.tensor.to_vector<double>()) EXPECT_NEAR(g, 0.1, 1e-7);
  }
}

void expect_refused(test::FunctionModel& model, const OptimizerConfig& optimizer, const std::string& problem) {
  TrainStep step(model, {.optimizer = optimizer});
  const auto before = test::state_bytes(step);
  const auto result = step.run(any_batch(), 0, 1e-3);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->applied);
  EXPECT_THAT(result->problem, HasSubstr(problem));
  EXPECT_EQ(step.optimizer_steps(), 0);
  EXPECT_EQ(test::state_bytes(step), before);
}

// sqrt is 0 at 0 with an infinite slope: the loss is finite, one gradient is not.
TEST(TrainB15, AnInfiniteGradientIsRefusedAndItsParameterNamed) {
  test::FunctionModel model([](test::FunctionModel& self, const Tensor&, const Tensor&, double) {
    const ParameterList& list = self.parameters();
    return add(sum(list.at("first")), add(sum(sqrt(list.at("second.bias"))), sum(list.at("third"))));
  });
  (void)model.parameters().add("first", {10, 3}, Initializer::normal(1));
  (void)model.parameters().add("second.bias", {4}, Initializer::zeros());
  (void)model.parameters().add("third", {10, 3}, Initializer::normal(1));
  model.parameters().initialize(1);
  for (const double clip : {0.0, 1.0}) expect_refused(model, {.grad_clip = clip}, "the gradient of second.bias");
}

TEST(TrainB15, ALossThatIsNoNumberIsRefused) {
  test::FunctionModel model([](test::FunctionModel& self, const Tensor&, const Tensor&, double) {
    return add_scalar(sum(self.parameters().at("w")), NAN);
  });
  (void)model.parameters().add("w", {4}, Initializer::zeros());
  model.parameters().initialize(1);
  expect_refused(model, {}, "the loss is not finite");
}

// The same kind without clipping: the square of a gradient does not fit the second moment, which would become infinite
// and hold the parameter still for ever.
TEST(TrainB15, GradientsWhoseSquareOverflowsAreRefusedWithoutClipping) {
  test::FunctionModel model([](test::FunctionModel& self, const Tensor&, const Tensor&, double) {
    return add(sum(self.parameters().at("small")), mul_scalar(sum(self.parameters().at("large")), 3e19));
  });
  (void)model.parameters().add("small", {4}, Initializer::zeros());
  (void)model.parameters().add("large", {4}, Initializer::zeros());
  model.parameters().initialize(1);
  expect_refused(model, {.grad_clip = 0}, "square");
  TrainStep clipped(model, {.optimizer = {.grad_clip = 1}});
  EXPECT_TRUE(clipped.run(any_batch(), 0, 1e-3)->applied);
}

// lit-llama#254: weight decay pulled at biases and norms.
TEST(TrainR13, ZeroGradientsDecayMatricesAlone) {
  ModelConfig config = test::tiny_config();
  config.head_bias = true;
  config.tie_head = false;
  const auto like = test::tiny_model(config);
  test::FunctionModel model([](test::FunctionModel& self, const Tensor&, const Tensor&, double) {
    Tensor total = Tensor::zeros({});
    for (const Parameter& parameter : self.parameters().all()) total = add(total, sum(parameter.tensor));
    return mul_scalar(total, 0);
  });
  for (const Parameter& parameter : like->parameters().all())
    (void)model.parameters().add(parameter.name, parameter.tensor.shape(), Initializer::normal(1));
  model.parameters().initialize(3);
  TrainStep step(model, {.optimizer = {.weight_decay = 0.1}});
  std::vector<Tensor> before;
  for (const auto& named : step.parameters()) before.push_back(named.tensor.clone());
  ASSERT_TRUE(step.run(any_batch(), 0, 1e-3)->applied);
  std::size_t next = 0;
  Index matrices = 0;
  for (const auto& named : step.parameters()) {
    const Tensor& old = before[next++];
    if (named.tensor.rank() < 2) {
      EXPECT_EQ(test::bytes_of(named.tensor), test::bytes_of(old)) << named.name;
      continue;
    }
    ++matrices;
    const auto numbers = named.tensor.to_vector<float>();
    const auto start = old.to_vector<float>();
    for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], start[i] * 0.9999F) << named.name;
  }
  EXPECT_EQ(matrices, 3 + 2 * 4);
}

// pytorch#43706: loading cast the optimizer's state to the type of the weights.
TEST(TrainR11, TypesAndBytesSurviveSavingAndLoading) {
  const test::TempDir dir;
  std::vector<double> values;
  for (int i = 0; i < 24; ++i) values.push_back(std::sin(i) * 1e-3);
  const Tensor weight = Tensor::from(values, {4, 6}).to(DType::bf16);
  const Tensor moment = Tensor::from(values, {4, 6}).to(DType::f32);
  const auto source = [](const char* file, const char* name, FileDtype dtype, const Tensor& x) {
    return FileSource{file, [=](ByteSink& sink) {
                        const TensorSource one{name, dtype, {4, 6}, {x.raw(), 24 * size_of(x.dtype())}};
                        write_safetensors(sink, {&one, 1});
                      }};
  };
  const FileSource files[] = {source(kModelFile, "w", FileDtype::kBf16, weight),
                              source(kOptimizerFile, "exp_avg.w", FileDtype::kF32, moment)};
  const auto saved = save_checkpoint(dir.path(), 3, files);
  const Checkpoint checkpoint = Checkpoint::open(saved.directory);
  EXPECT_EQ(checkpoint.header(kModelFile).find("w")->dtype, FileDtype::kBf16);
  EXPECT_EQ(checkpoint.header(kOptimizerFile).find("exp_avg.w")->dtype, FileDtype::kF32);

  const Tensor new_weight = Tensor::zeros({4, 6}, DType::bf16);
  const Tensor new_moment = Tensor::zeros({4, 6}, DType::f32);
  load_tensors(checkpoint, kModelFile, {{"w", new_weight}});
  load_tensors(checkpoint, kOptimizerFile, {{"exp_avg.w", new_moment}});
  EXPECT_EQ(test::bytes_of(new_weight), test::bytes_of(weight));
  EXPECT_EQ(test::bytes_of(new_moment), test::bytes_of(moment));
  // A type that does not fit is refused, never converted.
  EXPECT_THROW(load_tensors(checkpoint, kOptimizerFile, {{"exp_avg.w", new_weight}}), CheckpointError);
  EXPECT_THROW(load_tensors(checkpoint, kModelFile, {{"w", new_moment}}), CheckpointError);
}

}  // namespace
}  // namespace minnow
