#include "minnow/kernels/rope.hpp"

#include "kernels/targets.hpp"

namespace minnow {
namespace {

using test::for_each_target;

struct Problem {
  kernels::RopeShape shape;
  std::vector<double> x, table;

  Problem(Index rotary, Index rest, bool interleaved)
      : shape{.outer = 2,
              .time = 3,
              .inner = 2,
              .head_dim = rotary + rest,
              .rotary_dim = rotary,
              .interleaved = interleaved} {
    test::Numbers numbers(3);
    const auto narrow = [&](Index n) {
      const auto made = numbers.array<float>(n, -1, 1);
      return std::vector<double>(made.begin(), made.end());
    };
    x = narrow(12 * shape.head_dim);
    table = narrow(3 * rotary);
  }
};

TEST(Rope, AgreesWithTheReferenceOnEveryInstructionSet) {
  for_each_target([] {
    for (const bool interleaved : {false, true}) {
      for (const Index rotary : {0, 2, 6, 8, 16, 18, 30, 32, 34, 64, 70}) {
        for (const Index rest : {0, 1, 5}) {
          const Problem p(rotary, rest, interleaved);
          const std::vector<float> x(p.x.begin(), p.x.end());
          const std::vector<float> table(p.table.begin(), p.table.end());
          test::Guarded<float> y(static_cast<Index>(x.size()));
          std::vector<double> wanted(x.size());
          for (const bool inverse : {false, true}) {
            kernels::rope(y.data(), x.data(), table.data(), p.shape, inverse);
            kernels::rope(wanted.data(), p.x.data(), p.table.data(), p.shape, inverse);
            for (Index i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], wanted[static_cast<size_t>(i)], 2e-7) << rotary;
          }
        }
      }
    }
  });
}

TEST(Rope, TurnsByTheAngleOfItsPosition) {
  // Position 1 turns by a quarter: (a, b) becomes (-b, a); position 0 not at all; the last channel stays.
  const std::vector<double> table = {1, 0, 0, 1};
  const std::vector<double> x = {1, 2, 3, 4, 5, 6};
  std::vector<double> y(6);
  kernels::rope(y.data(), x.data(), table.data(), {.outer = 1, .time = 2, .inner = 1, .head_dim = 3, .rotary_dim = 2},
                false);
  EXPECT_EQ(y, (std::vector<double>{1, 2, 3, -5, 4, 6}));
}

TEST(Rope, SameBitsAtAnyThreadCount) {
  const kernels::RopeShape shape{.outer = 5, .time = 40, .inner = 4, .head_dim = 33, .rotary_dim = 32};
  const auto x = test::Numbers(1).array<float>(5 * 40 * 4 * 33, -2, 2);
  const auto table = test::Numbers(2).array<float>(40 * 32, -1, 1);
  test::expect_same_bits_at_any_thread_count([&] {
    std::vector<float> y(x.size());
    kernels::rope(y.data(), x.data(), table.data(), shape, false);
    return y;
  });
}

}  // namespace
}  // namespace minnow
