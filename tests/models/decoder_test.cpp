#include "minnow/models/decoder.hpp"

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

/// Every mix of positions, family and grouping, the other parts taking turns.
std::vector<ModelConfig> mixes() {
  std::vector<ModelConfig> all;
  for (const Family family : {Family::kGpt2, Family::kLlama}) {
    for (const auto position :
         {PositionKind::kLearned, PositionKind::kSinusoidal, PositionKind::kRotary, PositionKind::kNone}) {
      for (const Index kv_heads : {0, 2, 1}) {
        const std::size_t turn = all.size();
        ModelConfig config = test::tiny_config();
        config.family = family;
        config.position = position;
        config.n_head = 4;
        config.n_kv_head = kv_heads;
        config.norm = turn % 2 == 0 ? NormLayer::kRms : NormLayer::kLayer;
        config.norm_position = turn / 2 % 2 == 0 ? NormPosition::kPre : NormPosition::kPost;
        config.activation = static_cast<Activation>(turn % 7);
        config.rope_style = turn % 3 == 0 ? RopeStyle::kInterleaved : RopeStyle::kHalf;
        config.rotary_dim = turn % 4 == 0 ? 2 : 0;
        config.sliding_window = turn % 5 == 0 ? 3 : 0;
        config.attn_bias = turn % 3 == 1;
        all.push_back(config);
      }
    }
  }
  return all;
}

TEST(Decoder, CachedDecodingEqualsTheWholePass) {
  {
    for (ModelConfig config : mixes()) {
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

TEST(Decoder, TheCacheHoldsKeyHeadsOnly) {
  ModelConfig config = test::tiny_config();
  config.n_head = 4;
  config.n_kv_head = 1;
  const KeyValueCache cache = test::tiny_model(config)->make_cache(3, 9);
  ASSERT_EQ(cache.keys.size(), 2U);
  EXPECT_EQ(cache.keys[0].shape(), (Shape{3, 1, 9, 4}));
  EXPECT_EQ(cache.values[1].shape(), (Shape{3, 1, 9, 4}));
}

TEST(Decoder, TheFamilyChangesNamesAndNothingElse) {
  for (ModelConfig config : mixes()) {
    if (config.family == Family::kLlama || config.attn_bias.value()) continue;
    config.bias = false;
    const auto fused = test::tiny_model(config, 11, 5, DType::f64);
    config.family = Family::kLlama;
    const auto apart = test::tiny_model(config, 11, 5, DType::f64);
    // The same numbers under both names: the fused matrix has queries, keys and values one below the other.
    std::vector<double> numbers;
    for (const Parameter& parameter : apart->parameters().all()) {
      for (const double x : parameter.tensor.to_vector<double>()) numbers.push_back(x);
    }
    Index at = 0;
    for (const Parameter& parameter : fused->parameters().all()) {
      Tensor into = parameter.tensor;
      for (Index i = 0; i < into.numel(); ++i) into.mutable_data<double>()[i] = numbers[static_cast<std::size_t>(at++)];
    }
    ASSERT_EQ(at, static_cast<Index>(numbers.size()));
    const NoGrad no_grad;
    const Tensor tokens = test::id_tensor(2, 12, 11);
    EXPECT_LT(largest_difference(fused->logits(tokens, {}), apart->logits(tokens, {})), 1e-12);
  }
}

TEST(Decoder, RotaryScoresDependOnDistancesOnly) {
  ModelConfig config = ModelConfig::of(Family::kLlama);
  config.n_layer = 1;
  config.n_head = 2;
  config.n_embd = 16;
  config.block_size = 40;
  config.init_std = 0.3;
  config.sliding_window = 4;
  const auto model = test::tiny_model(config, 11, 5, DType::f64);
  const NoGrad no_grad;
  std::vector<std::int32_t> ids = test::ids(8, 11);
  std::vector<std::int32_t> later = test::ids(20, 11, 9);
  later.insert(later.end(), ids.begin(), ids.end());
  const Tensor first = model->logits(Tensor::from(ids, {1, 8}), {});
  const Tensor second = model->logits(Tensor::from(later, {1, 28}), {});
  EXPECT_LT(largest_difference(slice(first, 1, 4, 8), slice(second, 1, 24, 28)), 1e-12);
}

TEST(Decoder, NamesAreThoseOfTheFamily) {
  const auto has = [](LanguageModel& model, std::initializer_list<const char*> names) {
    for (const char* name : names) EXPECT_NO_THROW((void)model.parameters().at(name)) << name;
  };
  ModelConfig config = test::tiny_config();
  config.activation = Activation::kSwiglu;
  has(*test::tiny_model(config),
      {"transformer.wte.weight", "transformer.wpe.weight", "transformer.h.1.attn.c_attn.bias",
       "transformer.h.0.mlp.c_gate.weight", "transformer.ln_f.bias"});
  config.family = Family::kLlama;
  config.tie_head = false;
  has(*test::tiny_model(config),
      {"model.embed_tokens.weight", "model.embed_positions.weight", "model.layers.1.self_attn.k_proj.bias",
       "model.layers.0.mlp.gate_proj.weight", "model.layers.0.post_attention_layernorm.weight", "model.norm.weight",
       "lm_head.weight"});
  EXPECT_EQ(embedding_name(Family::kLlama), "model.embed_tokens.weight");
}

TEST(Llama, HasTheNumberOfParametersOfItsSizes) {
  ModelConfig config = ModelConfig::of(Family::kLlama);
  config.n_layer = 4;
  config.n_head = 4;
  config.n_embd = 128;
  config.block_size = 64;
  EXPECT_EQ(make_language_model(config, 65)->parameters().count(), 800'000);
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
    if (kernels::gemm_rows_are_independent<float>()) {
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
