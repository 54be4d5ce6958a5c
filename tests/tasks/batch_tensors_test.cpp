#include "minnow/tasks/batch_tensors.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/kernels/gemm.hpp"
#include "minnow/tensor/arena.hpp"
#include "support/tiny_model.hpp"

namespace minnow {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr Index kVocabulary = 11;

/// Three rows of up to 12: documents of 5 and 7, one of 4, documents of 1, 1 and 8.
Batch batch_of_pieces() {
  Batch batch = test::make_batch(3, 12, kVocabulary, {12, 4, 10});
  batch.pieces = {5, 7, 4, 1, 1, 8};
  return batch;
}

TEST(BatchTensors, FullRowsStayRows) {
  const Batch batch = test::make_batch(3, 12, kVocabulary);
  EXPECT_FALSE(has_sequences(batch));
  const BatchTensors in = batch_tensors(batch, 1, 2);
  EXPECT_EQ(in.tokens.shape(), (Shape{2, 12}));
  EXPECT_EQ(in.tokens.to_vector<std::int32_t>(), Ids(batch.tokens.begin() + 12, batch.tokens.end()));
  EXPECT_FALSE(in.sequences.defined());
  EXPECT_EQ(in.first_sequence, 1);
}

TEST(BatchTensors, ShortRowsFollowEachOtherWithoutPadding) {
  const Batch batch = test::make_batch(3, 12, kVocabulary, {2, 12, 3});
  EXPECT_TRUE(has_sequences(batch));
  const BatchTensors in = batch_tensors(batch, 0, 3);
  Ids wanted(batch.tokens.begin(), batch.tokens.begin() + 2);
  wanted.insert(wanted.end(), batch.tokens.begin() + 12, batch.tokens.begin() + 27);
  EXPECT_EQ(in.tokens.shape(), (Shape{1, 17}));
  EXPECT_EQ(in.tokens.to_vector<std::int32_t>(), wanted);
  for (const std::int32_t target : in.targets.to_vector<std::int32_t>()) EXPECT_GE(target, 0);
  EXPECT_EQ(in.sequences.borders.to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 2, 14, 17}));
  EXPECT_EQ(in.sequences.places.to_vector<std::int32_t>(), (Ids{0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2}));
  EXPECT_EQ(in.sequences.longest, 12);
}

TEST(BatchTensors, APartOfTheRowsKnowsWhatLiesBefore) {
  const BatchTensors in = batch_tensors(batch_of_pieces(), 1, 2);
  EXPECT_EQ(in.sequences.borders.to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 4, 5, 6, 14}));
  EXPECT_EQ(in.first_sequence, 2);
  EXPECT_EQ(in.sequences.first_token, 12);
}

ModelConfig model_config(Family family, PositionKind position, Index kv_heads, Index window) {
  const ModelConfig small = test::tiny_config();
  ModelConfig config = ModelConfig::of(family);
  config.n_layer = small.n_layer;
  config.n_embd = small.n_embd;
  config.block_size = small.block_size;
  config.init_std = small.init_std;
  config.n_head = 4;
  config.n_kv_head = kv_heads;
  config.position = position;
  config.sliding_window = window;
  return config;
}

std::vector<ModelConfig> model_configs() {
  std::vector<ModelConfig> all;
  for (const Family family : {Family::kGpt2, Family::kLlama}) {
    for (const PositionKind position :
         {PositionKind::kLearned, PositionKind::kSinusoidal, PositionKind::kRotary, PositionKind::kNone}) {
      all.push_back(model_config(family, position, 0, 0));
      all.push_back(model_config(family, position, 2, 3));
    }
  }
  return all;
}

std::string name_of(const ModelConfig& config) {
  return fmt::format("family {}, position {}, {} key heads", static_cast<int>(config.family),
                     static_cast<int>(config.position), config.kv_heads());
}

struct Passed {
  double loss = 0;
  std::vector<std::vector<double>> gradients;
};

Passed pass(LanguageModel& model, const Tensor& tokens, const Tensor& targets, const ForwardMode& mode) {
  Passed made;
  for (const Parameter& parameter : model.parameters().all()) set_grad(parameter.tensor, {});
  const Tensor loss = model.loss(tokens, targets, 26, mode);
  backward(loss);
  made.loss = loss.item();
  for (const Parameter& parameter : model.parameters().all()) {
    made.gradients.push_back(grad(parameter.tensor).to_vector<double>());
  }
  return made;
}

void expect_near(const Passed& one, const Passed& other, double tolerance, const std::string& what) {
  EXPECT_NEAR(one.loss, other.loss, tolerance) << what;
  ASSERT_EQ(one.gradients.size(), other.gradients.size());
  for (std::size_t p = 0; p < one.gradients.size(); ++p) {
    for (std::size_t i = 0; i < one.gradients[p].size(); ++i) {
      ASSERT_NEAR(one.gradients[p][i], other.gradients[p][i], tolerance) << what << ", parameter " << p << ", " << i;
    }
  }
}

TEST(Sequences, HaveTheLossAndGradientsOfThePaddedBatch) {
  const Batch batch = test::make_batch(3, 12, kVocabulary, {12, 4, 10});
  const Shape padded{3, 12};
  for (ModelConfig config : model_configs()) {
    for (const double dropout : {0.0, 0.3}) {
      config.attn_dropout = dropout;
      const auto model = test::tiny_model(config, kVocabulary, 5, DType::f64);
      ForwardMode mode{.training = true, .seed = 3, .step = 2};
      const Passed wanted = pass(*model, Tensor::from(batch.tokens, padded), Tensor::from(batch.targets, padded), mode);
      const BatchTensors in = batch_tensors(batch, 0, 3);
      in.describe(mode);
      expect_near(pass(*model, in.tokens, in.targets, mode), wanted, 1e-12, name_of(config));
    }
  }
}

/// One by one, each from position 0 on, and all in one pass: the same bits where products are our own.
TEST(Sequences, HaveTheLossesOfEachDocumentByItself) {
  const NoGrad no_grad;
  const Batch batch = batch_of_pieces();
  const BatchTensors in = batch_tensors(batch, 0, 3);
  const auto borders = in.sequences.borders.to_vector<std::int64_t>();
  ForwardMode mode;
  in.describe(mode);
  for (const ModelConfig& config : model_configs()) {
    const auto model = test::tiny_model(config, kVocabulary);
    for (const auto precision : {kernels::GemmPrecision::kF32, kernels::GemmPrecision::kBf16}) {
      model->set_precision(precision);
      const auto together = model->token_losses(in.tokens, in.targets, mode).to_vector<float>();
      const bool exact = kernels::gemm_rows_are_independent<float>();
      for (std::size_t s = 0; s + 1 < borders.size(); ++s) {
        const Index begin = borders[s], length = borders[s + 1] - begin;
        const auto part = [&](const Tensor& all) { return all.as_strided({1, length}, {length, 1}, begin).clone(); };
        const auto alone = model->token_losses(part(in.tokens), part(in.targets), {}).to_vector<float>();
        for (std::size_t i = 0; i < alone.size(); ++i) {
          const float beside = together[static_cast<std::size_t>(begin) + i];
          ASSERT_NEAR(beside, alone[i], 1e-5) << name_of(config) << ", document " << s << ", token " << i;
          if (exact) {
            ASSERT_EQ(beside, alone[i]) << name_of(config) << ", document " << s << ", token " << i;
          }
        }
      }
    }
  }
}

TEST(Sequences, GradientsAreTheSumOfEachDocumentByItself) {
  const Batch batch = batch_of_pieces();
  const BatchTensors in = batch_tensors(batch, 0, 3);
  const auto borders = in.sequences.borders.to_vector<std::int64_t>();
  for (const ModelConfig& config : model_configs()) {
    const auto model = test::tiny_model(config, kVocabulary, 5, DType::f64);
    ForwardMode mode;
    in.describe(mode);
    const Passed together = pass(*model, in.tokens, in.targets, mode);
    Passed sum;
    for (std::size_t s = 0; s + 1 < borders.size(); ++s) {
      const Index begin = borders[s], length = borders[s + 1] - begin;
      const auto part = [&](const Tensor& all) { return all.as_strided({1, length}, {length, 1}, begin).clone(); };
      const Passed one = pass(*model, part(in.tokens), part(in.targets), {});
      sum.loss += one.loss;
      if (sum.gradients.empty()) {
        sum.gradients = one.gradients;
        continue;
      }
      for (std::size_t p = 0; p < sum.gradients.size(); ++p) {
        for (std::size_t i = 0; i < sum.gradients[p].size(); ++i) sum.gradients[p][i] += one.gradients[p][i];
      }
    }
    expect_near(together, sum, 1e-12, name_of(config));
  }
}

/// Once the largest step is planned, smaller ones find all their places in the arena.
TEST(Sequences, StepsOfAnyNumberOfTokensShareOneMemoryPlan) {
  for (const ModelConfig& config : model_configs()) {
    const auto model = test::tiny_model(config, kVocabulary);
    StepArena arena;
    std::uint32_t seed = 1;
    for (const Ids& lengths :
         {Ids{12, 12, 12, 12}, Ids{1, 5, 12, 2}, Ids{7, 7, 1, 1}, Ids{12, 12, 12, 11}, Ids{1, 1, 1, 1}}) {
      const StepArena::Step step(arena, 1, StepArena::Step::Fit::kAtMost);
      Batch batch = test::make_batch(4, 12, kVocabulary, lengths, ++seed);
      if (!has_sequences(batch)) batch.pieces = lengths;
      const BatchTensors in = batch_tensors(batch, 0, 4);
      ForwardMode mode{.training = true};
      in.describe(mode);
      backward(model->loss(in.tokens, in.targets, 48, mode));
      for (const Parameter& parameter : model->parameters().all()) set_grad(parameter.tensor, {});
    }
    EXPECT_EQ(arena.statistics().recorded, 1U) << name_of(config);
    EXPECT_EQ(arena.statistics().replayed, 4U) << name_of(config);
    EXPECT_EQ(arena.statistics().heap_served, 0U) << name_of(config);
  }
}

}  // namespace
}  // namespace minnow
