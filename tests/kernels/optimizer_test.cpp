#include "minnow/kernels/optimizer.hpp"

#include <numeric>

#include "kernels/targets.hpp"

namespace minnow {
namespace {

using test::for_each_target;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class T>
struct State {
  std::vector<T> param, grad, m, v;

  explicit State(Index n) {
    test::Numbers numbers(11);
    const auto array = [&](double low, double high) {
      const auto narrow = numbers.array<float>(n, low, high);
      return std::vector<T>(narrow.begin(), narrow.end());
    };
    param = array(-1, 1);
    grad = array(-0.1, 0.1);
    m = array(-0.01, 0.01);
    v = array(0, 0.001);
  }
  void step(const kernels::AdamWStep& args) {
    kernels::adamw_step(param.data(), grad.data(), m.data(), v.data(), static_cast<Index>(param.size()), args);
  }
};

TEST(AdamW, AgreesWithTheReferenceOnEveryInstructionSet) {
  for_each_target([] {
    for (const Index n : test::kLengths) {
      State<float> fast(n);
      State<double> plain(n);
      for (std::int64_t step = 1; step <= 5; ++step) {
        const kernels::AdamWStep args = {0.01, 0.9, 0.99, 1e-8, 0.1, step, 0.5};
        fast.step(args);
        plain.step(args);
      }
      for (size_t i = 0; i < fast.param.size(); ++i) {
        ASSERT_NEAR(fast.param[i], plain.param[i], 2e-6);
        ASSERT_NEAR(fast.m[i], plain.m[i], 1e-8);
        ASSERT_NEAR(fast.v[i], plain.v[i], 1e-9);
      }
    }
  });
}

TEST(AdamW, FirstStepMovesByTheLearningRate) {
  double param = 1;
  const double grad = -3;
  double m = 0;
  double v = 0;
  kernels::adamw_step(&param, &grad, &m, &v, 1, {.lr = 0.1, .eps = 0, .weight_decay = 0.5});
  EXPECT_NEAR(param, 1 * (1 - 0.1 * 0.5) + 0.1, 1e-12);
}

TEST(AdamW, ZeroGradientDecaysAndNothingElse) {
  for_each_target([] {
    std::vector<float> param = {1, -2, 0.5F};
    const std::vector<float> before = param;
    const std::vector<float> grad(3);
    std::vector<float> m(3);
    std::vector<float> v(3);
    kernels::adamw_step(param.data(), grad.data(), m.data(), v.data(), 3, {.lr = 1e-3});
    EXPECT_TRUE(test::same_bits(param, before));
    kernels::adamw_step(param.data(), grad.data(), m.data(), v.data(), 3, {.lr = 1e-3, .weight_decay = 0.1});
    for (size_t i = 0; i < 3; ++i) EXPECT_FLOAT_EQ(param[i], before[i] * 0.9999F);
  });
}

TEST(Flat, SameBitsAtAnyThreadCount) {
  const Index n = 5 * kernels::kFlatChunk + 77;
  const auto x = test::Numbers(1).array<float>(n, -2, 2);
  test::expect_same_bits_at_any_thread_count([&] {
    State<float> state(n);
    state.step({.step = 3});
    std::vector<double> scratch(static_cast<size_t>(kernels::flat_chunks(n)));
    std::vector<double> all(state.param.begin(), state.param.end());
    all.push_back(kernels::sum_of_squares(x.data(), n, scratch.data()));
    all.push_back(kernels::sum(x.data(), n, scratch.data()));
    all.push_back(kernels::dot(x.data(), state.param.data(), n, scratch.data()));
    return all;
  });
}

TEST(Flat, SumsAreRightAndOfEqualBitsOnEveryInstructionSet) {
  for (const Index n : {0, 1, 15, 16, 17, 100, 16384, 16385, 40000}) {
    const auto x = test::Numbers(3).array<float>(n, -2, 2);
    const auto y = test::Numbers(4).array<float>(n, -2, 2);
    const double want = std::inner_product(
        x.begin(), x.end(), y.begin(), 0.0, [](double a, double b) { return a + b; },
        [](float a, float b) { return double(a) * double(b); });
    std::vector<double> results;
    std::vector<double> scratch(static_cast<size_t>(kernels::flat_chunks(n)));
    for_each_target([&] {
      results.push_back(kernels::dot(x.data(), y.data(), n, scratch.data()));
      EXPECT_NEAR(results.back(), want, 1e-10);
      EXPECT_NEAR(kernels::sum(x.data(), n, scratch.data()), std::accumulate(x.begin(), x.end(), 0.0), 1e-10);
    });
    for (const double result : results) EXPECT_EQ(result, results.front());
  }
}

TEST(Flat, LargeGradientsDoNotOverflow) {
  for_each_target([] {
    std::vector<double> scratch(1);
    const std::vector<float> x(100, 1e20F);
    EXPECT_NEAR(std::sqrt(kernels::sum_of_squares(x.data(), 100, scratch.data())), 1e21, 1e15);
    const std::vector<float> largest(19, std::numeric_limits<float>::max());
    EXPECT_TRUE(std::isfinite(kernels::sum_of_squares(largest.data(), 19, scratch.data())));
  });
}

TEST(Flat, FindsTheLargestMagnitude) {
  for_each_target([] {
    for (const Index n : test::kLengths) {
      std::vector<float> scratch(1);
      test::Guarded<float> x(n, 1);
      for (Index i = 0; i < n; ++i) x[i] = 0.5F;
      EXPECT_EQ(kernels::max_abs(x.data(), n, scratch.data()), n == 0 ? 0.0F : 0.5F);
      for (Index i = 0; i < n; ++i) {
        x[i] = -3;
        EXPECT_EQ(kernels::max_abs(x.data(), n, scratch.data()), 3);
        x[i] = -kInf;
        EXPECT_EQ(kernels::max_abs(x.data(), n, scratch.data()), kInf);
        x[i] = kNan;
        EXPECT_TRUE(std::isnan(kernels::max_abs(x.data(), n, scratch.data())));
        x[i] = 0.5F;
      }
    }
  });
}

TEST(Flat, CountsAndLocatesNonFiniteNumbers) {
  for_each_target([] {
    const Index n = 3 * kernels::kFlatChunk + 5;
    std::vector<kernels::NonFinite> scratch(static_cast<size_t>(kernels::flat_chunks(n)));
    std::vector<float> x(static_cast<size_t>(n), 3e38F);
    EXPECT_EQ(kernels::count_non_finite(x.data(), n, scratch.data()).count, 0);
    EXPECT_EQ(kernels::count_non_finite(x.data(), n, scratch.data()).first, -1);
    x[static_cast<size_t>(n - 1)] = kNan;
    x[static_cast<size_t>(kernels::kFlatChunk + 3)] = -kInf;
    x[static_cast<size_t>(kernels::kFlatChunk + 30)] = kInf;
    const auto found = kernels::count_non_finite(x.data(), n, scratch.data());
    EXPECT_EQ(found.count, 3);
    EXPECT_EQ(found.first, kernels::kFlatChunk + 3);
  });
}

TEST(Flat, Scales) {
  std::vector<float> x = {1, 2, 3};
  kernels::scale(x.data(), -0.5F, 3);
  EXPECT_EQ(x, (std::vector<float>{-0.5F, -1, -1.5F}));
}

}  // namespace
}  // namespace minnow
