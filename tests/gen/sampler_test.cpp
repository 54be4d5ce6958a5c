#include "minnow/gen/sampler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "minnow/base/error.hpp"

namespace minnow {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<std::size_t> kept(const std::vector<float>& scores, const SamplerOptions& options,
                              const std::vector<std::int32_t>& history = {}) {
  const std::vector<double> weights = sampling_weights(scores, history, options);
  std::vector<std::size_t> ids;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0) ids.push_back(i);
  }
  return ids;
}

/// Scores whose softmax is 0.5, 0.25, 0.15, 0.1 for ids 2, 0, 3, 1.
const std::vector<float> kScores = {std::log(0.25F), std::log(0.1F), std::log(0.5F), std::log(0.15F)};

TEST(Draw, NeverTakesAWeightOfZero) {  // pytorch#16075
  const std::vector<double> weights = {0, 10, 3, 0};
  std::int64_t second = 0;
  constexpr std::int64_t kDraws = 1'000'000;
  for (std::int64_t i = 0; i < kDraws; ++i) {
    const std::int32_t id = draw_index(weights, sampling_key(1, 0, i));
    ASSERT_TRUE(id == 1 || id == 2) << "draw " << i;
    second += id == 2 ? 1 : 0;
  }
  // 3/13 of them, within 5 standard deviations
  EXPECT_NEAR(static_cast<double>(second), 3.0 / 13 * kDraws, 5 * std::sqrt(kDraws * 3.0 / 13 * 10 / 13));
}

TEST(Draw, DependsOnSeedSampleAndPositionAlone) {
  const std::vector<double> weights(1000, 1.0);
  const std::int32_t first = draw_index(weights, sampling_key(7, 3, 11));
  EXPECT_EQ(draw_index(weights, sampling_key(7, 3, 11)), first);
  int same = 0;
  for (Index i = 0; i < 100; ++i) {
    same += draw_index(weights, sampling_key(8 + static_cast<std::uint64_t>(i), 3, 11)) == first ? 1 : 0;
    same += draw_index(weights, sampling_key(7, 4 + i, 11)) == first ? 1 : 0;
    same += draw_index(weights, sampling_key(7, 3, 12 + i)) == first ? 1 : 0;
  }
  EXPECT_LT(same, 5);
}

TEST(Draw, RefusesWhatIsNoDistribution) {
  EXPECT_THROW((void)draw_index(std::vector<double>{0, 0}, {}), NumericError);
  EXPECT_THROW((void)draw_index(std::vector<double>{}, {}), NumericError);
  EXPECT_THROW((void)draw_index(std::vector<double>{1, -1}, {}), NumericError);
  EXPECT_THROW((void)draw_index(std::vector<double>{1, kNan}, {}), NumericError);
  EXPECT_THROW((void)draw_index(std::vector<double>{1, kInf}, {}), NumericError);
}

TEST(Weights, AreTheSoftmaxWhenNothingIsFiltered) {
  const std::vector<double> weights = sampling_weights(kScores, {}, {});
  const double total = weights[0] + weights[1] + weights[2] + weights[3];
  EXPECT_NEAR(weights[0] / total, 0.25, 1e-6);
  EXPECT_NEAR(weights[1] / total, 0.1, 1e-6);
  EXPECT_EQ(weights[2], 1.0);
}

TEST(Weights, TemperatureZeroTakesTheLikeliestAndOfEqualsTheFirst) {
  EXPECT_THAT(kept(kScores, {.temperature = 0}), ElementsAre(2));
  EXPECT_THAT(kept({1, 5, 5, 2}, {.temperature = 0}), ElementsAre(1));
  EXPECT_THAT(kept({-kInf, -3e38F, -kInf}, {.temperature = 0}), ElementsAre(1));
}

TEST(Weights, AnyTemperatureGivesNumbers) {
  for (const double temperature : {1e-300, 1e-12, 0.8, 1e12, 1e300}) {
    const std::vector<double> weights =
        sampling_weights(std::vector<float>{3e38F, -3e38F, 0, -kInf}, {}, {.temperature = temperature});
    EXPECT_EQ(weights[0], 1.0);
    EXPECT_EQ(weights[3], 0.0);
    for (const double weight : weights) EXPECT_TRUE(weight >= 0 && weight <= 1) << temperature;
  }
}

TEST(Weights, TopKKeepsTheLikeliest) {
  EXPECT_THAT(kept(kScores, {.top_k = 1}), ElementsAre(2));
  EXPECT_THAT(kept(kScores, {.top_k = 2}), ElementsAre(0, 2));
  EXPECT_THAT(kept(kScores, {.top_k = 3}), ElementsAre(0, 2, 3));
  EXPECT_THAT(kept({1, 1, 1, 1}, {.top_k = 2}), ElementsAre(0, 1));  // of equals the lower id
}

TEST(Weights, TopKZeroOrAboveTheVocabularyIsOff) {
  for (const Index k : {Index{0}, Index{4}, Index{5}, std::numeric_limits<Index>::max()}) {
    EXPECT_THAT(kept(kScores, {.top_k = k}), ElementsAre(0, 1, 2, 3)) << k;
  }
}

TEST(Weights, TopPKeepsTheSmallestSetThatReachesIt) {
  EXPECT_THAT(kept(kScores, {.top_p = 1e-9}), ElementsAre(2));
  EXPECT_THAT(kept(kScores, {.top_p = 0.45}), ElementsAre(2));
  EXPECT_THAT(kept(kScores, {.top_p = 0.55}), ElementsAre(0, 2));
  EXPECT_THAT(kept(kScores, {.top_p = 0.8}), ElementsAre(0, 2, 3));
  EXPECT_THAT(kept(kScores, {.top_p = 1}), ElementsAre(0, 1, 2, 3));
  // after top_k: of the two kept, 2/3 and 1/3, the first alone reaches 0.6
  EXPECT_THAT(kept(kScores, {.top_k = 2, .top_p = 0.6}), ElementsAre(2));
}

TEST(Weights, MinPCountsAgainstTheLikeliest) {
  EXPECT_THAT(kept(kScores, {.min_p = 0.45}), ElementsAre(0, 2));
  EXPECT_THAT(kept(kScores, {.min_p = 0.25}), ElementsAre(0, 2, 3));
  EXPECT_THAT(kept(kScores, {.min_p = 1}), ElementsAre(2));
}

TEST(Weights, RepetitionPenaltyLowersWhatWasWritten) {
  const std::vector<float> scores = {2, 1.5F, -1, -1};
  EXPECT_THAT(kept(scores, {.repetition_penalty = 2, .temperature = 0}, {0}), ElementsAre(1));
  const std::vector<double> weights =
      sampling_weights(scores, std::vector<std::int32_t>{2, 2, 2, -5, 99}, {.repetition_penalty = 2});
  EXPECT_NEAR(weights[2], std::exp(-2.0 - 2.0), 1e-12);  // once, however often it stands there
  EXPECT_NEAR(weights[3], std::exp(-1.0 - 2.0), 1e-12);
  // outside the window it does not count
  EXPECT_THAT(kept(scores, {.repetition_penalty = 2, .repetition_window = 1, .temperature = 0}, {0, 3}),
              ElementsAre(0));
}

TEST(Weights, ScoresThatAreNoNumbersAreRefused) {
  EXPECT_THROW((void)sampling_weights(std::vector<float>{1, kNan}, {}, {}), NumericError);
  EXPECT_THROW((void)sampling_weights(std::vector<float>{1, kNan}, {}, {.temperature = 0}), NumericError);
  EXPECT_THROW((void)sampling_weights(std::vector<float>{1, kInf}, {}, {}), NumericError);
  EXPECT_THROW((void)sampling_weights(std::vector<float>{-kInf, -kInf}, {}, {}), NumericError);
  try {
    (void)sampling_weights(std::vector<float>{1, 2, kNan}, {}, {});
    FAIL();
  } catch (const NumericError& error) {
    EXPECT_THAT(error.what(), HasSubstr("token 2"));
  }
}

TEST(Weights, OptionsOutOfRangeAreNamed) {
  const auto message = [](const SamplerOptions& options) -> std::string {
    try {
      options.validate();
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(message({.temperature = -0.1}), HasSubstr("temperature"));
  EXPECT_THAT(message({.temperature = kNan}), HasSubstr("temperature"));
  EXPECT_THAT(message({.temperature = kInf}), HasSubstr("temperature"));
  EXPECT_THAT(message({.top_k = -1}), HasSubstr("top_k"));
  EXPECT_THAT(message({.top_p = 0}), HasSubstr("top_p"));
  EXPECT_THAT(message({.top_p = 1.01}), HasSubstr("top_p"));
  EXPECT_THAT(message({.min_p = -0.1}), HasSubstr("min_p"));
  EXPECT_THAT(message({.min_p = kNan}), HasSubstr("min_p"));
  EXPECT_THAT(message({.repetition_penalty = 0}), HasSubstr("repetition_penalty"));
  EXPECT_THAT(message({.repetition_window = -1}), HasSubstr("repetition_window"));
  EXPECT_EQ(message({}), "accepted");
}

}  // namespace
}  // namespace minnow
