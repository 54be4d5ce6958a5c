#include "minnow/base/parallel.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace minnow {
namespace {

TEST(Parallel, EveryChunkRunsOnceAtAnyThreadCount) {
  for (int count : {1, 2, 3, 7}) {
    set_threads(count);
    std::vector<int> seen(101, 0);
    parallel_ranges(101, 10, [&](Index begin, Index end, Index) {
      for (Index i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
    });
    for (int times : seen) EXPECT_EQ(times, 1);
    EXPECT_EQ(threads(), count);
  }
}

TEST(Parallel, ExceptionsComeOut) {
  set_threads(2);
  EXPECT_THROW(parallel_chunks(8,
                               [](Index chunk) {
                                 if (chunk == 5) throw std::runtime_error("x");
                               }),
               std::runtime_error);
}

}  // namespace
}  // namespace minnow
