#include "minnow/kernels/dropout.hpp"

#include "kernels/targets.hpp"

namespace minnow {
namespace {

using test::for_each_target;

const RandomKey kKey = {.seed = 0x123456789abcdef0U, .stream = 7, .step = 0x300000005U};

TEST(Dropout, FollowsTheRuleOfTheElementOnEveryInstructionSet) {
  for_each_target([] {
    for (const double p : {0.0, 0.1, 0.5, 1.0}) {
      for (const std::uint64_t first : {0U, 1U, 3U, 4U, 0xfffffff0U}) {
        for (const Index n : test::kLengths) {
          test::Guarded<float> x(n, 1);
          test::Guarded<float> y(n, 3);
          test::Guarded<float> residual(n, 2);
          for (Index i = 0; i < n; ++i) {
            x[i] = static_cast<float>(i) + 1;
            residual[i] = 0.5F;
          }
          // The blocks' counter crosses 32 bits too.
          const std::uint64_t start = first * 4 + first % 4;
          kernels::dropout<float>(y.data(), x.data(), nullptr, n, p, kKey, start);
          const auto factor = static_cast<float>(1 / (1 - p));
          for (Index i = 0; i < n; ++i) {
            const bool drop = random_bits(kKey, start + static_cast<std::uint64_t>(i)) < drop_threshold(p);
            ASSERT_EQ(y[i], drop ? 0 : x[i] * factor) << i << " of " << n << " from " << start << ", p " << p;
          }
          kernels::dropout<float>(residual.data(), x.data(), residual.data(), n, p, kKey, start);
          for (Index i = 0; i < n; ++i) ASSERT_EQ(residual[i], 0.5F + y[i]);
          kernels::dropout_add<float>(residual.data(), x.data(), n, p, kKey, start);
          for (Index i = 0; i < n; ++i) ASSERT_EQ(residual[i], 0.5F + y[i] + y[i]);
        }
      }
    }
  });
}

TEST(Dropout, KeepsTheExpectedShareAndIsTheSameInDouble) {
  const Index n = 100000;
  const std::vector<float> x(n, 1.0F);
  const std::vector<double> wide(n, 1.0);
  std::vector<float> y(n);
  std::vector<double> z(n);
  kernels::dropout<float>(y.data(), x.data(), nullptr, n, 0.2, kKey, 5);
  kernels::dropout<double>(z.data(), wide.data(), nullptr, n, 0.2, kKey, 5);
  double kept = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    EXPECT_EQ(y[i] == 0, z[i] == 0);
    kept += y[i] != 0 ? 1 : 0;
  }
  EXPECT_NEAR(kept / n, 0.8, 0.005);
}

TEST(Dropout, PartsOfABatchDrawThePartsOfItsMask) {
  const Index n = 1000;
  const std::vector<float> x(n, 1.0F);
  std::vector<float> whole(n);
  std::vector<float> parts(n);
  kernels::dropout<float>(whole.data(), x.data(), nullptr, n, 0.3, kKey, 40);
  kernels::dropout<float>(parts.data(), x.data(), nullptr, 333, 0.3, kKey, 40);
  kernels::dropout<float>(parts.data() + 333, x.data(), nullptr, n - 333, 0.3, kKey, 40 + 333);
  EXPECT_TRUE(test::same_bits(whole, parts));
}

TEST(Dropout, SameBitsAtAnyThreadCount) {
  const Index n = 100003;
  const auto x = test::Numbers(1).array<float>(n, -1, 1);
  test::expect_same_bits_at_any_thread_count([&] {
    std::vector<float> y(x.size());
    kernels::dropout<float>(y.data(), x.data(), x.data(), n, 0.1, kKey, 3);
    return y;
  });
}

}  // namespace
}  // namespace minnow
