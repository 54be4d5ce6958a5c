#pragma once
/// @file
/// The threads that run chunks. Nobody waits for a thread that has taken none: one that another program keeps off its
/// processor holds up at most the chunk that it was in.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/team_size.hpp"
#include "base/thread_times.hpp"
#include "minnow/base/parallel.hpp"

namespace minnow {

class Team {
 public:
  static Team& instance();

  [[nodiscard]] int most() const { return most_.load(std::memory_order_relaxed); }
  void set_most(int count);
  [[nodiscard]] TeamReport report() const;

  /// Lets no more than `count` threads take part in the loops of the calling thread, which report() does not know of.
  /// @return how many could before
  static int set_limit(int count) { return std::exchange(limit, count); }

  /// Runs all chunks. Called by one thread at a time; whoever comes meanwhile runs its chunks alone.
  void run(Index chunks, const detail::ChunkBody& body);

  /// In the child of a fork, which has none of the workers.
  void forget_workers();

  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kCacheLine = 64;
  static constexpr int kMostMembers = 1 << 12;

  static constinit thread_local int limit;  // for the loops of this thread

  /// A thread beside the caller.
  struct alignas(kCacheLine) Worker {
    std::atomic<std::uint32_t> asleep{0};
    std::atomic<int> id{0};          // of the system
    std::atomic<int> processor{-1};  // where it took part last
    std::thread thread;
  };

  Team();

  void start_workers(int count);
  void stop_workers();
  void work(Worker& self, int number);
  /// @return false when the team ends.
  bool await_chunks(Worker& self, int number);
  Index take_chunks(int number);
  void run_chunk(Index chunk);
  void run_alone(Index chunks, const detail::ChunkBody& body);
  void await_others(Index chunks);
  void wake(int team);
  void look_around();
  /// @return whether two threads shared a processor.
  bool move_apart();

  // Chunks that nobody has taken yet in the lower bits, and the number of threads that may take them above. A chunk is
  // taken by counting down; what body_ and chunks_ hold stays until the last one that was taken is done.
  alignas(kCacheLine) std::atomic<std::uint64_t> ticket_{0};
  alignas(kCacheLine) std::atomic<Index> done_by_workers_{0};
  std::atomic<std::uint32_t> caller_asleep_{0};
  alignas(kCacheLine) detail::ChunkBody body_{};
  Index chunks_ = 0;
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;
  std::mutex failure_mutex_;

  std::atomic<bool> stop_{false};
  std::atomic<int> most_;
  std::atomic<int> size_{1};
  std::atomic<std::int64_t> retreats_{0};
  std::mutex busy_;
  std::vector<std::unique_ptr<Worker>> workers_;
  TeamSize policy_;
  std::vector<ThreadTimes> times_;
  Clock::time_point next_look_{};
};

}  // namespace minnow
