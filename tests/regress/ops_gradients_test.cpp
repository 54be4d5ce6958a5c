// Faults of other engines around gradients, held as tests with the right values.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/linear.hpp"
#include "minnow/ops/reduction.hpp"
#include "minnow/ops/shape.hpp"

namespace minnow {
namespace {

using Numbers = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();

Tensor leaf(const Numbers& values, const Shape& shape, DType dtype = DType::f32) {
  return set_requires_grad(Tensor::from(values, shape).to(dtype));
}

// pytorch#31829, jax#6811: the gradient of logsumexp is NaN when all inputs are -inf.
TEST(RegressLogSumExp, AllMinusInfinityHasNoGradient) {
  for (DType dtype : {DType::f32, DType::f64}) {
    const Tensor x = leaf({-kInf, -kInf}, {2}, dtype);
    const Tensor y = logsumexp(x);
    EXPECT_EQ(y.item(), -kInf);
    backward(y);
    EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{0, 0}));

    const Tensor z = leaf({-kInf, 1}, {2}, dtype);
    const Tensor one = logsumexp(z);
    EXPECT_EQ(one.item(), 1);
    backward(one);
    EXPECT_EQ(grad(z).to_vector<double>(), (Numbers{0, 1}));
  }
}

// burn#181, pytorch#1787: backward fails or has the wrong shape after implicit broadcasting.
TEST(RegressBroadcast, GradientIsSummedOverBroadcastAxes) {
  const Tensor x = Tensor::full({2, 3}, 1);
  const Tensor w = leaf({1, 1, 1}, {3, 1});
  const Tensor b = leaf({0, 0, 0}, {1, 3});
  const Tensor loss = sum(square(matmul(x, w) + b));
  EXPECT_EQ(loss.item(), 54);
  backward(loss);
  EXPECT_EQ(grad(w).shape(), (Shape{3, 1}));
  EXPECT_EQ(grad(w).to_vector<double>(), (Numbers{36, 36, 36}));
  EXPECT_EQ(grad(b).shape(), (Shape{1, 3}));
  EXPECT_EQ(grad(b).to_vector<double>(), (Numbers{12, 12, 12}));
}

// pytorch#187297: the square root of the branch that is not chosen makes the gradient NaN.
TEST(RegressWhere, UnselectedBranchDoesNotPoisonTheGradient) {
  const Tensor x = leaf({-1, -4}, {2});
  backward(sum(where(gt(x, Tensor::zeros({})), sqrt(x), x)));
  EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{1, 1}));
}

TEST(RegressWhere, NeitherDoLogarithmsQuotientsAndPowers) {
  const Tensor zero = Tensor::zeros({});
  for (const auto& branch :
       {+[](const Tensor& x) { return log(x); }, +[](const Tensor& x) { return 1.0 / x; },
        +[](const Tensor& x) { return pow_scalar(x, 0.5); }, +[](const Tensor& x) { return pow(x, x); },
        +[](const Tensor& x) { return rsqrt(x); }, +[](const Tensor& x) { return logsumexp(log(x), {-1}); },
        +[](const Tensor& x) { return norm(sqrt(x), {-1}); }}) {
    const Tensor x = leaf({0, -3}, {2, 1});
    const Tensor other = branch(x);
    const Tensor own = other.rank() == 2 ? x : sum(x, {-1});
    backward(sum(where(gt(own, zero), other, own)));
    EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{1, 1}));
  }
}

// tensorflow#51681: ties of a maximum. amax shares, max_dim gives all to the first.
TEST(RegressMaximum, TiesShareOneGradient) {
  const Tensor x = leaf({0.6, 0.6, 0.3}, {3});
  backward(amax(x));
  EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{0.5, 0.5, 0}));

  const Tensor y = leaf({0.6, 0.6, 0.3}, {3});
  const auto [value, index] = max_dim(y, 0);
  EXPECT_EQ(index.item(), 0);
  backward(value);
  EXPECT_EQ(grad(y).to_vector<double>(), (Numbers{1, 0, 0}));
}

// pytorch#2421: the norm of zeros has a NaN gradient.
TEST(RegressNorm, GradientAtZeroIsZero) {
  const Tensor x = leaf({0, 0, 0}, {3});
  const Tensor y = norm(x);
  EXPECT_EQ(y.item(), 0);
  backward(y);
  EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{0, 0, 0}));

  const Tensor same = leaf({2, 2}, {2});
  backward(std_dev(same));
  EXPECT_EQ(grad(same).to_vector<double>(), (Numbers{0, 0}));
}

// pytorch#24413: a saved view is changed in place, and the gradient is silently wrong.
TEST(RegressInPlace, ChangingASavedViewIsAnError) {
  const Tensor x = leaf({1, 2, 3, 4, 5, 6}, {2, 3});
  Tensor turned = transpose(x, 0, 1);
  const Tensor loss = sum(turned * turned);
  turned.fill(9);
  EXPECT_THROW(backward(loss), ShapeError);
  clear_tape();

  Tensor base = x.alias();
  const Tensor again = sum(square(reshape(x, {6})));
  base.mutable_data<float>()[0] = 7;  // through another view of the same storage
  EXPECT_THROW(backward(again), ShapeError);
  clear_tape();
}

}  // namespace
}  // namespace minnow
