#include "cli/use_threads.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <vector>

#include "minnow/base/error.hpp"
#include "minnow/base/parallel.hpp"

namespace minnow::cli {
namespace {

/// Threads that wait until they are all there.
class Trial {
 public:
  /// @return 0, or the errno value that says why there are fewer than `count`.
  int start(int count) {
    int code = 0;
    while (code == 0 && std::ssize(threads_) < count) {
      pthread_t thread{};
      code = pthread_create(&thread, nullptr, &Trial::wait, this);
      if (code == 0) threads_.push_back(thread);
    }
    return code;
  }
  [[nodiscard]] std::size_t started() const { return threads_.size(); }

  Trial() = default;
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial() {
    {
      const std::scoped_lock lock(mutex_);
      done_ = true;
    }
    over_.notify_all();
    for (const pthread_t thread : threads_) pthread_join(thread, nullptr);
  }

 private:
  static void* wait(void* self) {
    auto& trial = *static_cast<Trial*>(self);
    std::unique_lock lock(trial.mutex_);
    trial.over_.wait(lock, [&] { return trial.done_; });
    return nullptr;
  }

  std::mutex mutex_;
  std::condition_variable over_;
  bool done_ = false;
  std::vector<pthread_t> threads_;
};

/// With fewer threads than wanted the team would work on silently, and more slowly: whether the system gives them is
/// found out first.
void require_threads(int count) {
  Trial trial;
  const int code = trial.start(count - 1);
  if (code == 0) return;
  throw MemoryError(
      fmt::format("[threads] the system must give this process {} threads; it gave {}, then: {}. Hint: fewer threads "
                  "(compute.threads, --threads, OMP_NUM_THREADS), or raise ulimit -u and ulimit -v, or lower ulimit -s",
                  count, trial.started() + 1, std::error_code(code, std::generic_category()).message()));
}

}  // namespace

void threads_option(Options& options, std::int64_t& target) {
  options.integer("--threads", target, "Most threads; 0 = all processors. Changes no result", 0, kMostThreads);
}

void use_threads(std::int64_t count) {
  const int wanted = count > 0 ? static_cast<int>(count) : threads();
  require_threads(wanted);
  set_threads(wanted);
}

}  // namespace minnow::cli
