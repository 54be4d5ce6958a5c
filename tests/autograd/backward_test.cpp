#include "minnow/autograd/backward.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/linear.hpp"
#include "minnow/ops/reduction.hpp"
#include "minnow/ops/shape.hpp"

namespace minnow {
namespace {

using Numbers = std::vector<double>;

Tensor leaf(const Numbers& values, DType dtype = DType::f64) {
  return set_requires_grad(Tensor::from(values, {static_cast<Index>(values.size())}).to(dtype));
}

class Backward : public testing::Test {
 protected:
  void TearDown() override { clear_tape(); }
};

TEST_F(Backward, AddsUpEveryUseOfATensor) {
  const Tensor x = leaf({2, 3});
  backward(sum(x * x + x));
  EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{5, 7}));
  EXPECT_EQ(tape_size(), 0U);
}

TEST_F(Backward, AddsUpOverPassesUntilReset) {
  const Tensor x = leaf({2, 3});
  for (int i = 0; i < 3; ++i) backward(sum(x * 2.0));
  EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{6, 6}));
  set_grad(x, {});
  EXPECT_FALSE(grad(x).defined());
}

TEST_F(Backward, AddsIntoTheGivenBuffer) {
  const Tensor x = leaf({2, 3});
  const Tensor flat = Tensor::full({5}, 1, DType::f64);
  const Tensor buffer = flat.as_strided({2}, {1}, 2);
  set_grad(x, buffer);
  backward(sum(square(x)));
  EXPECT_EQ(flat.to_vector<double>(), (Numbers{1, 1, 5, 7, 1}));
  EXPECT_THROW(set_grad(x, Tensor::zeros({3}, DType::f64)), ShapeError);
  EXPECT_THROW(set_grad(x, Tensor::zeros({2}, DType::f32)), ShapeError);
}

TEST_F(Backward, WritesOverABufferThatIsUnwritten) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto first_gradient = [&](const std::function<Tensor(const Tensor&)>& loss) {
    const Tensor x = leaf({2, 3});
    const Tensor flat = Tensor::full({4}, nan, DType::f64);
    set_grad(x, flat.as_strided({2}, {1}, 1), GradientBuffer::kUnwritten);
    backward(loss(x));
    EXPECT_EQ(grad(x).storage(), flat.storage());
    return grad(x).to_vector<double>();
  };
  EXPECT_EQ(first_gradient([](const Tensor& x) { return sum(square(x)); }), (Numbers{4, 6}));      // written in place
  EXPECT_EQ(first_gradient([](const Tensor& x) { return sum(square(x) + x); }), (Numbers{5, 7}));  // then added to
  EXPECT_EQ(first_gradient([](const Tensor& x) { return sum(x * x); }), (Numbers{4, 6}));          // twice an input
  EXPECT_EQ(first_gradient([](const Tensor& x) { return sum(slice(x, 0, 1, 2)); }), (Numbers{0, 1}));  // a view
}

TEST_F(Backward, ClearsAnUnwrittenBufferThatNothingCameTo) {
  const Tensor x = leaf({2, 3});
  Tensor buffer = Tensor::full({2}, 7, DType::f64);
  set_grad(x, buffer, GradientBuffer::kUnwritten);
  EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{0, 0}));
  backward(sum(x));
  EXPECT_EQ(buffer.to_vector<double>(), (Numbers{1, 1}));
  backward(sum(x));
  EXPECT_EQ(buffer.to_vector<double>(), (Numbers{2, 2}));
}

TEST_F(Backward, ReachesOnlyWhatTheResultDependsOn) {
  const Tensor x = leaf({1});
  const Tensor y = leaf({1});
  const Tensor constant = Tensor::full({1}, 5, DType::f64);
  const Tensor unused = y * 3.0;
  backward(sum(x * constant));
  EXPECT_EQ(grad(x).item(), 5);
  EXPECT_FALSE(grad(y).defined());
  EXPECT_FALSE(requires_grad(constant));
  backward(sum(unused));  // another result on the same tape still has its graph
  EXPECT_EQ(grad(y).item(), 3);
}

TEST_F(Backward, WalksAgainWithRetainGraphOnly) {
  const Tensor x = leaf({2, 3});
  const Tensor loss = sum(square(x));
  backward(loss, {.seed = {}, .retain_graph = true});
  backward(loss);
  EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{8, 12}));
  EXPECT_THROW(backward(loss), ShapeError);
}

TEST_F(Backward, RefusesWhatHasNoGradient) {
  const Tensor x = leaf({2, 3});
  EXPECT_THROW(backward(x), ShapeError);
  EXPECT_THROW(backward(Tensor::zeros({})), ShapeError);
  const Tensor y = x * 2.0;
  EXPECT_THROW(backward(y), ShapeError);  // no scalar, no seed
  EXPECT_THROW(backward(y, {.seed = Tensor::zeros({3}, DType::f64)}), ShapeError);
  backward(y, {.seed = Tensor::from<double>({10, 100}, {2})});
  EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{20, 200}));
  EXPECT_THROW(set_requires_grad(Tensor::zeros({2}, DType::i64)), ShapeError);
}

TEST_F(Backward, AGraphThatWasUsedUpCannotGoOn) {
  const Tensor x = leaf({2});
  const Tensor y = square(x);
  backward(sum(y));
  EXPECT_THROW((void)(y * 2.0), ShapeError);
  EXPECT_NO_THROW((void)(detach(y) * 2.0));
  const Tensor z = square(x);
  clear_tape();
  EXPECT_THROW((void)(z * 2.0), ShapeError);
}

TEST_F(Backward, NoGradRecordsNothingAndDetachCuts) {
  const Tensor x = leaf({2});
  {
    const NoGrad off;
    EXPECT_FALSE(grad_enabled());
    EXPECT_FALSE(requires_grad(square(x)));
    { const NoGrad nested; }
    EXPECT_FALSE(grad_enabled());
  }
  EXPECT_TRUE(grad_enabled());
  EXPECT_EQ(tape_size(), 0U);
  backward(sum(x * detach(square(x))));
  EXPECT_EQ(grad(x).item(), 4);  // not 12
  EXPECT_EQ(detach(x).raw(), x.raw());
}

TEST_F(Backward, FrozenLeavesAreConstants) {
  const Tensor x = leaf({2});
  const Tensor w = leaf({3});
  set_requires_grad(w, false);
  backward(sum(x * w));
  EXPECT_EQ(grad(x).item(), 3);
  EXPECT_FALSE(grad(w).defined());
}

TEST_F(Backward, KeepsGradientsOfResultsOnRequest) {
  const Tensor x = leaf({2, 3});
  const Tensor y = square(x);
  retain_grad(y);
  backward(sum(y * 5.0));
  EXPECT_EQ(grad(y).to_vector<double>(), (Numbers{5, 5}));
}

TEST_F(Backward, HooksSeeTheCompleteGradientAndMayReplaceIt) {
  const Tensor x = leaf({2});
  const Tensor y = square(x);
  Numbers seen;
  register_hook(y, [&](const Tensor& g) {
    seen.push_back(g.item());
    return Tensor();
  });
  register_hook(y, [](const Tensor& g) { return g * 10.0; });
  Numbers at_leaf;
  register_hook(x, [&](const Tensor& g) {
    at_leaf.push_back(g.item());
    return Tensor();
  });
  backward(sum(y * 3.0 + y));
  EXPECT_EQ(seen, (Numbers{4}));       // both uses of y, once
  EXPECT_EQ(at_leaf, (Numbers{160}));  // 4 * 10 * 2x
  EXPECT_EQ(grad(x).item(), 160);
  backward(sum(x * 1.0));
  EXPECT_EQ(at_leaf, (Numbers{160, 1}));  // the sum of that pass alone
  EXPECT_EQ(grad(x).item(), 161);
  register_hook(x, [](const Tensor&) { return Tensor::zeros({7}, DType::f64); });
  EXPECT_THROW(backward(sum(x * 1.0)), ShapeError);
  EXPECT_THROW(register_hook(Tensor::zeros({1}), nullptr), ShapeError);
}

TEST_F(Backward, GradientsFlowThroughViewsWithoutMixing) {
  const Tensor x = leaf({1, 2, 3, 4, 5, 6});
  const Tensor grid = reshape(x, {2, 3});
  const Tensor y = slice(grid, 1, 1, 3) + slice(grid, 1, 0, 2);  // overlapping views
  backward(sum(y * transpose(reshape(x, {2, 2 + 1}), 0, 1).as_strided({2, 2}, {0, 0}, 0)));
  EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{1, 2, 1, 1, 2, 1}));
}

TEST_F(Backward, ExpandedGradientsAreSummedNotShared) {
  const Tensor x = leaf({1, 2});
  const Tensor wide = expand(x, {3, 2});
  backward(sum(wide * wide + wide));
  EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{9, 15}));
}

TEST_F(Backward, CastsCarryGradientsInTheTypeOfTheirInput) {
  const Tensor x = leaf({1.5, 2.25}, DType::f32);
  const Tensor half = cast(x, DType::bf16);
  backward(sum(cast(half, DType::f64) * 3.0 + cast(half, DType::f64)));
  EXPECT_EQ(grad(x).dtype(), DType::f32);
  EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{4, 4}));
  EXPECT_THROW((void)(half + half), ShapeError);  // no arithmetic in bf16
  EXPECT_THROW((void)(x + cast(x, DType::f64)), ShapeError);
}

TEST_F(Backward, AnEmptyHandleIsRefusedNotFollowed) {
  const Tensor x = leaf({1, 2});
  EXPECT_THROW((void)(0.5 * grad(x)), ShapeError);  // no backward reached x: grad is an empty handle
  EXPECT_THROW((void)(Tensor() + x), ShapeError);
  EXPECT_THROW((void)sum(Tensor()), ShapeError);
}

}  // namespace
}  // namespace minnow
