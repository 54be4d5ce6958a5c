#include "minnow/autograd/gradient_check.hpp"

#include <gtest/gtest.h>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "minnow/ops/elementwise.hpp"

namespace minnow {
namespace {

const Tensor& numbers() {
  static const Tensor made = Tensor::from(std::vector<double>{0.5, -1.5, 2, 3}, {4});
  return made;
}

TEST(GradientCheck, AcceptsWhatIsRight) {
  const Tensor other = Tensor::from(std::vector<double>{2, 0.25}, {2, 1});
  const GradientCheck worst =
      check_gradient([](std::span<const Tensor> in) { return exp(in[0]) * in[1]; }, {numbers(), other});
  EXPECT_LT(worst.relative, 1e-9) << worst.str();
  EXPECT_EQ(tape_size(), 0U);
}

TEST(GradientCheck, FindsAFactorThatIsMissing) {
  const auto wrong = [](std::span<const Tensor> in) { return in[0] * detach(in[0]); };  // slope x instead of 2x
  const GradientCheck worst = check_gradient(wrong, {numbers()});
  EXPECT_NEAR(worst.relative, 0.5, 1e-6) << worst.str();
  EXPECT_NEAR(worst.backward * 2, worst.differences, 1e-9);
}

TEST(GradientCheck, FindsAGradientThatDoesNotFlow) {
  const auto cut = [](std::span<const Tensor> in) { return in[0] + detach(in[1]); };
  EXPECT_EQ(check_gradient(cut, {numbers(), numbers()}).input, 1U);
}

TEST(GradientCheck, AsksForDoubles) {
  const auto same = [](std::span<const Tensor> in) { return in[0]; };
  EXPECT_THROW((void)check_gradient(same, {numbers().to(DType::f32)}), ShapeError);
}

}  // namespace
}  // namespace minnow
