#include "minnow/kernels/embedding.hpp"

#include "kernels/targets.hpp"

namespace minnow {
namespace {

template <class T, class Id>
void check_forward_and_backward(Index width) {
  const std::vector<Id> ids = {3, 0, 3, 2, 3, 0};
  std::vector<T> table(static_cast<size_t>(4 * width));
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<T>(i);
  std::vector<T> y(ids.size() * static_cast<size_t>(width), T(1));
  kernels::embedding_forward(y.data(), table.data(), ids.data(), 6, width);
  for (size_t i = 0; i < y.size(); ++i) {
    const auto row = static_cast<size_t>(ids[i / static_cast<size_t>(width)]);
    ASSERT_EQ(y[i], table[row * static_cast<size_t>(width) + i % static_cast<size_t>(width)]);
  }
  kernels::embedding_forward(y.data(), table.data(), ids.data(), 6, width, true);
  EXPECT_EQ(y[0], 2 * table[static_cast<size_t>(3 * width)]);

  const std::vector<T> dout(y.size(), T(0.5));
  std::vector<T> dtable(table.size(), T(1));
  kernels::embedding_backward(dtable.data(), dout.data(), ids.data(), 6, width, std::int64_t{0});
  const T want[] = {1, 1, T(1.5), T(2.5)};  // row 0 is the padding
  for (size_t i = 0; i < dtable.size(); ++i) ASSERT_EQ(dtable[i], want[i / static_cast<size_t>(width)]);
}

TEST(Embedding, GathersAndScattersRows) {
  for (const Index width : {1, 3, 64, 65, 200}) {
    check_forward_and_backward<float, std::int32_t>(width);
    check_forward_and_backward<float, std::int64_t>(width);
    check_forward_and_backward<double, std::int64_t>(width);
  }
}

TEST(Embedding, FindsIdsOutsideTheTable) {
  const std::int64_t ids[] = {0, 4, 5, -1};
  EXPECT_EQ(kernels::first_id_out_of_range(ids, 4, 5), 2);
  EXPECT_EQ(kernels::first_id_out_of_range(ids, 4, 6), 3);
  EXPECT_EQ(kernels::first_id_out_of_range(ids, 2, 5), -1);
}

TEST(Embedding, BackwardHasTheSameBitsAtAnyThreadCount) {
  const Index tokens = 3000;
  const Index width = 200;
  const auto dout = test::Numbers(1).array<float>(tokens * width, -1, 1);
  std::vector<std::int64_t> ids(static_cast<size_t>(tokens));
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int64_t>(i * i % 17);
  test::expect_same_bits_at_any_thread_count([&] {
    std::vector<float> dtable(static_cast<size_t>(17 * width));
    kernels::embedding_backward(dtable.data(), dout.data(), ids.data(), tokens, width);
    return dtable;
  });
}

}  // namespace
}  // namespace minnow
