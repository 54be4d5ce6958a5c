// Faults of other engines around values, sizes and roundings, held as tests with the right values.

#include <gtest/gtest.h>

#include <cmath>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "minnow/nn/layers.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/norm.hpp"
#include "minnow/ops/position.hpp"
#include "minnow/ops/reduction.hpp"

namespace minnow {
namespace {

// burn#5607: rows with a large mean are normalised wrongly when the variance is E[x^2] - E[x]^2.
TEST(RegressLayerNorm, LargeMeansAreRight) {
  struct Row {
    float mean;
    double first, tolerance;
  };
  for (const Row& row :
       {Row{0, -1.34164, 1e-4}, Row{100, -1.34153, 1e-3}, Row{1000, -1.34151, 2e-3}, Row{10000, -1.33133, 2e-3}}) {
    std::vector<float> numbers;
    for (int i = 0; i < 16; ++i) numbers.push_back(row.mean + static_cast<float>(i) * 0.001F);
    const Tensor y = layer_norm(Tensor::from(numbers, {1, 16}), {16}, {}, {}, 1e-5);
    EXPECT_NEAR(y.to_vector<double>()[0], row.first, row.tolerance) << row.mean;
  }
}

// candle#900: two functions are called GELU.
TEST(RegressGelu, BothFormsHaveTheirOwnName) {
  const Tensor one = Tensor::full({}, 1);
  EXPECT_NEAR(gelu_erf(one).item(), 0.841345, 1e-6);
  EXPECT_NEAR(gelu_tanh(one).item(), 0.841192, 1e-6);
}

// universal#1133, tt-metal#19882: bf16 by truncation.
TEST(RegressBfloat16, RoundsToNearestEven) {
  const auto rounded = [](float x) {
    return cast(cast(Tensor::full({}, static_cast<double>(x)), DType::bf16), DType::f32).item();
  };
  EXPECT_EQ(rounded(0.2691408770F), 0.26953125);
  EXPECT_EQ(rounded(3.14F), 3.140625);
  EXPECT_NEAR(rounded(1e-8F), 1.001172e-8, 1e-14);
  EXPECT_EQ(rounded(1.00390625F), 1.0);       // half way: to even
  EXPECT_EQ(rounded(1.01171875F), 1.015625);  // half way: to even
  EXPECT_TRUE(std::isnan(rounded(NAN)));
  EXPECT_EQ(rounded(INFINITY), INFINITY);
}

// mxnet#16560: sizes beyond 2^31 elements wrap.
TEST(RegressSizes, ManyElementsAreCountedOrRefused) {
  const Shape large{4, 256, 256, 100, 100};
  EXPECT_EQ(large.numel(), 2621440000);
  try {
    const Tensor x = Tensor::empty(large, DType::boolean);  // never written to: costs no memory
    EXPECT_EQ(x.numel(), 2621440000);
    EXPECT_EQ(x.strides()[0], 655360000);
  } catch (const MemoryError&) {  // refused is right too
  }
  const Index huge = Index{1} << 62;
  EXPECT_EQ((Shape{huge, 1}).numel(), huge);
  EXPECT_THROW((void)Tensor::empty({huge}, DType::f64), MemoryError);
  EXPECT_THROW((void)(Shape{huge, 2}).numel(), ShapeError);
  EXPECT_THROW((void)Tensor::empty({huge, huge}), ShapeError);
  EXPECT_THROW((void)Tensor::empty({-1}), ShapeError);
  EXPECT_EQ((Shape{huge, huge, 0}).numel(), 0);
}

// gpt-neox#1003: angles formed in half precision put far positions elsewhere; at 1857 the cosine of pair 1 became
// -0.40816. Angles in f32 are off by 1e-5 already.
TEST(RegressRope, AnglesOfFarPositionsAreRight) {
  constexpr Index kDim = 32, kPosition = 1857;
  const double angle = static_cast<double>(kPosition) * std::pow(10000.0, -2.0 / kDim);
  EXPECT_NEAR(angle, 1044.2678, 5e-5);
  EXPECT_NEAR(std::cos(angle), 0.30669, 5e-6);
  const Tensor place = Tensor::from(std::vector<std::int64_t>{kPosition}, {1});
  for (const RopePairs pairs : {RopePairs::kHalves, RopePairs::kInterleaved}) {
    const std::size_t first = pairs == RopePairs::kHalves ? 1 : 2;  // the channels of pair 1
    const std::size_t second = pairs == RopePairs::kHalves ? 1 + kDim / 2 : 3;
    std::vector<float> unit(kDim, 0.0F);
    unit[first] = 1;
    const std::vector<float> turned = rope(Tensor::from(unit, {1, kDim}), place, {.pairs = pairs}).to_vector<float>();
    EXPECT_NEAR(turned[first], std::cos(angle), 1e-7);
    EXPECT_NEAR(turned[second], std::sin(angle), 1e-7);
  }
  const Tensor table = nn::rotary_table(kPosition, 1, kDim, 10000);  // what a model turns by
  const std::vector<float> row = table.to_vector<float>();
  EXPECT_NEAR(row[1], std::cos(angle), 1e-7);
  EXPECT_NEAR(row[1 + kDim / 2], std::sin(angle), 1e-7);
}

// The mean of nothing is NaN, as in NumPy; the sum is 0; there is no largest element.
TEST(RegressEmpty, ReducingNothingIsDecided) {
  const Tensor none = set_requires_grad(Tensor::zeros({0, 3}));
  EXPECT_TRUE(std::isnan(mean(none).item()));
  EXPECT_EQ(sum(none).item(), 0);
  EXPECT_EQ(prod(none).item(), 1);
  EXPECT_EQ(norm(none).item(), 0);
  EXPECT_EQ(logsumexp(none).item(), -INFINITY);
  for (double value : mean(none, {0}).to_vector<double>()) EXPECT_TRUE(std::isnan(value));
  EXPECT_THROW((void)amax(none), ShapeError);
  EXPECT_THROW((void)argmax(none, 0), ShapeError);
  backward(mean(none));
  EXPECT_EQ(grad(none).shape(), (Shape{0, 3}));
}

// Sums in f32 lose small addends; ours are taken in f64 and rounded once.
TEST(RegressSum, LongSumsKeepTheirDigits) {
  const Index n = Index{1} << 22;
  const Tensor x = Tensor::full({n}, 0.1);
  const double exact = static_cast<double>(0.1F) * static_cast<double>(n);
  EXPECT_EQ(sum(x).item(), static_cast<double>(static_cast<float>(exact)));
  EXPECT_EQ(mean(x).item(), static_cast<double>(0.1F));
}

}  // namespace
}  // namespace minnow
