#include <gtest/gtest.h>

#include <fstream>

#include "io/io_support.hpp"
#include "minnow/base/error.hpp"
#include "minnow/tasks/language_modeling.hpp"
#include "support/function_model.hpp"
#include "support/tiny_model.hpp"

namespace minnow {
namespace {

/// Text whose second half is the validation split.
class Evaluate : public testing::Test {
 protected:
  Dataset open(Index block_size, std::size_t val_characters) {
    std::string text;
    for (const std::int32_t id : test::ids(static_cast<Index>(2 * val_characters), 11)) {
      text += static_cast<char>('a' + id);
    }
    test::spill(dir_ / "text.txt", text);
    DatasetOptions options;
    options.path = (dir_ / "text.txt").string();
    options.val_fraction = 0.5;
    options.loader = {.batch_size = 2, .block_size = block_size};
    return Dataset::open(options);
  }

  test::TempDir dir_;
};

/// The value must not move by one bit: windows of one batch share products of matrices, whose order of summation must
/// not depend on the number of rows.
TEST_F(Evaluate, HasTheSameBitsForEveryBatchSize) {
  for (const Index block : {1, 5, 8, 12, 33, 64}) {
    for (const auto& [width, inner] : {std::pair<Index, Index>{16, 64}, {48, 512}}) {
      const Dataset data = open(block, static_cast<std::size_t>(17 * block + 4));
      ModelConfig config = test::tiny_config();
      config.block_size = block;
      config.n_embd = width;
      config.n_inner = inner;
      const auto model = test::tiny_model(config, data.vocab_size());
      const LmScore one = *evaluate(*model, data, 1);
      EXPECT_EQ(one.targets, 17 * block + 3);
      for (const Index batch : {2, 3, 5, 8, 100}) {
        const LmScore other = *evaluate(*model, data, batch);
        EXPECT_EQ(one.loss, other.loss) << "T " << block << ", C " << width << ", batch size " << batch;
        EXPECT_EQ(one.targets, other.targets);
        EXPECT_EQ(one.bits_per_byte, other.bits_per_byte);
      }
    }
  }
}

TEST_F(Evaluate, HasTheSameBitsForAnyNumberOfThreads) {
  const Dataset data = open(24, 500);
  ModelConfig config = test::tiny_config();
  config.block_size = 24;
  config.n_embd = 64;
  const auto model = test::tiny_model(config, data.vocab_size());
  const test::Threads restore(1);
  const double one = evaluate(*model, data, 8)->loss;
  for (const int threads : {2, 3, 4, 8}) {
    set_threads(threads);
    EXPECT_EQ(evaluate(*model, data, 8)->loss, one) << threads;
  }
}

TEST_F(Evaluate, OfAPartIsTheMeanOfWindowsThatAreSpreadEvenly) {
  const Dataset data = open(8, 8 * 20 + 1);
  ASSERT_EQ(data.val().windows(), 20);
  // The loss of a window is where it lies.
  std::vector<Index> seen;
  for (const Index of : {1, 2, 3, 7, 19, 20}) {
    seen.clear();
    for (Index first = 0; first < of; first += 3) {
      const Batch batch = data.val().make_batch(first, 3, of);
      seen.insert(seen.end(), batch.samples.begin(), batch.samples.end());
    }
    ASSERT_EQ(static_cast<Index>(seen.size()), of);
    for (Index k = 0; k < of; ++k) EXPECT_EQ(seen[static_cast<std::size_t>(k)], (2 * k + 1) * 20 / (2 * of));
  }
  EXPECT_THROW((void)data.val().make_batch(0, 1, 21), std::out_of_range);
  ModelConfig config = test::tiny_config();
  config.block_size = 8;
  const auto model = test::tiny_model(config, data.vocab_size());
  const LmScore part = *evaluate(*model, data, 2, {}, {}, 7);
  EXPECT_EQ(part.windows, 7);
  EXPECT_FALSE(part.whole);
  EXPECT_EQ(part.targets, 7 * 8);
  EXPECT_EQ(evaluate(*model, data, 5, {}, {}, 7)->loss, part.loss) << "whatever the batch size";
  EXPECT_NEAR(part.bits_per_byte,
              part.loss / std::log(2) * static_cast<double>(data.val_facts().targets) /
                  static_cast<double>(data.val_facts().bytes),
              1e-12);
  const LmScore whole = *evaluate(*model, data, 5, {}, {}, 1000);
  EXPECT_TRUE(whole.whole);
  EXPECT_EQ(whole.loss, evaluate(*model, data, 5)->loss);
}

TEST_F(Evaluate, ConvertsItsUnits) {
  const Dataset data = open(8, 41);
  test::FunctionModel model(nullptr, [](auto&, const Tensor& tokens, const Tensor& targets, double) {
    Tensor losses = Tensor::full(tokens.shape(), 2.0);
    auto* at = losses.mutable_data<float>();
    for (Index i = 0; i < losses.numel(); ++i) {
      if (targets.data<std::int32_t>()[i] == kIgnoredTarget) at[i] = 0;
    }
    return losses;
  });
  const LmScore score = *evaluate(model, data, 3);
  EXPECT_EQ(score.targets, 40);
  EXPECT_DOUBLE_EQ(score.loss, 2);
  EXPECT_DOUBLE_EQ(score.perplexity, std::exp(2));
  EXPECT_NEAR(score.bits_per_byte, 80 / std::log(2) / static_cast<double>(data.val_facts().bytes), 1e-12);
}

TEST_F(Evaluate, CanBeAbandoned) {
  const Dataset data = open(8, 200);
  const auto model = test::tiny_model([] {
    ModelConfig config = test::tiny_config();
    config.block_size = 8;
    return config;
  }());
  int asked = 0;
  EXPECT_FALSE(evaluate(*model, data, 4, [&] { return ++asked == 3; }));
  std::vector<Index> told;
  (void)evaluate(*model, data, 4, {}, [&](Index done, Index total) {
    EXPECT_EQ(total, data.val().windows());
    told.push_back(done);
  });
  EXPECT_EQ(told.front(), 0);
  EXPECT_EQ(told.back(), data.val().windows());
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(asked, 3);
}

TEST_F(Evaluate, RefusesDataWithoutValidationSplit) {
  test::spill(dir_ / "all.txt", "abcabcabcabcabcabc");
  DatasetOptions options;
  options.path = (dir_ / "all.txt").string();
  options.split = SplitRule::kNone;
  options.loader = {.batch_size = 2, .block_size = 4};
  const Dataset data = Dataset::open(options);
  const auto model = test::tiny_model(test::tiny_config());
  EXPECT_THROW((void)evaluate(*model, data, 2), DataError);
}

}  // namespace
}  // namespace minnow
