#include "base/spread_threads.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace minnow {
namespace {

/// A thread that spins and says where.
class Spinner {
 public:
  Spinner() : thread_([this] { spin(); }) {
    while (id_ == 0) std::this_thread::yield();
  }
  ~Spinner() {
    stop_ = true;
    thread_.join();
  }
  [[nodiscard]] int id() const { return id_; }
  [[nodiscard]] int processor() const { return processor_; }

 private:
  void spin() {
    processor_ = ::sched_getcpu();
    id_ = static_cast<int>(::syscall(SYS_gettid));
    while (!stop_) processor_ = ::sched_getcpu();
  }

  std::atomic<int> id_{0}, processor_{-1};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

TEST(SpreadThreads, MovesAWorkerOffTheCallersProcessorAndLeavesItFree) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "needs two processors";
  Spinner spinner;
  const SeenThread stacked{spinner.id(), ::sched_getcpu()};  // as if it had been seen here
  EXPECT_EQ(spread_threads({&stacked, 1}), 1);
  cpu_set_t after;
  ASSERT_EQ(::sched_getaffinity(spinner.id(), sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(SpreadThreads, LeavesThreadsAloneThatAreApart) {
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  const int here = ::sched_getcpu();
  for (int other = 0; other < CPU_SETSIZE; ++other) {
    if (other == here || !CPU_ISSET(static_cast<unsigned>(other), &allowed)) continue;
    const SeenThread apart{static_cast<int>(::syscall(SYS_gettid)), other};
    EXPECT_EQ(spread_threads({&apart, 1}), 0);
    return;
  }
  GTEST_SKIP() << "needs two processors";
}

TEST(SpreadThreads, CanNotSpreadMoreThreadsThanProcessors) {
  cpu_set_t before, here;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&here);
  CPU_SET(static_cast<unsigned>(::sched_getcpu()), &here);
  ASSERT_EQ(::sched_setaffinity(0, sizeof here, &here), 0);
  const SeenThread stacked{static_cast<int>(::syscall(SYS_gettid)), ::sched_getcpu()};
  EXPECT_EQ(spread_threads({&stacked, 1}), 0);
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
}

}  // namespace
}  // namespace minnow
