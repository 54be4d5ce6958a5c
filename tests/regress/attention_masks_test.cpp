// Faults of other engines around attention, held as tests with the right values.

#include <gtest/gtest.h>

#include <cmath>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/models/decoder.hpp"
#include "minnow/ops/attention.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/shape.hpp"
#include "support/tiny_model.hpp"

namespace minnow {
namespace {

Tensor numbers(const Shape& shape, double phase) {
  std::vector<double> made;
  for (Index i = 0; i < shape.numel(); ++i) made.push_back(std::sin(phase + 1.7 * static_cast<double>(i)));
  return set_requires_grad(Tensor::from(made, shape).to(DType::f32));
}

void expect_row_2_is_dead(const Tensor& mask) {
  const Tensor q = numbers({1, 1, 4, 8}, 1), k = numbers({1, 1, 4, 8}, 2), v = numbers({1, 1, 4, 8}, 3);
  const Tensor y = scaled_dot_product_attention(q, k, v, {}, {.mask = mask});
  backward(y, {.seed = Tensor::full({1, 1, 4, 8}, 0.7)});
  const Tensor free = scaled_dot_product_attention(detach(q), detach(k), detach(v));
  for (Index row = 0; row < 4; ++row) {
    const auto got = slice(detach(y), 2, row, row + 1).to_vector<float>();
    if (row == 2) {
      EXPECT_EQ(got, std::vector<float>(8, 0));
    } else {
      EXPECT_EQ(got, slice(free, 2, row, row + 1).to_vector<float>()) << row;
    }
  }
  for (const Tensor& x : {q, k, v}) {
    for (const double g : grad(x).to_vector<double>()) EXPECT_TRUE(std::isfinite(g));
  }
  for (const double g : slice(grad(q), 2, 2, 3).to_vector<double>()) EXPECT_EQ(g, 0);
}

// pytorch#103963: a row with every key masked is a softmax of nothing, 0 / 0.
TEST(AttentionB01, ARowWithEveryKeyMaskedIsZero) {
  std::vector<float> may(16, 1);
  std::vector<float> added(16, 0);
  for (std::size_t i = 8; i < 12; ++i) {
    may[i] = 0;
    added[i] = -INFINITY;
  }
  expect_row_2_is_dead(Tensor::from(may, {4, 4}).to(DType::boolean));
  expect_row_2_is_dead(Tensor::from(added, {4, 4}));
}

// The same through other doors: no key within the length, a window that ends before the first key.
TEST(AttentionB01, NoDoorToAnEmptyRowGivesNan) {
  const Tensor q = numbers({2, 1, 6, 4}, 1), k = numbers({2, 1, 3, 4}, 2), v = numbers({2, 1, 3, 4}, 3);
  const Tensor lengths = Tensor::from<std::int64_t>(std::vector<std::int64_t>{0, 2}, {2});
  const Tensor y = scaled_dot_product_attention(q, k, v, {.causal = true, .align = CausalAlign::kBottomRight},
                                                {.key_lengths = lengths});
  backward(y, {.seed = Tensor::full({2, 1, 6, 4}, 1)});
  const auto got = y.to_vector<float>();
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(got[i], 0);        // sequence 0 has no keys
  for (std::size_t i = 24; i < 36; ++i) EXPECT_EQ(got[i], 0);       // queries before the first key
  for (std::size_t i = 36; i < 48; ++i) EXPECT_NE(got[i], 0) << i;  // the others see something
  for (const Tensor& x : {q, k, v}) {
    for (const double g : grad(x).to_vector<double>()) EXPECT_TRUE(std::isfinite(g));
  }
}

// pytorch#61165: the residual must be taken before the norm.
TEST(AttentionR57, APreNormBlockOfZeroWeightsIsTheIdentity) {
  ParameterList list;
  DecoderBlock block;
  block.norm_1 = nn::Norm::make(list, "ln_1", 8, nn::NormType::kLayer, true, 1e-5);
  block.norm_2 = nn::Norm::make(list, "ln_2", 8, nn::NormType::kLayer, true, 1e-5);
  block.attention.qkv = nn::Linear::make(list, "c_attn", 8, 24, true, Initializer::zeros());
  block.attention.out = nn::Linear::make(list, "c_proj", 8, 8, true, Initializer::zeros());
  block.mlp.up = nn::Linear::make(list, "c_fc", 8, 32, true, Initializer::zeros());
  block.mlp.down = nn::Linear::make(list, "mlp_c_proj", 32, 8, true, Initializer::zeros());
  block.attention.n_head = 2;
  list.initialize(1);
  const Tensor x = numbers({2, 3, 8}, 4);
  const Tensor y = block.pre_norm(x, {}, {});
  EXPECT_EQ(test::bytes_of(y), test::bytes_of(x));
  const Tensor seed = detach(numbers({2, 3, 8}, 5));
  backward(y, {.seed = seed});
  EXPECT_EQ(test::bytes_of(grad(x)), test::bytes_of(seed));
}

// mlx-lm#93: with a cache, positions began at 0 again for new tokens.
TEST(AttentionB35, GreedyTextIsTheSameWithAndWithoutCache) {
  ModelConfig config = test::tiny_config();
  config.block_size = 40;
  const auto model = test::tiny_model(config);
  const NoGrad no_grad;
  std::vector<std::int32_t> text = {1, 2, 3};
  KeyValueCache cache = model->make_cache(1, 40);
  Tensor scores = model->decode(Tensor::from(text, {1, 3}), cache);
  for (int i = 0; i < 32; ++i) {
    const auto length = static_cast<Index>(text.size());
    const Tensor whole = model->logits(Tensor::from(text, {1, length}), {});
    const auto wanted = slice(whole, 1, length - 1, length).to_vector<double>();
    const auto got = scores.to_vector<double>();
    for (std::size_t j = 0; j < wanted.size(); ++j) EXPECT_NEAR(got[j], wanted[j], 1e-5) << "token " << i;
    const auto best = std::max_element(got.begin(), got.end()) - got.begin();
    EXPECT_EQ(best, std::max_element(wanted.begin(), wanted.end()) - wanted.begin());
    text.push_back(static_cast<std::int32_t>(best));
    scores = model->decode(Tensor::from<std::int32_t>({text.back()}, {1, 1}), cache);
  }
}

// pytorch#88718: a linear layer gave other bits on other thread counts.
TEST(AttentionR35, LinearLayersHaveTheSameBitsOnOneAndSixThreads) {
  const test::Threads restore(1);
  const auto run = [](int threads, Index rows) {
    set_threads(threads);
    ParameterList list;
    const nn::Linear layer = nn::Linear::make(list, "l", 56, 444, true, Initializer::normal(0.1));
    list.initialize(3);
    const Tensor x = numbers({rows, 56}, 1);
    const Tensor y = layer(x);
    backward(y, {.seed = detach(numbers({rows, 444}, 2))});
    std::vector<std::vector<std::byte>> bytes;
    for (const Tensor& one : {y, grad(x), grad(layer.weight), grad(layer.bias)}) bytes.push_back(test::bytes_of(one));
    return bytes;
  };
  for (const Index rows : {1, 7, 64, 1000}) EXPECT_EQ(run(1, rows), run(6, rows)) << rows;
}

}  // namespace
}  // namespace minnow
