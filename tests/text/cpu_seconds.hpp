#pragma once
/// @file
/// Processor time of the calling thread.

#include <time.h>

#include <algorithm>
#include <functional>

namespace minnow {

/// @return the least of three runs, in seconds.
inline double seconds_of(const std::function<void()>& action) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    const double begin = now();
    action();
    best = std::min(best, now() - begin);
  }
  return best;
}

}  // namespace minnow
