#include "base/thread_times.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>

namespace minnow {
namespace {

int this_thread() { return static_cast<int>(::syscall(SYS_gettid)); }

TEST(ThreadTimes, CountWorkAndEachBeginning) {
  ThreadTimes times(this_thread());
  if (!times.known()) GTEST_SKIP() << "this system has no schedstat";
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  volatile unsigned count = 0;
  while (std::chrono::steady_clock::now() < end) count = count + 1;
  for (int i = 0; i < 5; ++i) ::usleep(200);
  const auto reading = times.since_last();
  EXPECT_GT(reading.ran + reading.waited, 0.015);
  EXPECT_GE(reading.begins, 5);  // at least once after each sleep
}

TEST(ThreadTimes, TheMomentThatBeginningTakesIsNobodysFault) {
  // 1000 sleeps, each ended within 0.05 ms: nobody else had the processor.
  EXPECT_EQ((ThreadTimes::Reading{0.1, 0.05, 1000}.waited_for_others()), 0);
  // 10 slices of 3 ms for somebody else.
  EXPECT_NEAR((ThreadTimes::Reading{0.03, 0.03, 10}.waited_for_others()), 0.029, 1e-9);
}

}  // namespace
}  // namespace minnow
