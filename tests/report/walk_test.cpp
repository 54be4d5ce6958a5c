#include "minnow/report/walk.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "support/tiny_model.hpp"

namespace minnow {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::int32_t> kIds{3, 1, 4, 1};

ModelConfig tiny_llama() {
  ModelConfig config = ModelConfig::of(Family::kLlama);
  config.n_layer = 1;
  config.n_head = 4;
  config.n_kv_head = 2;
  config.n_embd = 16;
  config.block_size = 12;
  config.init_std = 0.3;
  return config;
}

ModelConfig tiny_gpt2() {
  ModelConfig config = test::tiny_config();
  config.n_layer = 1;
  return config;
}

std::vector<std::string> formulas(const Walk& walk) {
  std::vector<std::string> all;
  for (const WalkStep& step : walk.steps) {
    std::string shape;
    for (Index i = 0; i < step.tensor.rank(); ++i) shape += (i > 0 ? "," : "") + std::to_string(step.tensor.size(i));
    all.push_back(step.symbol + " (" + shape + ") " + step.letters);
  }
  return all;
}

const WalkStep& step_of(const Walk& walk, const std::string& title) {
  for (const WalkStep& step : walk.steps) {
    if (step.title == title) return step;
  }
  throw std::runtime_error("no step " + title);
}

TEST(Walk, TellsAGpt2AsItComputes) {
  const auto model = test::tiny_model(tiny_gpt2());
  const Walk walk = make_walk(*model, tiny_gpt2(), nullptr, kIds, false);
  std::vector<std::string> expected = formulas(walk);
  std::sort(expected.begin() + 1, expected.begin() + 3);  // position and token embedding: in either order
  EXPECT_THAT(expected, ElementsAre("id (1,4) (B, T)", "e (1,4,16) (B, T, C)", "p (4,16) (T, C)",
                                    "x (1,4,16) (B, T, C)", "y (1,4,16) (B, T, C)", "qkv (1,4,48) (B, T, 3 C)",
                                    "q (1,2,4,8) (B, H, T, D)", "k (1,2,4,8) (B, H, T, D)", "v (1,2,4,8) (B, H, T, D)",
                                    "s (1,2,4,4) (B, H, T, T)", "w (1,2,4,4) (B, H, T, T)", "z (1,4,16) (B, T, H D)",
                                    "a (1,4,16) (B, T, C)", "x (1,4,16) (B, T, C)", "y (1,4,16) (B, T, C)",
                                    "u (1,4,64) (B, T, F)", "m (1,4,16) (B, T, C)", "x (1,4,16) (B, T, C)",
                                    "y (1,4,16) (B, T, C)", "logits (1,4,11) (B, T, V)", "p (1,4,11) (B, T, V)"));
  EXPECT_THAT(step_of(walk, "hidden layer").formula, HasSubstr("u = gelu(y Wup"));
  EXPECT_THAT(step_of(walk, "norm").formula, HasSubstr("mean"));
  EXPECT_EQ(step_of(walk, "what the MLP adds").part, "block 0, MLP");
}

TEST(Walk, ShowsTheEmbeddingOfFourTokensOfWidth256) {
  ModelConfig config = tiny_gpt2();
  config.n_embd = 256;
  const auto model = test::tiny_model(config);
  const Walk walk = make_walk(*model, config, nullptr, kIds, false);
  EXPECT_EQ(step_of(walk, "token embedding").tensor.shape(), (Shape{1, 4, 256}));
  EXPECT_THAT(walk_text(walk, 100, false), HasSubstr("token embedding e  (1, 4, 256) = (B, T, C)"));
  EXPECT_THAT(walk_html(walk, "1"), HasSubstr("<b>(1, 4, 256)</b> <span>(B, T, C)</span>"));
}

TEST(Walk, TellsALlamaAsItComputes) {
  const auto model = test::tiny_model(tiny_llama());
  const Walk walk = make_walk(*model, tiny_llama(), nullptr, kIds, false);
  std::vector<std::string> told = formulas(walk);
  for (const char* const one :
       {"\u03B1 (4,4) (T, R)", "q (1,4,16) (B, T, H D)", "k (1,4,8) (B, T, K D)", "v (1,4,8) (B, T, K D)",
        "g (1,4,48) (B, T, F)", "u (1,4,48) (B, T, F)", "h (1,4,48) (B, T, F)", "s (1,4,4,4) (B, H, T, T)"}) {
    EXPECT_THAT(told, ::testing::Contains(one));
  }
  EXPECT_THAT(step_of(walk, "gated hidden layer").formula, HasSubstr("silu(g)"));
  EXPECT_EQ(step_of(walk, "gate").formula, "g = y Wgate\u1D40");  // no bias, no activation of its own
  EXPECT_EQ(step_of(walk, "norm").formula.find("mean)"), std::string::npos);
  EXPECT_THAT(step_of(walk, "scores").formula, HasSubstr("key head"));
  EXPECT_EQ(walk_text(walk, 100, false).find("position embedding"), std::string::npos);
}

TEST(Walk, KnowsEveryOperationOfEveryMixture) {
  for (const Activation activation : {Activation::kRelu, Activation::kSwiglu, Activation::kGeglu}) {
    for (const PositionKind position : {PositionKind::kLearned, PositionKind::kSinusoidal, PositionKind::kRotary}) {
      for (const NormPosition place : {NormPosition::kPre, NormPosition::kPost}) {
        ModelConfig config = tiny_gpt2();
        config.activation = activation;
        config.position = position;
        config.norm_position = place;
        config.n_kv_head = 1;
        const auto model = test::tiny_model(config);
        const Walk walk = make_walk(*model, config, nullptr, kIds, true);
        for (const WalkStep& step : walk.steps) {
          EXPECT_FALSE(step.letters.empty()) << step.title << " is told by its operation alone";
        }
      }
    }
  }
}

TEST(Walk, HasScoresWhoseSoftmaxIsTheWeights) {
  const auto model = test::tiny_model(tiny_llama());
  const Walk walk = make_walk(*model, tiny_llama(), nullptr, kIds, false);
  const auto scores = step_of(walk, "scores").tensor.to_vector<double>();
  const auto weights = step_of(walk, "attention weights").tensor.to_vector<double>();
  for (std::size_t row = 0; row < scores.size(); row += 4) {
    double sum = 0;
    for (std::size_t i = row; i < row + 4; ++i) sum += std::exp(scores[i]);
    for (std::size_t i = row; i < row + 4; ++i) EXPECT_NEAR(std::exp(scores[i]) / sum, weights[i], 1e-5);
  }
}

TEST(Walk, NamesTheLikeliestTokensInOrder) {
  const auto model = test::tiny_model(tiny_gpt2());
  const Walk walk = make_walk(*model, tiny_gpt2(), nullptr, kIds, false);
  ASSERT_EQ(walk.likely.size(), 8U);
  for (std::size_t i = 1; i < walk.likely.size(); ++i) EXPECT_GE(walk.likely[i - 1].second, walk.likely[i].second);
  const auto all = walk.steps.back().tensor.to_vector<double>();
  EXPECT_NEAR(walk.likely[0].second, *std::max_element(all.end() - 11, all.end()), 1e-12);
  EXPECT_EQ(all[all.size() - 11 + static_cast<std::size_t>(std::stoi(walk.likely[0].first))], walk.likely[0].second);
}

TEST(WalkBack, HasTheLossAndTheGradientsOfTraining) {
  for (const ModelConfig& config : {tiny_gpt2(), tiny_llama()}) {
    const auto model = test::tiny_model(config);
    const Walk walk = make_walk(*model, config, nullptr, kIds, true);
    const auto other = test::tiny_model(config);
    const std::vector<std::int32_t> targets{1, 4, 1, -100};
    const Tensor loss = other->loss(Tensor::from(kIds, {1, 4}), Tensor::from(targets, {1, 4}), 3, {});
    backward(loss);
    EXPECT_NEAR(walk.loss, loss.item(), 1e-5);
    double squares = 0;
    for (std::size_t i = 0; i < other->parameters().all().size(); ++i) {
      const auto expected = grad(other->parameters().all()[i].tensor).to_vector<double>();
      const auto got = grad(model->parameters().all()[i].tensor).to_vector<double>();
      ASSERT_EQ(got.size(), expected.size());
      for (std::size_t k = 0; k < got.size(); ++k) {
        ASSERT_NEAR(got[k], expected[k], 1e-5) << other->parameters().all()[i].name;
        squares += expected[k] * expected[k];
      }
    }
    EXPECT_NEAR(walk.gradient_norm, std::sqrt(squares), 1e-4);
  }
}

/// The gradient that a step shows is the change of the loss with its tensor: what enters the stream behind a sublayer
/// can be tried with that sublayer's bias, which adds to every token alike.
TEST(WalkBack, HasWholeGradientsOfTheStream) {
  const auto model = test::tiny_model(tiny_gpt2());
  const Walk walk = make_walk(*model, tiny_gpt2(), nullptr, kIds, true);
  const auto sums = step_of(walk, "attention's answer joins the stream").gradient.to_vector<double>();
  Tensor bias = model->parameters().at("transformer.h.0.attn.c_proj.bias");
  constexpr double kStep = 1e-2;
  for (const Index channel : {0, 5}) {
    const auto loss_at = [&](double change) {
      const NoGrad no_grad;
      const double before = bias.to_vector<double>()[static_cast<std::size_t>(channel)];
      bias.mutable_data<float>()[channel] = static_cast<float>(before + change);
      const std::vector<std::int32_t> targets{1, 4, 1, -100};
      const double loss = model->loss(Tensor::from(kIds, {1, 4}), Tensor::from(targets, {1, 4}), 3, {}).item();
      bias.mutable_data<float>()[channel] = static_cast<float>(before);
      return loss;
    };
    double total = 0;
    for (Index t = 0; t < 4; ++t) total += sums[static_cast<std::size_t>(t * 16 + channel)];
    EXPECT_NEAR(total, (loss_at(kStep) - loss_at(-kStep)) / (2 * kStep), 2e-3) << channel;
  }
}

TEST(WalkBack, NeedsTwoTokensAndIsToldInTextAndPage) {
  const auto model = test::tiny_model(tiny_gpt2());
  EXPECT_THROW((void)make_walk(*model, tiny_gpt2(), nullptr, std::vector<std::int32_t>{3}, true), DataError);
  const Walk walk = make_walk(*model, tiny_gpt2(), nullptr, kIds, true);
  const std::string text = walk_text(walk, 80, false);
  EXPECT_THAT(text, HasSubstr("dL/dlogits  (1, 4, 11) = (B, T, V)  norm"));
  EXPECT_THAT(text, HasSubstr("dWqkv (48, 16)  norm"));
  EXPECT_THAT(walk_html(walk, "1"), HasSubstr("back: block 0, attention"));
  const auto other = test::tiny_model(tiny_gpt2());
  EXPECT_THAT(walk_text(make_walk(*other, tiny_gpt2(), nullptr, kIds, false), 80, false), Not(HasSubstr("dL/")));
}

TEST(Walk, RefusesProbabilitiesThatAreNoNumbers) {
  const auto model = test::tiny_model(tiny_gpt2());
  Tensor table = model->parameters().at("transformer.wte.weight");
  table.fill(std::nan(""));
  EXPECT_THROW((void)make_walk(*model, tiny_gpt2(), nullptr, kIds, false), NumericError);
}

}  // namespace
}  // namespace minnow
