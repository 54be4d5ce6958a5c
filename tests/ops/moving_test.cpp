// What the operations that move numbers make of NaN, of positions and of empty lists.

#include <gtest/gtest.h>

#include <cmath>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "minnow/ops/attention.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/position.hpp"
#include "minnow/ops/reduction.hpp"
#include "minnow/ops/shape.hpp"

namespace minnow {
namespace {

using Numbers = std::vector<double>;

Tensor leaf(const Numbers& values, const Shape& shape) { return set_requires_grad(Tensor::from(values, shape)); }

TEST(Triangles, DropNaN) {
  const Tensor x = leaf({1, NAN, 2, 3}, {2, 2});
  const Tensor y = tril(x);
  EXPECT_EQ(y.to_vector<double>(), (Numbers{1, 0, 2, 3}));
  backward(sum(y));
  EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{1, 0, 1, 1}));
  EXPECT_EQ(triu(Tensor::from(Numbers{1, 2, NAN, 3}, {2, 2})).to_vector<double>(), (Numbers{1, 2, 0, 3}));
}

TEST(MaskedFill, HidesWhatIsUnderTheMask) {
  const Tensor x = leaf({NAN, 2}, {2});
  Tensor mask = Tensor::zeros({2}, DType::boolean);
  mask.mutable_data<bool>()[0] = true;
  const Tensor y = masked_fill(x, mask, -INFINITY);
  EXPECT_EQ(y.to_vector<double>(), (Numbers{-INFINITY, 2}));
  backward(y, {.seed = Tensor::from(Numbers{NAN, 3}, {2})});
  EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{0, 3}));
}

TEST(Split, SendsNothingBackThroughPartsNotUsed) {
  const Tensor x = leaf({1, 2, 3, 4}, {4});
  const std::vector<Tensor> parts = split(x, 0, {1, 2, 1});
  ASSERT_EQ(parts.size(), 3U);
  backward(sum(parts[1] * 5.0));
  EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{0, 5, 5, 0}));
  EXPECT_THROW((void)split_equal(x, 0, 3), ShapeError);
}

TEST(Concat, TakesIds) {
  const Tensor a = Tensor::from(std::vector<std::int64_t>{1, 2}, {2});
  const Tensor b = Tensor::from(std::vector<std::int64_t>{3}, {1});
  EXPECT_EQ(concat({a, b}, 0).to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_THROW((void)concat({a, Tensor::zeros({1})}, 0), ShapeError);
}

TEST(ScatterAdd, AddsInTheOrderOfTheIndex) {
  const Tensor x = Tensor::from(std::vector<float>{1e8F, 0}, {2});
  const Tensor index = Tensor::from(std::vector<std::int64_t>{0, 0, 1}, {3});
  const Tensor source = Tensor::from(std::vector<float>{-1e8F, 1, 7}, {3});
  EXPECT_EQ(scatter_add(x, 0, index, source).to_vector<float>(), (std::vector<float>{1, 7}));
}

// A rotary embedding says how far apart two tokens are, not where they stand.
TEST(Rope, ScoresDependOnDistancesAlone) {
  const Tensor q = Tensor::from(Numbers{0.3, -1, 2, 0.5, 1, 1}, {1, 6});
  const Tensor k = Tensor::from(Numbers{1, 0.2, -0.7, 2, -1, 0.1}, {1, 6});
  const auto score = [&](RopePairs pairs, std::int64_t query, std::int64_t key) {
    const auto at = [&](const Tensor& x, std::int64_t place) {
      return rope(x, Tensor::from(std::vector<std::int64_t>{place}, {1}), {.pairs = pairs});
    };
    return sum(at(q, query) * at(k, key)).item();
  };
  for (RopePairs pairs : {RopePairs::kHalves, RopePairs::kInterleaved}) {
    EXPECT_NEAR(score(pairs, 7, 3), score(pairs, 1004, 1000), 1e-11);
    EXPECT_NEAR(score(pairs, 5, 5), sum(q * k).item(), 1e-12);
    EXPECT_GT(std::abs(score(pairs, 7, 3) - score(pairs, 3, 7)), 0.01);
  }
}

TEST(T5Bucket, PutsExactPowersIntoTheUpperBucket) {
  const Tensor distances = Tensor::from(std::vector<std::int64_t>{-16, -15, -32, -31, -64, -63, 16, 0, -500}, {9});
  EXPECT_EQ(t5_bucket(distances).to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{10, 9, 12, 11, 14, 13, 26, 0, 15}));
}

TEST(LinearAttention, WithoutKeysGivesZero) {
  const Tensor q = set_requires_grad(Tensor::full({1, 1, 3, 2}, 1, DType::f64));
  const Tensor none = Tensor::zeros({1, 1, 0, 2}, DType::f64);
  const Tensor y = linear_attention(q, none, none);
  EXPECT_EQ(y.to_vector<double>(), Numbers(6, 0.0));
  backward(sum(y));
  EXPECT_EQ(grad(q).to_vector<double>(), Numbers(6, 0.0));
}

}  // namespace
}  // namespace minnow
