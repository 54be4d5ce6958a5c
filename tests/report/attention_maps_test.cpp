#include "minnow/report/attention_maps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/observe.hpp"
#include "minnow/base/error.hpp"
#include "minnow/kernels/convert.hpp"
#include "minnow/ops/attention.hpp"
#include "minnow/text/byte_tokenizer.hpp"
#include "minnow/text/char_tokenizer.hpp"
#include "support/tiny_model.hpp"

namespace minnow {
namespace {

using ::testing::HasSubstr;

constexpr Index kTokens = 9;

struct Case {
  const char* name;
  ModelConfig config;
};

ModelConfig changed(ModelConfig config, const std::function<void(ModelConfig&)>& change) {
  change(config);
  return config;
}

/// Sizes of test::tiny_config() in the family of LLaMA, 4 heads over 2.
ModelConfig tiny_llama() {
  ModelConfig config = ModelConfig::of(Family::kLlama);
  const ModelConfig sizes = test::tiny_config();
  config.n_layer = sizes.n_layer;
  config.n_head = 4;
  config.n_kv_head = 2;
  config.n_embd = sizes.n_embd;
  config.block_size = sizes.block_size;
  config.init_std = sizes.init_std;
  return config;
}

std::vector<Case> cases() {
  const ModelConfig gpt2 = test::tiny_config();
  const ModelConfig llama = tiny_llama();
  return {{"gpt2", gpt2},
          {"gpt2 in windows", changed(gpt2, [](ModelConfig& c) { c.sliding_window = 3; })},
          {"gpt2 post-norm", changed(gpt2, [](ModelConfig& c) { c.norm_position = NormPosition::kPost; })},
          {"gpt2 grouped and turned", changed(gpt2,
                                              [](ModelConfig& c) {
                                                c.n_kv_head = 1;
                                                c.position = PositionKind::kRotary;
                                              })},
          {"llama", llama},
          {"llama in windows", changed(llama, [](ModelConfig& c) { c.sliding_window = 4; })},
          {"llama interleaved, half turned", changed(llama, [](ModelConfig& c) {
             c.rope_style = RopeStyle::kInterleaved;
             c.rotary_dim = 2;
           })}};
}

AttentionMaps maps_of(LanguageModel& model, const std::vector<std::int32_t>& ids) {
  return read_attention(model, ids, std::vector<std::string>(ids.size(), "t"));
}

TEST(AttentionMaps, HaveRowsThatSumToOneAndNothingAfterTheQuery) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const auto model = test::tiny_model(one.config);
    const AttentionMaps maps = maps_of(*model, test::ids(kTokens, 11));
    ASSERT_EQ(maps.layers, one.config.n_layer);
    ASSERT_EQ(maps.heads, one.config.n_head);
    const Index window = one.config.sliding_window > 0 ? one.config.sliding_window : kTokens;
    for (Index row = 0; row < maps.layers * maps.heads * kTokens; ++row) {
      double sum = 0;
      for (Index key = 0; key < kTokens; ++key) {
        const double weight = static_cast<double>(maps.weights[static_cast<std::size_t>(row * kTokens + key)]);
        const Index query = row % kTokens;
        const bool seen = key <= query && key > query - window;
        EXPECT_EQ(weight > 0, seen) << "row " << row << ", key " << key;
        sum += weight;
      }
      EXPECT_NEAR(sum, 1, 1e-5) << "row " << row;
    }
  }
}

/// Softmax of scaled products, one by one in f64, of queries (H, T, D) and keys (Hkv, T, D).
std::vector<double> plain_weights(const Tensor& q, const Tensor& k, Index window) {
  const auto queries = q.to_vector<double>();
  const auto keys = k.to_vector<double>();
  const Index heads = q.size(1), length = q.size(2), width = q.size(3), group = heads / k.size(1);
  std::vector<double> weights(static_cast<std::size_t>(heads * length * length), 0);
  for (Index h = 0; h < heads; ++h) {
    for (Index i = 0; i < length; ++i) {
      double sum = 0;
      for (Index j = window > 0 ? std::max<Index>(0, i - window + 1) : 0; j <= i; ++j) {
        double dot = 0;
        for (Index d = 0; d < width; ++d) {
          dot += queries[static_cast<std::size_t>((h * length + i) * width + d)] *
                 keys[static_cast<std::size_t>((h / group * length + j) * width + d)];
        }
        double& weight = weights[static_cast<std::size_t>((h * length + i) * length + j)];
        weight = std::exp(dot / std::sqrt(static_cast<double>(width)));
        sum += weight;
      }
      for (Index j = 0; j < length; ++j) weights[static_cast<std::size_t>((h * length + i) * length + j)] /= sum;
    }
  }
  return weights;
}

/// The weights are those of the pass if they make its output from its values: (H, T, T) times (Hkv, T, D) is (T, H D).
void expect_output(const std::vector<double>& weights, const Tensor& v, const Tensor& out) {
  const auto values = v.to_vector<double>();
  const auto got = out.to_vector<double>();
  const Index length = v.size(2), width = v.size(3), heads = out.size(-1) / width, group = heads / v.size(1);
  for (Index h = 0; h < heads; ++h) {
    for (Index i = 0; i < length; ++i) {
      for (Index d = 0; d < width; ++d) {
        double sum = 0;
        for (Index j = 0; j < length; ++j) {
          sum += weights[static_cast<std::size_t>((h * length + i) * length + j)] *
                 values[static_cast<std::size_t>((h / group * length + j) * width + d)];
        }
        ASSERT_NEAR(sum, got[static_cast<std::size_t>((i * heads + h) * width + d)], 1e-5)
            << h << ", " << i << ", " << d;
      }
    }
  }
}

TEST(AttentionMaps, EqualTheSoftmaxOfTheModelsOwnQueriesAndKeys) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const auto model = test::tiny_model(one.config);
    const std::vector<std::int32_t> ids = test::ids(kTokens, 11);
    const AttentionMaps maps = maps_of(*model, ids);
    std::vector<double> expected;
    const NoGrad no_grad;
    const Observer observer([&](const OpCall& call) {
      const auto seen = attention_call(call);
      if (!seen) return;
      const auto layer = plain_weights(seen->q, seen->k, one.config.sliding_window);
      expect_output(layer, seen->v, call.outputs[0]);
      expected.insert(expected.end(), layer.begin(), layer.end());
    });
    (void)model->logits(Tensor::from(ids, {1, kTokens}), {});
    ASSERT_EQ(maps.weights.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(static_cast<double>(maps.weights[i]), expected[i], 2e-6) << i;
    }
  }
}

// They were in f32 whatever the model computes in.
TEST(AttentionMaps, AreInTheModelsPrecision) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const auto model = test::tiny_model(one.config);
    model->set_precision(kernels::GemmPrecision::kBf16);
    const std::vector<std::int32_t> ids = test::ids(kTokens, 11);
    const AttentionMaps maps = maps_of(*model, ids);
    std::vector<double> expected, in_f32;
    const NoGrad no_grad;
    const Observer observer([&](const OpCall& call) {
      const auto seen = attention_call(call);
      if (!seen) return;
      const auto rounded = [](const Tensor& x) {
        auto numbers = x.to_vector<float>();
        kernels::round_to_bf16(numbers.data(), numbers.data(), static_cast<Index>(numbers.size()));
        return Tensor::from(numbers, x.shape());
      };
      const auto layer = plain_weights(rounded(seen->q), rounded(seen->k), one.config.sliding_window);
      const auto unrounded = plain_weights(seen->q, seen->k, one.config.sliding_window);
      expected.insert(expected.end(), layer.begin(), layer.end());
      in_f32.insert(in_f32.end(), unrounded.begin(), unrounded.end());
    });
    (void)model->logits(Tensor::from(ids, {1, kTokens}), {});
    ASSERT_EQ(maps.weights.size(), expected.size());
    double off = 0, difference = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      off = std::max(off, std::abs(static_cast<double>(maps.weights[i]) - expected[i]));
      difference = std::max(difference, std::abs(in_f32[i] - expected[i]));
    }
    EXPECT_LT(off, 2e-6);
    EXPECT_GT(difference, 2 * off);
  }
}

/// The first layer's weights of a LLaMA from nothing but its parameters: embedding, RMSNorm, products, rotation.
std::vector<double> first_layer_by_hand(LanguageModel& model, const ModelConfig& config,
                                        const std::vector<std::int32_t>& ids) {
  const auto numbers = [&](const char* name) { return model.parameters().at(name).to_vector<double>(); };
  const auto table = numbers("model.embed_tokens.weight");
  const auto scale = numbers("model.layers.0.input_layernorm.weight");
  const Index width = config.n_embd, head = config.head_dim();
  const auto turned = [&](const char* name, Index heads) {
    const auto matrix = numbers(name);
    std::vector<double> all(static_cast<std::size_t>(heads * kTokens * head));
    for (Index t = 0; t < kTokens; ++t) {
      const double* const row = table.data() + ids[static_cast<std::size_t>(t)] * width;
      double squares = 0;
      for (Index c = 0; c < width; ++c) squares += row[c] * row[c];
      const double rms = std::sqrt(squares / static_cast<double>(width) + config.norm_eps);
      std::vector<double> out(static_cast<std::size_t>(heads * head), 0);
      for (Index o = 0; o < heads * head; ++o) {
        for (Index c = 0; c < width; ++c) {
          out[static_cast<std::size_t>(o)] +=
              matrix[static_cast<std::size_t>(o * width + c)] * row[c] / rms * scale[static_cast<std::size_t>(c)];
        }
      }
      for (Index h = 0; h < heads; ++h) {
        for (Index i = 0; i < head / 2; ++i) {
          const double angle = static_cast<double>(t) *
                               std::pow(config.rope_theta, -2.0 * static_cast<double>(i) / static_cast<double>(head));
          const double a = out[static_cast<std::size_t>(h * head + i)];
          const double b = out[static_cast<std::size_t>(h * head + i + head / 2)];
          double* const to = all.data() + (h * kTokens + t) * head;
          to[i] = a * std::cos(angle) - b * std::sin(angle);
          to[i + head / 2] = b * std::cos(angle) + a * std::sin(angle);
        }
      }
    }
    return Tensor::from(all, {1, heads, kTokens, head});
  };
  return plain_weights(turned("model.layers.0.self_attn.q_proj.weight", config.n_head),
                       turned("model.layers.0.self_attn.k_proj.weight", config.kv_heads()), config.sliding_window);
}

TEST(AttentionMaps, EqualTheFirstLayerComputedByHand) {
  for (const Index window : {0, 4}) {
    ModelConfig config = tiny_llama();
    config.sliding_window = window;
    const auto model = test::tiny_model(config);
    const std::vector<std::int32_t> ids = test::ids(kTokens, 11);
    const AttentionMaps maps = maps_of(*model, ids);
    const auto expected = first_layer_by_hand(*model, config, ids);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(static_cast<double>(maps.weights[i]), expected[i], 2e-6) << "window " << window << ", " << i;
    }
  }
}

TEST(AttentionMaps, AverageWhatIsNotNamed) {
  AttentionMaps maps;
  maps.tokens = {"a"};
  maps.layers = 2;
  maps.heads = 2;
  maps.weights = {1, 2, 3, 6};
  EXPECT_EQ(maps.map(1, 0), std::vector<float>{3});
  EXPECT_EQ(maps.map(0, {}), std::vector<float>{1.5F});
  EXPECT_EQ(maps.map({}, 1), std::vector<float>{4});
  EXPECT_EQ(maps.map({}, {}), std::vector<float>{3});
}

TEST(AttentionMaps, PutEveryHeadAndItsMeanInARowBehindTheMeanOfAll) {
  const auto model = test::tiny_model(test::tiny_config());
  const AttentionMaps maps = maps_of(*model, {1, 2});
  const MapChoice all{MapChoice::Kind::kAll}, mean{MapChoice::Kind::kMean}, first{MapChoice::Kind::kOne, 0};
  const auto titles = [&](const MapChoice& layer, const MapChoice& head) {
    std::string text;
    for (const auto& row : map_panels(maps, layer, head)) {
      for (const MapPanel& panel : row) text += panel.title + "; ";
      text += "| ";
    }
    return text;
  };
  EXPECT_EQ(titles(all, all),
            "mean of all; | layer 0, head 0; layer 0, head 1; layer 0, mean; | "
            "layer 1, head 0; layer 1, head 1; layer 1, mean; | ");
  EXPECT_EQ(titles(mean, mean), "mean of all; | ");
  EXPECT_EQ(titles(first, all), "layer 0, head 0; layer 0, head 1; layer 0, mean; | ");
  EXPECT_EQ(titles(mean, first), "all layers, head 0; | ");
}

TEST(MapChoice, TakesWordsAndNumbersOfWhatThereIs) {
  EXPECT_EQ(MapChoice::parse("all", "layer", 2).kind, MapChoice::Kind::kAll);
  EXPECT_EQ(MapChoice::parse("mean", "layer", 2).kind, MapChoice::Kind::kMean);
  EXPECT_EQ(MapChoice::parse("1", "layer", 2).index, 1);
  for (const char* const wrong : {"2", "-1", "", "1x", "one"}) {
    EXPECT_THROW((void)MapChoice::parse(wrong, "layer", 2), ConfigError) << wrong;
  }
}

TEST(AttentionMaps, RefuseWeightsThatAreNoNumbers) {
  const auto model = test::tiny_model(test::tiny_config());
  Tensor table = model->parameters().at("transformer.wte.weight");
  table.fill(std::nan(""));
  EXPECT_THROW((void)maps_of(*model, {1, 2, 3}), NumericError);
}

TEST(VisibleToken, ShowsWhatIsBlank) {
  const ByteTokenizer bytes;
  EXPECT_EQ(visible_token(&bytes, bytes.encode(" ")[0]), "\u2423");
  EXPECT_EQ(visible_token(&bytes, bytes.encode("\n")[0]), "\u21B5");
  EXPECT_EQ(visible_token(&bytes, bytes.encode("\t")[0]), "\u21E5");
  EXPECT_EQ(visible_token(&bytes, bytes.encode("\x1b")[0]), "\u241B");
  EXPECT_EQ(visible_token(&bytes, bytes.encode("\xff")[0]), "\\xFF");
  EXPECT_EQ(visible_token(&bytes, bytes.encode("a")[0]), "a");
  EXPECT_EQ(visible_token(nullptr, 17), "17");
}

}  // namespace
}  // namespace minnow
