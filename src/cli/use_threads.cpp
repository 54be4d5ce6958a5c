#include "cli/use_threads.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <cctype>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <system_error>
#include <vector>

#include "minnow/base/error.hpp"
#include "minnow/base/parallel.hpp"

namespace minnow::cli {
namespace {

/// @return bytes of stack that the user wants for each thread of OpenMP; 0: the system's choice. What is no size is not
/// taken by OpenMP either.
std::size_t wanted_stack_bytes() {
  const char* given = std::getenv("OMP_STACKSIZE");
  if (given == nullptr) given = std::getenv("GOMP_STACKSIZE");
  if (given == nullptr) return 0;
  char* rest = nullptr;
  errno = 0;
  const unsigned long long number = std::strtoull(given, &rest, 10);
  if (rest == given || errno != 0) return 0;
  while (std::isspace(static_cast<unsigned char>(*rest)) != 0) ++rest;
  const std::string_view units = "BKMG";  // 1, 2^10, 2^20, 2^30
  const std::size_t unit =
      *rest == '\0' ? 1 : units.find(static_cast<char>(std::toupper(static_cast<unsigned char>(*rest))));
  if (unit == std::string_view::npos) return 0;
  const std::size_t shift = 10 * unit;
  return number > (SIZE_MAX >> shift) ? SIZE_MAX : static_cast<std::size_t>(number) << shift;
}

/// Threads that wait until they are all there.
class Trial {
 public:
  /// @return 0, or the errno value that says why there are fewer than `count`.
  int start(int count, std::size_t stack_bytes) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    int code = stack_bytes > 0 ? pthread_attr_setstacksize(&attributes, stack_bytes) : 0;
    if (code == EINVAL) code = stack_bytes < kLeastStack ? 0 : EAGAIN;  // OpenMP does not take a small one either
    while (code == 0 && std::ssize(threads_) < count) {
      pthread_t thread{};
      code = pthread_create(&thread, &attributes, &Trial::wait, this);
      if (code == 0) threads_.push_back(thread);
    }
    pthread_attr_destroy(&attributes);
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
  static constexpr std::size_t kLeastStack = 16384;  // PTHREAD_STACK_MIN of x86-64

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

/// OpenMP ends the process when it cannot start its threads: whether the system gives them is found out first.
void require_threads(int count) {
  const std::size_t stack = wanted_stack_bytes();
  Trial trial;
  const int code = trial.start(count - 1, stack);
  if (code == 0) return;
  throw MemoryError(fmt::format(
      "[threads] the system must give this process {} threads{}; it gave {}, then: {}. Hint: fewer threads "
      "(compute.threads, --threads, OMP_NUM_THREADS), or raise ulimit -u and ulimit -v{}",
      count, stack > 0 ? fmt::format(" with a stack of {} bytes", stack) : "", trial.started() + 1,
      std::error_code(code, std::generic_category()).message(), stack > 0 ? ", or a smaller OMP_STACKSIZE" : ""));
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
