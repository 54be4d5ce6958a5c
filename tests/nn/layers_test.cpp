#include "minnow/nn/layers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "minnow/autograd/backward.hpp"
#include "minnow/ops/shape.hpp"
#include "support/tiny_model.hpp"

namespace minnow {
namespace {

TEST(Dropout, IsOffInEvaluationAndAtZero) {
  const Tensor x = Tensor::full({2, 3, 4}, 1);
  EXPECT_TRUE(nn::dropout_at(x, 0.5, 0, {.training = false}).is(x));
  EXPECT_TRUE(nn::dropout_at(x, 0, 0, {.training = true}).is(x));
}

TEST(Dropout, DependsOnSeedStepSiteAndPlaceAlone) {
  const Tensor x = Tensor::full({4, 5, 6}, 1);
  const ForwardMode mode{.training = true, .seed = 3, .step = 7};
  const auto base = test::bytes_of(nn::dropout_at(x, 0.5, 2, mode));
  EXPECT_EQ(test::bytes_of(nn::dropout_at(x, 0.5, 2, mode)), base);
  EXPECT_NE(test::bytes_of(nn::dropout_at(x, 0.5, 3, mode)), base);
  ForwardMode other = mode;
  other.seed = 4;
  EXPECT_NE(test::bytes_of(nn::dropout_at(x, 0.5, 2, other)), base);
  other = mode;
  other.step = 8;
  EXPECT_NE(test::bytes_of(nn::dropout_at(x, 0.5, 2, other)), base);
}

TEST(Dropout, DoesNotDependOnHowTheBatchIsCut) {
  const Tensor x = Tensor::full({5, 3, 7}, 1);
  ForwardMode mode{.training = true, .seed = 3, .step = 7};
  const Tensor whole = nn::dropout_at(x, 0.3, 1, mode);
  for (Index cut = 1; cut < 5; ++cut) {
    mode.first_sequence = 0;
    const Tensor first = nn::dropout_at(slice(x, 0, 0, cut).contiguous(), 0.3, 1, mode);
    mode.first_sequence = cut;
    const Tensor second = nn::dropout_at(slice(x, 0, cut, 5).contiguous(), 0.3, 1, mode);
    EXPECT_EQ(test::bytes_of(first), test::bytes_of(slice(whole, 0, 0, cut))) << cut;
    EXPECT_EQ(test::bytes_of(second), test::bytes_of(slice(whole, 0, cut, 5))) << cut;
  }
}

TEST(Dropout, KeepsTheMean) {
  const Tensor x = Tensor::full({10, 100, 100}, 1);
  const Tensor y = nn::dropout_at(x, 0.2, 1, {.training = true, .seed = 1});
  double sum = 0;
  Index dropped = 0;
  for (const double value : y.to_vector<double>()) {
    sum += value;
    dropped += value == 0 ? 1 : 0;
  }
  EXPECT_NEAR(sum / 1e5, 1, 0.01);
  EXPECT_NEAR(static_cast<double>(dropped) / 1e5, 0.2, 0.01);
}

TEST(Sinusoids, FollowTheFormula) {
  const Tensor table = nn::sinusoidal_table(3, 50, 6, DType::f64);
  ASSERT_EQ(table.shape(), (Shape{50, 6}));
  const auto numbers = table.to_vector<double>();
  for (Index t = 0; t < 50; ++t) {
    for (Index i = 0; i < 3; ++i) {
      const double angle = static_cast<double>(t + 3) / std::pow(10000.0, 2.0 * static_cast<double>(i) / 6);
      EXPECT_NEAR(numbers[static_cast<std::size_t>(t * 6 + 2 * i)], std::sin(angle), 1e-14);
      EXPECT_NEAR(numbers[static_cast<std::size_t>(t * 6 + 2 * i + 1)], std::cos(angle), 1e-14);
    }
  }
}

TEST(Sinusoids, StartAnywhereWithTheSameBits) {
  const Tensor whole = nn::sinusoidal_table(0, 40, 8);
  EXPECT_EQ(test::bytes_of(nn::sinusoidal_table(13, 20, 8)), test::bytes_of(slice(whole, 0, 13, 33)));
}

TEST(Sinusoids, OddWidthsEndWithASine) {
  const Tensor table = nn::sinusoidal_table(2, 1, 3, DType::f64);
  EXPECT_NEAR(table.to_vector<double>()[2], std::sin(2 / std::pow(10000.0, 2.0 / 3)), 1e-15);
}

}  // namespace
}  // namespace minnow
