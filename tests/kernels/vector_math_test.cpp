#include "minnow/kernels/vector_math.hpp"

#include <functional>
#include <string>

#include "kernels/targets.hpp"

namespace minnow {
namespace {

using test::for_each_target;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Function {
  std::string name;
  void (*fast)(float*, const float*, Index);
  void (*plain)(double*, const double*, Index);
  double low;
  double high;
};

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
      {"exp", kernels::vexp<float>, kernels::vexp<double>, -110, 95},
      {"log", kernels::vlog<float>, kernels::vlog<double>, 0, 20},
      {"tanh", kernels::vtanh<float>, kernels::vtanh<double>, -12, 12},
      {"sigmoid", kernels::vsigmoid<float>, kernels::vsigmoid<double>, -110, 40},
      {"erf", kernels::verf<float>, kernels::verf<double>, -5, 5},
      {"sin", kernels::vsin<float>, kernels::vsin<double>, -10000, 10000},
      {"cos", kernels::vcos<float>, kernels::vcos<double>, -10000, 10000},
      {"sqrt", kernels::vsqrt<float>, kernels::vsqrt<double>, 0, 100},
  };
  return all;
}

double worst_ulp(const Function& f, std::vector<float> x) {
  std::vector<double> wide(x.begin(), x.end());
  f.fast(x.data(), x.data(), static_cast<Index>(x.size()));
  std::vector<double> want(wide.size());
  f.plain(want.data(), wide.data(), static_cast<Index>(wide.size()));
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double error = test::ulp_error(x[i], want[i]);
    if (error > 1e6) ADD_FAILURE() << f.name << "(" << wide[i] << ") = " << x[i] << ", expected " << want[i];
    worst = std::max(worst, error);
  }
  return worst;
}

TEST(VectorMath, StaysWithinFourUlpOnEveryInstructionSet) {
  for_each_target([] {
    for (const Function& f : functions()) {
      double worst = worst_ulp(f, test::Numbers(1).array<float>(100000, f.low, f.high));
      worst = std::max(worst, worst_ulp(f, test::Numbers(2).array<float>(20000, f.low < 0 ? -2 : 0, 2)));
      EXPECT_LE(worst, 4) << f.name;
      ::testing::Test::RecordProperty("ulp_" + f.name, std::to_string(worst));
    }
  });
}

TEST(VectorMath, CoversAllMagnitudes) {
  std::vector<float> x;
  for (std::uint32_t bits = 1; bits < 0x7f800000U; bits += 40009) {
    x.push_back(std::bit_cast<float>(bits));
    x.push_back(-x.back());
  }
  for_each_target([&] {
    for (const Function& f : functions()) EXPECT_LE(worst_ulp(f, x), 4) << f.name;
  });
}

TEST(VectorMath, KeepsNanInfinitiesZerosAndSubnormals) {
  const std::vector<float> special = {kNan,  -kNan,  kInf,  -kInf, 0.0F,   -0.0F,   1e-45F,  -1e-45F, 1e-40F,
                                      3e38F, -3e38F, 88.7F, 88.8F, -87.4F, -103.9F, -104.1F, -1.0F,   1.0F};
  for_each_target([&] {
    for (const Function& f : functions()) {
      EXPECT_LE(worst_ulp(f, special), 4) << f.name;
      float minus_zero = -0.0F;
      double want = -0.0;
      f.fast(&minus_zero, &minus_zero, 1);
      f.plain(&want, &want, 1);
      EXPECT_EQ(std::signbit(minus_zero), std::signbit(want)) << f.name << " of -0";
    }
  });
}

TEST(VectorMath, ReadsAndWritesExactlyTheArray) {
  for_each_target([] {
    for (const Function& f : functions()) {
      for (const Index n : test::kLengths) {
        for (const Index offset : {1, 3}) {
          test::Guarded<float> x(n, offset);
          test::Guarded<float> y(n, offset);
          test::Numbers numbers(static_cast<std::uint64_t>(n));
          for (Index i = 0; i < n; ++i) x[i] = static_cast<float>(numbers.next(0.1, 3));
          f.fast(y.data(), x.data(), n);
          for (Index i = 0; i < n; ++i) {
            float alone = 0;
            f.fast(&alone, &x[i], 1);
            ASSERT_EQ(std::bit_cast<std::uint32_t>(y[i]), std::bit_cast<std::uint32_t>(alone)) << f.name << " " << n;
          }
        }
      }
    }
  });
}

TEST(VectorMath, GivesEqualBitsOnAvx2AndAvx512) {
  const auto wide = test::wide_targets();
  if (wide.size() < 2) GTEST_SKIP() << "this processor has no AVX-512";
  for (const Function& f : functions()) {
    const auto x = test::Numbers(5).array<float>(4001, f.low, f.high);
    std::vector<std::vector<float>> results;
    for (const std::int64_t target : wide) {
      hwy::SetSupportedTargetsForTest(target);
      results.emplace_back(x.size());
      f.fast(results.back().data(), x.data(), static_cast<Index>(x.size()));
    }
    EXPECT_TRUE(test::same_bits(results[0], results[1])) << f.name;
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(VectorMath, FindsTheMaximumAndKeepsNan) {
  for_each_target([] {
    for (const Index n : test::kLengths) {
      test::Guarded<float> x(n, 1);
      for (Index i = 0; i < n; ++i) x[i] = -5.0F - static_cast<float>((i * 7) % 11);
      EXPECT_EQ(kernels::vmax(x.data(), n), n == 0 ? -kInf : -5.0F);
      for (Index i = 0; i < n; ++i) {
        const float old = x[i];
        x[i] = -1;
        EXPECT_EQ(kernels::vmax(x.data(), n), -1);
        x[i] = kNan;
        EXPECT_TRUE(std::isnan(kernels::vmax(x.data(), n))) << i << " of " << n;
        x[i] = old;
      }
    }
  });
}

TEST(VectorMath, SoftmaxOfARowHandlesMaskedEntries) {
  for_each_target([] {
    for (const Index n : test::kLengths) {
      test::Guarded<float> x(n, 1);
      test::Guarded<float> y(n, 3);
      std::vector<double> wide(static_cast<size_t>(n));
      for (Index i = 0; i < n; ++i) {
        x[i] = i % 5 == 3 ? -kInf : static_cast<float>(i % 13) - 4.0F;
        wide[static_cast<size_t>(i)] = x[i];
      }
      const float lse = kernels::softmax_row(y.data(), x.data(), n);
      const double want = kernels::softmax_row(wide.data(), wide.data(), n);
      if (n > 0) {
        EXPECT_NEAR(lse, want, 2e-6);
      }
      for (Index i = 0; i < n; ++i) EXPECT_NEAR(y[i], wide[static_cast<size_t>(i)], 4e-7);
      for (Index i = 0; i < n; ++i) x[i] = -kInf;
      EXPECT_EQ(kernels::softmax_row(y.data(), x.data(), n), -kInf);
      for (Index i = 0; i < n; ++i) EXPECT_EQ(y[i], 0);
      if (n == 0) continue;
      x[n / 2] = kNan;
      kernels::softmax_row(y.data(), x.data(), n);
      for (Index i = 0; i < n; ++i) EXPECT_TRUE(std::isnan(y[i]));
    }
  });
}

TEST(VectorMath, ExpSumCountsOnlyTheArray) {
  for_each_target([] {
    for (const Index n : test::kLengths) {
      test::Guarded<float> x(n, 1);
      test::Guarded<float> y(n, 1);
      double want = 0;
      for (Index i = 0; i < n; ++i) {
        x[i] = static_cast<float>(i % 7) * 0.25F;
        want += std::exp(x[i] - 3.0);
      }
      EXPECT_NEAR(kernels::vexp_sum(y.data(), x.data(), 3.0F, n), want, want * 1e-6);
    }
  });
}

}  // namespace
}  // namespace minnow
