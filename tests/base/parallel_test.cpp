#include "minnow/base/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#if defined(__SANITIZE_THREAD__)
#define MINNOW_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MINNOW_THREAD_SANITIZER 1
#endif
#endif

namespace minnow {
namespace {

class Parallel : public ::testing::Test {
 protected:
  ~Parallel() override { set_threads(before_); }
  int before_ = threads();
};

/// Runs loops of all sizes and counts how often each chunk ran.
void expect_every_chunk_once() {
  for (const Index chunks : {1, 2, 3, 5, 101}) {
    std::vector<int> seen(static_cast<std::size_t>(chunks), 0);
    parallel_chunks(chunks, [&](Index chunk) { ++seen[static_cast<std::size_t>(chunk)]; });
    for (const int times : seen) EXPECT_EQ(times, 1) << chunks;
  }
}

TEST_F(Parallel, EveryChunkRunsOnceAtAnyThreadCount) {
  for (const int count : {1, 2, 3, 7, 2}) {
    set_threads(count);
    EXPECT_EQ(threads(), count);
    std::vector<int> seen(101, 0);
    parallel_ranges(101, 10, [&](Index begin, Index end, Index) {
      for (Index i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
    });
    for (const int times : seen) EXPECT_EQ(times, 1);
    for (int i = 0; i < 300; ++i) expect_every_chunk_once();
  }
}

TEST_F(Parallel, EachThreadHasANumberOfItsOwn) {
  set_threads(3);
  EXPECT_EQ(thread_number(), 0);
  EXPECT_FALSE(in_parallel());
  std::vector<std::atomic<int>> inside(3);
  std::atomic<bool> shared = false;
  for (int i = 0; i < 200; ++i) {
    parallel_chunks(9, [&](Index) {
      auto& here = inside.at(static_cast<std::size_t>(thread_number()));
      if (here.fetch_add(1) != 0 || !in_parallel()) shared = true;
      here.fetch_sub(1);
    });
  }
  EXPECT_FALSE(shared);
  EXPECT_FALSE(in_parallel());
}

TEST_F(Parallel, LoopsInsideLoopsStayOnTheirThread) {
  set_threads(3);
  std::atomic<int> inner{0};
  std::atomic<bool> moved = false;
  parallel_chunks(6, [&](Index) {
    const auto outer = std::this_thread::get_id();
    const int number = thread_number();
    parallel_chunks(5, [&](Index) {
      ++inner;
      if (std::this_thread::get_id() != outer || thread_number() != number) moved = true;
    });
  });
  EXPECT_EQ(inner, 30);
  EXPECT_FALSE(moved);
}

TEST_F(Parallel, ExceptionsComeOut) {
  for (const int count : {1, 2}) {
    set_threads(count);
    int after = 0;
    EXPECT_THROW(parallel_chunks(8,
                                 [](Index chunk) {
                                   if (chunk == 5) throw std::runtime_error("x");
                                 }),
                 std::runtime_error);
    parallel_chunks(1, [&](Index) { ++after; });
    EXPECT_EQ(after, 1) << "the next loop knows nothing of it";
    expect_every_chunk_once();
  }
}

TEST_F(Parallel, SeveralCallersAtOnce) {
  set_threads(2);
  std::vector<std::thread> callers;
  callers.reserve(3);
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([] {
      for (int repeat = 0; repeat < 50; ++repeat) expect_every_chunk_once();
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST_F(Parallel, AWorkerThatIsHeldUpHoldsUpNobody) {
  set_threads(2);
  // The chunk that comes second waits until all others are done: with chunks dealt out beforehand it would for ever.
  std::atomic<int> done{0};
  parallel_chunks(40, [&](Index chunk) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (chunk == 1 && done < 39 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
    ++done;
  });
  EXPECT_EQ(done, 40);
}

TEST_F(Parallel, WorksInAChildProcess) {
#ifdef MINNOW_THREAD_SANITIZER
  GTEST_SKIP() << "ThreadSanitizer takes no new threads after a fork";
#endif
  set_threads(2);
  expect_every_chunk_once();
  const pid_t child = ::fork();
  if (child == 0) {
    std::atomic<int> ran{0};
    parallel_chunks(64, [&](Index) { ++ran; });
    ::_exit(ran == 64 ? 0 : 1);
  }
  ASSERT_GT(child, 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST_F(Parallel, ReportsItsSize) {
  set_threads(3);
  EXPECT_EQ(team_report().most, 3);
  EXPECT_GE(team_report().size, 1);
  EXPECT_LE(team_report().size, 3);
}

}  // namespace
}  // namespace minnow
