#include "minnow/models/gpt2.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "minnow/autograd/backward.hpp"
#include "minnow/base/error.hpp"
#include "minnow/kernels/gemm.hpp"
#include "minnow/ops/shape.hpp"
#include "support/tiny_model.hpp"

namespace minnow {
namespace {

using ::testing::HasSubstr;

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

double largest_difference(const Tensor& a, const Tensor& b) {
  const auto x = a.to_vector<double>();
  const auto y = b.to_vector<double>();
  EXPECT_EQ(x.size(), y.size());
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i] - y[i]));
  return largest;
}

TEST(Gpt2, HasTheNumberOfParametersOfItsSizes) {
  ModelConfig config;
  config.n_layer = 4;
  config.n_head = 4;
  config.n_embd = 128;
  config.block_size = 64;
  config.bias = false;
  EXPECT_EQ(make_language_model(config, 65)->parameters().count(), 804'096);
  config.n_embd = 64;
  config.block_size = 16;
  config.bias = true;
  config.tie_head = false;
  EXPECT_EQ(make_language_model(config, 27)->parameters().count(), 204'544);
}

TEST(Gpt2, CountsWhatEachOptionAdds) {
  const auto count = [](const std::function<void(ModelConfig&)>& change) {
    ModelConfig config = test::tiny_config();  // L 2, C 16, T 12; V 11
    change(config);
    return make_language_model(config, 11)->parameters().count();
  };
  const Index base = count([](ModelConfig&) {});
  EXPECT_EQ(count([](ModelConfig& c) { c.tie_head = false; }), base + 11 * 16);
  EXPECT_EQ(count([](ModelConfig& c) { c.head_bias = true; }), base + 11);
  EXPECT_EQ(count([](ModelConfig& c) { c.position = PositionKind::kSinusoidal; }), base - 12 * 16);
  EXPECT_EQ(count([](ModelConfig& c) { c.norm_position = NormPosition::kPost; }), base - 2 * 16);
  EXPECT_EQ(count([](ModelConfig& c) { c.bias = false; }), base - 2 * (9 + 2) * 16 - 16);
  EXPECT_EQ(count([](ModelConfig& c) { c.n_inner = 10; }), base - 2 * (64 - 10) * (2 * 16 + 1));
  EXPECT_EQ(count([](ModelConfig& c) { c.n_head = 8; }), base);
}

TEST(Gpt2, ALaterTokenChangesNoEarlierScore) {
  for (const NormPosition norm : {NormPosition::kPre, NormPosition::kPost}) {
    ModelConfig config = test::tiny_config();
    config.norm_position = norm;
    const auto model = test::tiny_model(config);
    const NoGrad no_grad;
    std::vector<std::int32_t> ids = test::ids(24, 11);
    const Tensor before = model->logits(Tensor::from(ids, {2, 12}), {});
    for (const Index changed : {1, 6, 11}) {
      std::vector<std::int32_t> other = ids;
      other[static_cast<std::size_t>(changed)] = (ids[static_cast<std::size_t>(changed)] + 1) % 11;
      const Tensor after = model->logits(Tensor::from(other, {2, 12}), {});
      const auto row = [](const Tensor& x, Index b) { return slice(x, 0, b, b + 1); };
      EXPECT_EQ(test::bytes_of(slice(row(before, 0), 1, 0, changed)),
                test::bytes_of(slice(row(after, 0), 1, 0, changed)));
      EXPECT_EQ(test::bytes_of(row(before, 1)), test::bytes_of(row(after, 1)));
      EXPECT_GT(largest_difference(slice(row(before, 0), 1, changed, changed + 1),
                                   slice(row(after, 0), 1, changed, changed + 1)),
                1e-3);
    }
  }
}

TEST(Gpt2, PositionsPastTheLearnedTableAreRefusedWithAWayOut) {
  const auto model = test::tiny_model(test::tiny_config());
  const NoGrad no_grad;
  const std::string text = message_of([&] { (void)model->logits(test::id_tensor(1, 13, 11), {}); });
  EXPECT_THAT(text, HasSubstr("model.block_size = 12"));
  EXPECT_THAT(text, HasSubstr("sinusoidal"));
  KeyValueCache cache = model->make_cache(1, 20);
  (void)model->decode(test::id_tensor(1, 12, 11), cache);
  EXPECT_THAT(message_of([&] { (void)model->decode(test::id_tensor(1, 1, 11), cache); }), HasSubstr("position 12"));
  EXPECT_FALSE(model->positions_go_on());
}

TEST(Gpt2, SinusoidalPositionsGoOn) {
  ModelConfig config = test::tiny_config();
  config.position = PositionKind::kSinusoidal;
  const auto model = test::tiny_model(config, 11, 5, DType::f64);
  EXPECT_TRUE(model->positions_go_on());
  const NoGrad no_grad;
  const Tensor tokens = test::id_tensor(2, 40, 11);
  const Tensor within = model->logits(slice(tokens, 1, 0, 10).contiguous(), {});
  const Tensor beyond = model->logits(tokens, {});
  EXPECT_LT(largest_difference(within, slice(beyond, 1, 0, 10)), 1e-12);
}

TEST(Gpt2, CachedDecodingEqualsTheWholePass) {
  for (const NormPosition norm : {NormPosition::kPre, NormPosition::kPost}) {
    for (const PositionKind position : {PositionKind::kLearned, PositionKind::kSinusoidal}) {
      ModelConfig config = test::tiny_config();
      config.norm_position = norm;
      config.position = position;
      config.tie_head = false;
      config.head_bias = true;
      const auto model = test::tiny_model(config, 11, 5, DType::f64);
      const NoGrad no_grad;
      const Tensor tokens = test::id_tensor(3, 12, 11);
      const Tensor whole = model->logits(tokens, {});
      KeyValueCache cache = model->make_cache(3, 12);
      for (const auto& [begin, end] : {std::pair<Index, Index>{0, 4}, {4, 5}, {5, 6}, {6, 9}, {9, 12}}) {
        const Tensor scores = model->decode(slice(tokens, 1, begin, end).contiguous(), cache);
        EXPECT_EQ(scores.shape(), (Shape{3, 11}));
        const Tensor wanted = reshape(slice(whole, 1, end - 1, end), {3, 11});
        EXPECT_LT(largest_difference(scores, wanted), 1e-12) << end;
        EXPECT_EQ(cache.length, end);
      }
      EXPECT_THROW((void)model->decode(slice(tokens, 1, 0, 1).contiguous(), cache), ShapeError);
      cache.clear();
      const Tensor again = model->decode(slice(tokens, 1, 0, 1).contiguous(), cache);
      EXPECT_LT(largest_difference(again, reshape(slice(whole, 1, 0, 1), {3, 11})), 1e-12);
    }
  }
}

TEST(Gpt2, LossIsTheMeanOfTheTokenLossesOfTheScores) {
  const auto model = test::tiny_model(test::tiny_config(), 11, 5, DType::f64);
  const NoGrad no_grad;
  const Batch batch = test::make_batch(2, 12, 11, {12, 5});
  const Tensor tokens = Tensor::from(batch.tokens, {2, 12});
  const Tensor targets = Tensor::from(batch.targets, {2, 12});
  const auto scores = model->logits(tokens, {}).to_vector<double>();
  const auto each = model->token_losses(tokens, targets, {}).to_vector<double>();
  double sum = 0;
  for (std::size_t i = 0; i < 24; ++i) {
    double exponentials = 0;
    for (std::size_t j = 0; j < 11; ++j) exponentials += std::exp(scores[11 * i + j]);
    const std::int32_t target = batch.targets[i];
    const double wanted = target < 0 ? 0 : std::log(exponentials) - scores[11 * i + static_cast<std::size_t>(target)];
    EXPECT_NEAR(each[i], wanted, 1e-12);
    sum += wanted;
  }
  EXPECT_NEAR(model->loss(tokens, targets, 17, {}).item(), sum / 17, 1e-12);
}

TEST(Gpt2, SequencesOfABatchDoNotSeeEachOther) {
  ModelConfig config = test::tiny_config();
  config.dropout = 0.3;
  const auto model = test::tiny_model(config);
  const NoGrad no_grad;
  const Tensor tokens = test::id_tensor(4, 12, 11);
  const Tensor targets = test::id_tensor(4, 12, 11, 2);
  ForwardMode mode{.training = true, .seed = 9, .step = 2};
  const Tensor whole = model->token_losses(tokens, targets, mode);
  for (Index row = 0; row < 4; ++row) {  // dropout too follows the place in the global batch
    mode.first_sequence = row;
    const Tensor alone = model->token_losses(slice(tokens, 0, row, row + 1).contiguous(),
                                             slice(targets, 0, row, row + 1).contiguous(), mode);
    const Tensor beside = slice(whole, 0, row, row + 1);
    EXPECT_LT(largest_difference(alone, beside), 1e-5) << row;
    if (kernels::gemm_rows_are_independent()) {
      EXPECT_EQ(test::bytes_of(alone), test::bytes_of(beside)) << row;
    }
  }
}

TEST(Gpt2, RefusesSizesThatDoNotFit) {
  ModelConfig config = test::tiny_config();
  config.n_head = 3;
  EXPECT_THAT(message_of([&] { (void)make_language_model(config, 11); }), HasSubstr("multiple of n_head"));
  EXPECT_THAT(message_of([&] { (void)make_language_model(test::tiny_config(), 0); }), HasSubstr("vocabulary 0"));
}

TEST(Gpt2, RefusesTokensOutsideTheVocabulary) {
  const auto model = test::tiny_model(test::tiny_config());
  const NoGrad no_grad;
  EXPECT_THROW((void)model->logits(test::id_tensor(1, 4, 300), {}), DataError);
}

}  // namespace
}  // namespace minnow
