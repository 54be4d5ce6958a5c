// The umbrella header alone is enough to build, train and use a model.

#include <gtest/gtest.h>

#include <minnow/minnow.hpp>

namespace minnow {
namespace {

TEST(Umbrella, ALineIsFittedInTenLines) {
  Tensor weight = set_requires_grad(Tensor::zeros({1, 1}));
  const Tensor x = Tensor::from(std::vector<float>{1, 2, 3, 4}, {4, 1});
  const Tensor y = Tensor::from(std::vector<float>{3, 6, 9, 12}, {4, 1});
  for (int step = 0; step < 50; ++step) {
    set_grad(weight, {});
    backward(mean(square(linear(x, weight) - y)));
    const NoGrad no_grad;
    weight.copy_from(weight - mul_scalar(grad(weight), 0.05));
  }
  EXPECT_NEAR(weight.item(), 3.0, 1e-4);
}

}  // namespace
}  // namespace minnow
