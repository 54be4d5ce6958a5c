// Every combination of the model's options: its gradient agrees with differences of its loss, and it trains.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/models/decoder.hpp"
#include "support/tiny_model.hpp"

namespace minnow {
namespace {

constexpr Index kVocabulary = 7;

struct Variant {
  ModelConfig config;
  std::string name;
};

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (unsigned bits = 0; bits < 32; ++bits) {
    for (const Activation activation : {Activation::kGeluErf, Activation::kGeluTanh, Activation::kRelu}) {
      ModelConfig config = test::tiny_config();
      config.n_embd = 6;
      config.block_size = 5;
      config.n_inner = 9;
      config.bias = (bits & 1U) != 0;
      config.head_bias = (bits & 2U) != 0;
      config.tie_head = (bits & 4U) != 0;
      config.norm_position = (bits & 8U) != 0 ? NormPosition::kPre : NormPosition::kPost;
      config.position = (bits & 16U) != 0 ? PositionKind::kLearned : PositionKind::kSinusoidal;
      config.activation = activation;
      all.push_back({config, fmt::format("bias {} head_bias {} tie {} pre {} learned {} activation {}", bits & 1U,
                                         bits >> 1U & 1U, bits >> 2U & 1U, bits >> 3U & 1U, bits >> 4U & 1U,
                                         static_cast<int>(activation))});
    }
  }
  for (unsigned bits = 0; bits < 64; ++bits) {
    ModelConfig config = test::tiny_config();
    config.family = (bits & 1U) != 0 ? Family::kLlama : Family::kGpt2;
    config.n_embd = 12;
    config.block_size = 5;
    config.n_inner = 7;
    config.bias = bits / 3 % 2 == 0;
    config.norm = (bits & 2U) != 0 ? NormLayer::kRms : NormLayer::kLayer;
    config.n_head = 2;
    config.n_kv_head = (bits & 4U) != 0 ? 1 : 2;
    config.position = (bits & 8U) != 0 ? PositionKind::kRotary : PositionKind::kNone;
    config.norm_position = (bits & 16U) != 0 ? NormPosition::kPost : NormPosition::kPre;
    config.rope_style = (bits & 32U) != 0 ? RopeStyle::kInterleaved : RopeStyle::kHalf;
    config.rotary_dim = bits % 5 == 0 ? 4 : 0;
    config.sliding_window = bits % 7 == 0 ? 2 : 0;
    config.activation = static_cast<Activation>(bits % 7);
    all.push_back({config, fmt::format("mix {}", bits)});
  }
  return all;
}

/// Moves a parameter along a fixed direction. @return the direction times the gradient, summed.
double move(Tensor parameter, const Tensor& gradient, double step) {
  auto* numbers = parameter.mutable_data<double>();
  double slope = 0;
  for (Index i = 0; i < parameter.numel(); ++i) {
    const double direction = std::cos(1.0 + 2.3 * static_cast<double>(i));
    numbers[i] += step * direction;
    if (gradient.defined()) slope += direction * gradient.data<double>()[i];
  }
  return slope;
}

void check_gradients(const Variant& variant, const ForwardMode& mode) {
  const auto model = test::tiny_model(variant.config, kVocabulary, 5, DType::f64);
  const Tensor tokens = test::id_tensor(2, 5, kVocabulary);
  const Batch batch = test::make_batch(2, 5, kVocabulary, {5, 3}, 4);
  const Tensor targets = Tensor::from(batch.targets, {2, 5});
  const auto loss = [&] { return model->loss(tokens, targets, 8, mode); };
  backward(loss());
  const NoGrad no_grad;
  for (const Parameter& parameter : model->parameters().all()) {
    const Tensor gradient = grad(parameter.tensor);
    ASSERT_TRUE(gradient.defined()) << variant.name << " " << parameter.name;
    constexpr double kStep = 1e-5;
    const double slope = move(parameter.tensor, gradient, kStep);
    const double up = loss().item();
    (void)move(parameter.tensor, {}, -2 * kStep);
    const double down = loss().item();
    (void)move(parameter.tensor, {}, kStep);
    EXPECT_NEAR(slope, (up - down) / (2 * kStep), 1e-6 * std::max(1.0, std::abs(slope)))
        << variant.name << " " << parameter.name;
  }
}

TEST(Gpt2Gradients, AgreeWithDifferencesForEveryCombination) {
  const test::Threads one(1);
  for (const Variant& variant : variants()) check_gradients(variant, {});
}

TEST(Gpt2Gradients, AgreeWithDifferencesUnderDropout) {
  const test::Threads one(1);
  for (Variant variant : variants()) {
    if (variant.config.activation != Activation::kGeluErf || variant.config.head_bias) continue;
    variant.config.dropout = 0.3;
    check_gradients(variant, {.training = true, .seed = 3, .step = 4, .first_sequence = 2});
  }
}

TEST(Gpt2Training, EveryCombinationLearnsABatchByHeart) {
  const test::Threads one(1);
  for (const Variant& variant : variants()) {
    const auto model = test::tiny_model(variant.config, kVocabulary);
    TrainStep step(*model, {.optimizer = {.weight_decay = 0}, .leaf_sequences = 2});
    const Batch batch = test::make_batch(4, 5, kVocabulary);
    double first = 0;
    double last = 0;
    for (int i = 0; i < 25; ++i) {
      const auto result = step.run(batch, i, 2e-2);
      ASSERT_TRUE(result && result->applied) << variant.name << ": " << result->problem;
      (i == 0 ? first : last) = result->loss;
    }
    EXPECT_LT(last, 0.8 * first) << variant.name;
  }
}

TEST(Gpt2Gradients, F32StaysNearF64) {
  ModelConfig config = test::tiny_config();
  const Tensor tokens = test::id_tensor(2, 12, 11);
  const Tensor targets = test::id_tensor(2, 12, 11, 2);
  std::vector<std::vector<double>> gradients;
  for (const DType dtype : {DType::f32, DType::f64}) {
    const auto model = test::tiny_model(config, 11, 5, dtype);
    backward(model->loss(tokens, targets, 24, {}));
    gradients.emplace_back();
    for (const Parameter& parameter : model->parameters().all()) {
      for (const double g : grad(parameter.tensor).to_vector<double>()) gradients.back().push_back(g);
    }
  }
  for (std::size_t i = 0; i < gradients[0].size(); ++i) EXPECT_NEAR(gradients[0][i], gradients[1][i], 2e-6);
}

/// @return the gradients of a block's parameters and input after a pass with dropout.
std::vector<std::vector<std::byte>> block_gradients(bool again, NormPosition norm) {
  ParameterList list;
  DecoderBlock block;
  const Initializer init = Initializer::normal(0.3);
  block.norm_1 = nn::Norm::make(list, "ln_1", 16, nn::NormType::kLayer, true, 1e-5);
  block.norm_2 = nn::Norm::make(list, "ln_2", 16, nn::NormType::kLayer, true, 1e-5);
  block.attention.qkv = nn::Linear::make(list, "c_attn", 16, 48, true, init);
  block.attention.out = nn::Linear::make(list, "c_proj", 16, 16, true, init);
  block.mlp.up = nn::Linear::make(list, "c_fc", 16, 64, true, init);
  block.mlp.down = nn::Linear::make(list, "mlp_c_proj", 64, 16, true, init);
  block.attention.n_head = 4;
  block.attention.dropout = 0.2;
  block.residual_dropout = 0.4;
  const Tensor start = list.add("x", {3, 7, 16}, Initializer::normal(1));
  list.initialize(8);
  const ForwardMode mode{.training = true, .seed = 2, .step = 3};
  const auto run = [&](std::span<const Tensor> in) {
    return std::vector<Tensor>{norm == NormPosition::kPre ? block.pre_norm(in[0], {}, mode)
                                                          : block.post_norm(in[0], {}, mode)};
  };
  const Tensor in[] = {start};
  const std::vector<Tensor> out = again ? recompute(run, in) : run(in);
  backward(out[0], {.seed = start.clone()});
  std::vector<std::vector<std::byte>> bytes = {test::bytes_of(out[0])};
  for (const Parameter& parameter : list.all()) bytes.push_back(test::bytes_of(grad(parameter.tensor)));
  return bytes;
}

TEST(Gpt2Block, RecomputationGivesTheSameBits) {
  for (const NormPosition norm : {NormPosition::kPre, NormPosition::kPost}) {
    EXPECT_EQ(block_gradients(true, norm), block_gradients(false, norm));
  }
}

}  // namespace
}  // namespace minnow
