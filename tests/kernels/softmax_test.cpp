#include "minnow/kernels/softmax.hpp"

#include "kernels/targets.hpp"

namespace minnow {
namespace {

using test::for_each_target;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Everything the six functions give, one after another.
template <class T>
std::vector<T> run_all(const std::vector<float>& x_in, const std::vector<float>& dout_in, Index rows, Index n,
                       bool add) {
  const std::vector<T> x(x_in.begin(), x_in.end());
  const std::vector<T> dout(dout_in.begin(), dout_in.end());
  std::vector<T> all;
  std::vector<T> y(x.size());
  std::vector<T> dx(x.size());
  std::vector<T> lse(static_cast<size_t>(rows));
  const auto keep = [&](const std::vector<T>& part) { all.insert(all.end(), part.begin(), part.end()); };
  const auto fresh = [&] { dx.assign(x.size(), T(0.5)); };
  kernels::softmax_forward(y.data(), x.data(), rows, n);
  keep(y);
  fresh();
  kernels::softmax_backward(dx.data(), y.data(), dout.data(), rows, n, add);
  keep(dx);
  kernels::log_softmax_forward(y.data(), x.data(), rows, n);
  keep(y);
  fresh();
  kernels::log_softmax_backward(dx.data(), y.data(), dout.data(), rows, n, add);
  keep(dx);
  kernels::logsumexp_forward(lse.data(), x.data(), rows, n);
  keep(lse);
  fresh();
  kernels::logsumexp_backward(dx.data(), x.data(), lse.data(), dout.data(), rows, n, add);
  keep(dx);
  return all;
}

TEST(Softmax, AgreesWithTheReferenceOnEveryInstructionSet) {
  for_each_target([] {
    for (const Index n : test::kLengths) {
      if (n == 0) continue;
      for (const double centre : {0.0, 1e4, -1e4}) {
        const Index rows = 5;
        auto x = test::Numbers(static_cast<std::uint64_t>(n)).array<float>(rows * n, centre - 6, centre + 6);
        for (Index i = 0; i < n; i += 3) x[static_cast<size_t>(2 * n + i)] = -kInf;
        std::fill(x.begin() + 3 * n, x.begin() + 4 * n, -kInf);
        x[static_cast<size_t>(4 * n)] = static_cast<float>(centre) + 200;
        const auto dout = test::Numbers(9).array<float>(rows * n, -1, 1);
        for (const bool add : {false, true}) {
          const auto got = run_all<float>(x, dout, rows, n, add);
          const auto want = run_all<double>(x, dout, rows, n, add);
          for (size_t i = 0; i < got.size(); ++i) {
            if (std::isinf(want[i])) {
              ASSERT_EQ(got[i], want[i]);
            } else {
              // Log-sum-exp near 1e4 has steps of 1e-3, and its gradient inherits them.
              ASSERT_NEAR(got[i], want[i], 3e-6 * std::max(1.0, std::fabs(want[i])) + std::fabs(centre) * 1e-7)
                  << i << " of width " << n;
            }
          }
        }
      }
    }
  });
}

TEST(Softmax, RowsOfMinusInfinityAreZeroWithZeroGradient) {
  for_each_target([] {
    for (const Index n : {1, 2, 16, 19}) {
      const std::vector<float> x(static_cast<size_t>(n), -kInf);
      std::vector<float> y(x.size(), 1.0F);
      std::vector<float> dx(x.size(), 1.0F);
      const std::vector<float> dout(x.size(), 3.0F);
      kernels::softmax_forward(y.data(), x.data(), 1, n);
      kernels::softmax_backward(dx.data(), y.data(), dout.data(), 1, n);
      for (const float v : y) EXPECT_EQ(v, 0);
      for (const float v : dx) EXPECT_EQ(v, 0);
      float lse = 0;
      kernels::logsumexp_forward(&lse, x.data(), 1, n);
      EXPECT_EQ(lse, -kInf);
      kernels::logsumexp_backward(dx.data(), x.data(), &lse, dout.data(), 1, n);
      for (const float v : dx) EXPECT_EQ(v, 0);
    }
    const float x[2] = {-kInf, 1};
    float lse = 0;
    float dx[2];
    const float one = 1;
    kernels::logsumexp_forward(&lse, x, 1, 2);
    kernels::logsumexp_backward(dx, x, &lse, &one, 1, 2);
    EXPECT_EQ(lse, 1);
    EXPECT_EQ(dx[0], 0);
    EXPECT_EQ(dx[1], 1);
  });
}

TEST(Softmax, NanAndPlusInfinityPoisonTheirRowOnly) {
  for_each_target([] {
    for (const float poison : {kNan, kInf}) {
      for (const Index n : {1, 5, 16, 35}) {
        std::vector<float> x(static_cast<size_t>(3 * n), -kInf);
        std::fill(x.begin(), x.begin() + n, 1.0F);
        x[static_cast<size_t>(n + n / 2)] = poison;
        std::vector<float> y(x.size());
        kernels::softmax_forward(y.data(), x.data(), 3, n);
        bool nan = false;
        for (Index i = n; i < 2 * n; ++i) nan = nan || std::isnan(y[static_cast<size_t>(i)]);
        EXPECT_TRUE(nan) << poison << " " << n;
        EXPECT_FALSE(std::isnan(y[0]) || std::isnan(y[static_cast<size_t>(2 * n)]));
      }
    }
  });
}

TEST(Softmax, SameBitsAtAnyThreadCount) {
  const auto x = test::Numbers(1).array<float>(901 * 65, -5, 5);
  const auto dout = test::Numbers(2).array<float>(901 * 65, -1, 1);
  test::expect_same_bits_at_any_thread_count([&] { return run_all<float>(x, dout, 901, 65, true); });
}

}  // namespace
}  // namespace minnow
