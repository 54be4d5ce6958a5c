#include "cli/use_threads.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "minnow/base/error.hpp"
#include "minnow/base/parallel.hpp"

namespace minnow::cli {
namespace {

/// OpenMP ends the process when it cannot start its threads: whether the system gives them is found out first.
void require_threads(int count) {
  std::mutex mutex;
  std::condition_variable over;
  bool done = false;
  std::vector<std::thread> started;
  std::string problem;
  try {
    while (static_cast<int>(started.size()) < count - 1) {
      started.emplace_back([&] {
        std::unique_lock lock(mutex);
        over.wait(lock, [&] { return done; });
      });
    }
  } catch (const std::system_error& error) {
    problem = error.code().message();
  }
  {
    const std::scoped_lock lock(mutex);
    done = true;
  }
  over.notify_all();
  for (std::thread& one : started) one.join();
  if (problem.empty()) return;
  throw MemoryError(
      fmt::format("[threads] the system must give this process {} threads; it gave {}, then: {}. Hint: fewer threads "
                  "(compute.threads, --threads, OMP_NUM_THREADS), or raise ulimit -u and ulimit -v",
                  count, started.size() + 1, problem));
}

}  // namespace

void threads_option(Options& options, std::int64_t& target) {
  options.integer("--threads", target, "Threads; 0 = all processors. Changes no result", 0, kMostThreads);
}

void use_threads(std::int64_t count) {
  const int wanted = count > 0 ? static_cast<int>(count) : threads();
  require_threads(wanted);
  set_threads(wanted);
}

}  // namespace minnow::cli
