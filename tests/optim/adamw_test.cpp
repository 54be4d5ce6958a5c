#include "minnow/optim/adamw.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "minnow/base/error.hpp"
#include "support/tiny_model.hpp"

namespace minnow {
namespace {

/// Algorithm 2 of the paper, one number, in double.
struct Plain {
  double p, m = 0, v = 0;
  int steps = 0;
  void step(double g, double lr, const AdamWOptions& o, bool decays) {
    ++steps;
    m = o.beta1 * m + (1 - o.beta1) * g;
    v = o.beta2 * v + (1 - o.beta2) * g * g;
    const double m_hat = m / (1 - std::pow(o.beta1, steps));
    const double v_hat = v / (1 - std::pow(o.beta2, steps));
    p -= lr * (m_hat / (std::sqrt(v_hat) + o.eps) + (decays ? o.weight_decay * p : 0));
  }
};

TEST(AdamW, FollowsThePaperForDecayedAndPlainNumbers) {
  const AdamWOptions options{.beta1 = 0.9, .beta2 = 0.95, .eps = 1e-6, .weight_decay = 0.1};
  for (const DType dtype : {DType::f32, DType::f64}) {
    AdamW adamw(4, 2, options, dtype);
    Tensor parameters = Tensor::from<double>({1, -2, 3, 0.5}, {4}).to(dtype);
    std::vector<Plain> plain = {{1}, {-2}, {3}, {0.5}};
    for (int step = 0; step < 50; ++step) {
      std::vector<double> gradients;
      for (int i = 0; i < 4; ++i) gradients.push_back(std::sin(step * 1.7 + i) * (i == 3 ? 1e-4 : 2));
      const double lr = 1e-2 / (1 + step);
      adamw.step(parameters, Tensor::from(gradients, {4}).to(dtype), lr);
      for (std::size_t i = 0; i < 4; ++i) plain[i].step(gradients[i], lr, options, i < 2);
    }
    const auto got = parameters.to_vector<double>();
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(got[i], plain[i].p, (dtype == DType::f64 ? 1e-13 : 2e-6) * std::abs(plain[i].p)) << i;
    }
    EXPECT_EQ(adamw.steps(), 50);
  }
}

TEST(AdamW, GoesOnFromASavedState) {
  const AdamWOptions options;
  AdamW straight(3, 3, options);
  Tensor a = Tensor::full({3}, 1);
  const Tensor g = Tensor::from<float>({1, -2, 0.25F}, {3});
  for (int i = 0; i < 3; ++i) straight.step(a, g, 0.1);
  AdamW resumed(3, 3, options);
  Tensor b = a.clone();
  resumed.exp_avg().copy_from(straight.exp_avg());
  resumed.exp_avg_sq().copy_from(straight.exp_avg_sq());
  resumed.set_steps(straight.steps());
  straight.step(a, g, 0.1);
  resumed.step(b, g, 0.1);
  EXPECT_EQ(test::bytes_of(a), test::bytes_of(b));
}

TEST(AdamW, ScalesGradientsBeforeAnythingElse) {
  AdamW one(2, 0, {});
  AdamW other(2, 0, {});
  Tensor a = Tensor::full({2}, 1);
  Tensor b = Tensor::full({2}, 1);
  one.step(a, Tensor::from<float>({8, -4}, {2}), 0.1, 0.25);
  other.step(b, Tensor::from<float>({2, -1}, {2}), 0.1);
  EXPECT_EQ(test::bytes_of(a), test::bytes_of(b));
  EXPECT_EQ(test::bytes_of(one.exp_avg_sq()), test::bytes_of(other.exp_avg_sq()));
}

TEST(AdamW, RefusesBuffersOfAnotherSizeOrType) {
  AdamW adamw(3, 3, {});
  Tensor right = Tensor::zeros({3});
  Tensor longer = Tensor::zeros({4});
  Tensor wide = Tensor::zeros({3}, DType::f64);
  EXPECT_THROW(adamw.step(longer, right, 0.1), ShapeError);
  EXPECT_THROW(adamw.step(right, longer, 0.1), ShapeError);
  EXPECT_THROW(adamw.step(wide, wide, 0.1), ShapeError);
  EXPECT_EQ(adamw.steps(), 0);
}

}  // namespace
}  // namespace minnow
