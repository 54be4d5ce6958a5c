#include "minnow/kernels/column_sum.hpp"

#include "kernels/targets.hpp"

namespace minnow {
namespace {

using test::for_each_target;

TEST(ColumnSum, SumsAddsAndScales) {
  for_each_target([] {
    for (const Index rows : {0, 1, 2, 33, 1000}) {
      for (const Index n : {1, 3, 16, 65, 300}) {
        const auto x = test::Numbers(2).array<float>(rows * n, -1, 1);
        std::vector<double> want(static_cast<size_t>(n));
        for (size_t i = 0; i < x.size(); ++i) want[i % static_cast<size_t>(n)] += x[i];
        std::vector<float> y(static_cast<size_t>(n), 4.0F);
        kernels::sum_columns<float>({x.data(), rows, n, y.data()});
        for (size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], want[i], 2e-5);
        kernels::sum_columns<float>({x.data(), rows, n, y.data(), true, -3});
        for (size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], -2 * want[i], 8e-5);
      }
    }
  });
}

TEST(ColumnSum, TakesDoublesToo) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6};
  std::vector<double> y = {1, 1, 1};
  kernels::sum_columns<double>({x.data(), 2, 3, y.data(), true, 0.5});
  EXPECT_EQ(y, (std::vector<double>{3.5, 4.5, 5.5}));
}

TEST(ColumnSum, SameBitsAtAnyThreadCount) {
  const Index rows = 5003;
  const Index n = 333;
  const auto x = test::Numbers(2).array<float>(rows * n, -1, 1);
  test::expect_same_bits_at_any_thread_count([&] {
    std::vector<float> y(static_cast<size_t>(n), 1.0F);
    kernels::sum_columns<float>({x.data(), rows, n, y.data(), true});
    return y;
  });
}

}  // namespace
}  // namespace minnow
