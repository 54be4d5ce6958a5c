// A token's scores have the same bits whether it is read alone, in a prompt, or beside other texts.
#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "minnow/autograd/backward.hpp"
#include "minnow/kernels/gemm.hpp"
#include "minnow/models/decoder.hpp"
#include "minnow/ops/shape.hpp"
#include "support/tiny_model.hpp"

namespace minnow {
namespace {

using kernels::GemmBackend;
using kernels::GemmPrecision;

constexpr Index kDecodedVocabulary = 65;
constexpr Index kLength = 290;  // more keys than one tile of attention has

/// Puts back the backend of before.
class DecodeBits : public testing::Test {
 protected:
  void SetUp() override { set_threads(1); }  // quickest for models of this size
  void TearDown() override { kernels::set_gemm_backend(before_); }

  static std::vector<GemmBackend> backends() {
    std::vector<GemmBackend> all;
    if (kernels::gemm_rows_are_independent<float>()) all.push_back(GemmBackend::kOpenblas);
    if (kernels::best_gemm_backend() == GemmBackend::kMinnow) all.push_back(GemmBackend::kMinnow);
    return all;
  }

 private:
  GemmBackend before_ = kernels::gemm_backend();
};

ModelConfig config_of(Family family) {
  ModelConfig config = test::tiny_config();
  config.family = family;
  config.n_head = 4;
  config.n_embd = 96;
  config.block_size = kLength;
  if (family == Family::kLlama) {
    config.position = PositionKind::kRotary;
    config.n_kv_head = 2;
    config.activation = Activation::kSilu;
  }
  return config;
}

/// The scores behind each of `lengths` tokens, read as one prompt each.
std::vector<std::vector<float>> read_prompts(LanguageModel& model, const Tensor& tokens,
                                             std::span<const Index> lengths) {
  std::vector<std::vector<float>> scores;
  for (const Index length : lengths) {
    KeyValueCache cache = model.make_cache(tokens.size(0), kLength);
    scores.push_back(model.decode(slice(tokens, 1, 0, length).contiguous(), cache).to_vector<float>());
  }
  return scores;
}

/// The same, read token by token.
std::vector<std::vector<float>> read_tokens(LanguageModel& model, const Tensor& tokens,
                                            std::span<const Index> lengths) {
  KeyValueCache cache = model.make_cache(tokens.size(0), kLength);
  std::vector<std::vector<float>> scores;
  for (Index i = 0; i < lengths.back(); ++i) {
    const Tensor got = model.decode(slice(tokens, 1, i, i + 1).contiguous(), cache);
    if (i + 1 == lengths[scores.size()]) scores.push_back(got.to_vector<float>());
  }
  return scores;
}

TEST_F(DecodeBits, ATokenAloneAndInAPrompt) {
  constexpr Index kAll[] = {1, 2, 9, 17, 33, 100, kLength};
  const NoGrad no_grad;
  const Tensor tokens = test::id_tensor(1, kLength, kDecodedVocabulary);
  for (const GemmBackend backend : backends()) {
    kernels::set_gemm_backend(backend);
    // Attention by OpenBLAS sums a tile of more than kThinTile scores in another order than that of one query.
    const std::span<const Index> lengths = std::span(kAll).first(backend == GemmBackend::kMinnow ? 7 : 4);
    for (const Family family : {Family::kGpt2, Family::kLlama})
      for (const GemmPrecision precision : {GemmPrecision::kF32, GemmPrecision::kBf16}) {
        const auto model = test::tiny_model(config_of(family), kDecodedVocabulary, 5, DType::f32);
        model->set_precision(precision);
        const auto prompts = read_prompts(*model, tokens, lengths);
        for (const bool frozen : {false, true}) {
          model->set_frozen(frozen);
          const auto alone = read_tokens(*model, tokens, lengths);
          for (std::size_t i = 0; i < alone.size(); ++i)
            EXPECT_EQ(alone[i], prompts[i])
                << kernels::gemm_name(backend) << ", length " << lengths[i] << ", family " << static_cast<int>(family)
                << ", bf16 " << (precision == GemmPrecision::kBf16) << ", frozen " << frozen;
        }
      }
  }
}

TEST_F(DecodeBits, ATextAloneAndBesideOthers) {
  constexpr Index kLengths[] = {1, 2, 20};
  const NoGrad no_grad;
  for (const GemmBackend backend : backends()) {
    kernels::set_gemm_backend(backend);
    for (const Index rows : {2, 3, 9}) {
      const auto model = test::tiny_model(config_of(Family::kGpt2), kDecodedVocabulary, 5, DType::f32);
      model->set_frozen(rows == 3);
      const Tensor tokens = test::id_tensor(rows, kLength, kDecodedVocabulary);
      const auto all = read_tokens(*model, tokens, kLengths);
      const auto last = read_tokens(*model, slice(tokens, 0, rows - 1, rows).contiguous(), kLengths);
      for (std::size_t i = 0; i < last.size(); ++i)
        EXPECT_EQ(std::vector<float>(all[i].end() - kDecodedVocabulary, all[i].end()), last[i])
            << kernels::gemm_name(backend) << ", length " << kLengths[i] << " of " << rows;
    }
  }
}

TEST_F(DecodeBits, FrozenWeightsThatAreWrittenToAreReadAnew) {
  const NoGrad no_grad;
  constexpr Index kLengths[] = {5};
  const Tensor tokens = test::id_tensor(1, 5, kDecodedVocabulary);
  for (const GemmPrecision precision : {GemmPrecision::kF32, GemmPrecision::kBf16}) {
    const auto model = test::tiny_model(config_of(Family::kGpt2), kDecodedVocabulary, 5, DType::f32);
    model->set_precision(precision);
    model->set_frozen(true, 1 << 20);
    const auto before = read_tokens(*model, tokens, kLengths);
    for (const Parameter& parameter : model->parameters().all()) {
      Tensor weight = parameter.tensor;
      for (float& x : std::span(weight.mutable_data<float>(), static_cast<std::size_t>(weight.numel()))) x *= 1.5F;
    }
    const auto after = read_tokens(*model, tokens, kLengths);
    EXPECT_NE(before, after);
    model->set_frozen(false);
    EXPECT_EQ(after, read_tokens(*model, tokens, kLengths));
  }
}

}  // namespace
}  // namespace minnow
