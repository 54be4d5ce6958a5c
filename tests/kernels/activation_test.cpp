#include "minnow/kernels/activation.hpp"

#include "kernels/targets.hpp"

namespace minnow {
namespace {

using kernels::Activation;
using test::for_each_target;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr Activation kAll[] = {Activation::kRelu, Activation::kGeluTanh, Activation::kGeluErf, Activation::kSilu};

std::vector<float> points() {
  std::vector<float> x = test::Numbers(3).array<float>(20000, -15, 15);
  const auto wide = test::Numbers(4).array<float>(2000, -200, 200);
  x.insert(x.end(), wide.begin(), wide.end());
  x.insert(x.end(), {0.0F, -0.0F, 1e-45F, -1e-40F, 3e38F, -3e38F, 1e13F, -1e13F, kInf, -kInf});
  return x;
}

// value: 4 ulp or 1e-7 |x|; slope: 5e-7.
void compare(Activation kind, const std::vector<float>& x) {
  const auto n = static_cast<Index>(x.size());
  const std::vector<double> wide(x.begin(), x.end());
  const std::vector<float> ones(x.size(), 1.0F);
  const std::vector<double> wide_ones(x.size(), 1.0);
  std::vector<float> y(x.size());
  std::vector<double> want(x.size());
  kernels::activation_forward(kind, y.data(), x.data(), n);
  kernels::activation_forward(kind, want.data(), wide.data(), n);
  for (size_t i = 0; i < x.size(); ++i) {
    const bool near = test::ulp_error(y[i], want[i]) <= 4 || std::fabs(y[i] - want[i]) <= 1e-7 * std::fabs(wide[i]);
    ASSERT_TRUE(near) << int(kind) << ": f(" << x[i] << ") = " << y[i] << ", expected " << want[i];
  }
  kernels::activation_backward(kind, y.data(), x.data(), ones.data(), n);
  kernels::activation_backward(kind, want.data(), wide.data(), wide_ones.data(), n);
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_NEAR(y[i], want[i], 5e-7) << int(kind) << ": f'(" << x[i] << ")";
  }
}

TEST(Activation, AgreesWithTheReferenceOnEveryInstructionSet) {
  for_each_target([] {
    for (const Activation kind : kAll) compare(kind, points());
  });
}

TEST(Activation, KnowsTheTwoFormsOfGelu) {
  for_each_target([] {
    const float one = 1;
    float erf_form = 0;
    float tanh_form = 0;
    kernels::activation_forward(Activation::kGeluErf, &erf_form, &one, 1);
    kernels::activation_forward(Activation::kGeluTanh, &tanh_form, &one, 1);
    EXPECT_NEAR(erf_form, 0.841345, 1e-6);
    EXPECT_NEAR(tanh_form, 0.841192, 1e-6);
  });
}

TEST(Activation, DerivativeMatchesCentralDifferencesInDouble) {
  for (const Activation kind : kAll) {
    for (double x = -6.05; x < 6; x += 0.1) {
      const double h = 1e-5;
      const double both[2] = {x - h, x + h};
      double y[2];
      kernels::activation_forward(kind, y, both, 2);
      const double one = 1;
      double slope = 0;
      kernels::activation_backward(kind, &slope, &x, &one, 1);
      EXPECT_NEAR(slope, (y[1] - y[0]) / (2 * h), 1e-8);
    }
  }
}

TEST(Activation, NanComesThrough) {
  for_each_target([] {
    for (const Activation kind : kAll) {
      const std::vector<float> x(17, std::numeric_limits<float>::quiet_NaN());
      std::vector<float> y(17);
      kernels::activation_forward(kind, y.data(), x.data(), 17);
      for (const float value : y) EXPECT_TRUE(std::isnan(value)) << int(kind);
      if (kind == Activation::kRelu) continue;  // its derivative reads the sign alone
      kernels::activation_backward(kind, y.data(), x.data(), std::vector<float>(17, 1.0F).data(), 17);
      for (const float value : y) EXPECT_TRUE(std::isnan(value)) << int(kind);
    }
  });
}

TEST(Activation, AddsAndAssignsWithinTheArray) {
  for_each_target([] {
    for (const Activation kind : kAll) {
      for (const Index n : test::kLengths) {
        test::Guarded<float> x(n, 1);
        test::Guarded<float> y(n, 3);
        test::Guarded<float> added(n, 2);
        test::Guarded<float> dout(n, 1);
        for (Index i = 0; i < n; ++i) {
          x[i] = static_cast<float>(i % 9) - 4.0F;
          dout[i] = 0.5F + static_cast<float>(i % 4);
          added[i] = 2.0F;
        }
        kernels::activation_forward(kind, y.data(), x.data(), n);
        kernels::activation_forward(kind, added.data(), x.data(), n, true);
        for (Index i = 0; i < n; ++i) ASSERT_EQ(added[i], 2.0F + y[i]);
        kernels::activation_backward(kind, y.data(), x.data(), dout.data(), n);
        for (Index i = 0; i < n; ++i) added[i] = -1.0F;
        kernels::activation_backward(kind, added.data(), x.data(), dout.data(), n, true);
        for (Index i = 0; i < n; ++i) ASSERT_EQ(added[i], -1.0F + y[i]);
      }
    }
  });
}

TEST(Activation, SameBitsAtAnyThreadCount) {
  const auto x = test::Numbers(8).array<float>(50001, -8, 8);
  for (const Activation kind : kAll) {
    test::expect_same_bits_at_any_thread_count([&] {
      std::vector<float> y(x.size());
      kernels::activation_forward(kind, y.data(), x.data(), 50001);
      kernels::activation_backward(kind, y.data(), x.data(), y.data(), 50001, true);
      return y;
    });
  }
}

TEST(Swiglu, TakesHalvesOfOneArrayAndAgreesWithTheReference) {
  for_each_target([] {
    for (const Index n : {1, 7, 16, 33}) {
      const Index rows = 5;
      const auto x = test::Numbers(6).array<float>(rows * 2 * n, -6, 6);
      const auto dout = test::Numbers(7).array<float>(rows * n, -1, 1);
      const std::vector<double> wide(x.begin(), x.end());
      const std::vector<double> wide_dout(dout.begin(), dout.end());
      std::vector<float> y(dout.size());
      std::vector<double> want(dout.size());
      kernels::swiglu_forward(y.data(), n, x.data(), x.data() + n, 2 * n, rows, n);
      kernels::swiglu_forward(want.data(), n, wide.data(), wide.data() + n, 2 * n, rows, n);
      for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], want[i], 5e-6);
      std::vector<float> dx(x.size(), 1.0F);
      std::vector<double> want_dx(x.size(), 1.0);
      kernels::swiglu_backward(dx.data(), dx.data() + n, x.data(), x.data() + n, 2 * n, dout.data(), n, rows, n, true);
      kernels::swiglu_backward(want_dx.data(), want_dx.data() + n, wide.data(), wide.data() + n, 2 * n,
                               wide_dout.data(), n, rows, n, true);
      for (size_t i = 0; i < dx.size(); ++i) EXPECT_NEAR(dx[i], want_dx[i], 5e-6);
    }
  });
}

}  // namespace
}  // namespace minnow
