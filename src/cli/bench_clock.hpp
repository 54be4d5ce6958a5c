#pragma once
/// @file
/// Small things that all measurements of `minnow bench` share.

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include "cli/signals.hpp"
#include "minnow/base/parallel.hpp"

namespace minnow::cli {

/// @return seconds that a call of `work` takes.
template <class Work>
double seconds_of(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// @return the middle one of the values, the upper of the two of an even number.
inline double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// @return the value rounded to 1 / parts.
inline double rounded(double value, double parts) { return std::round(value * parts) / parts; }

/// Sets the number of threads; the one before comes back at the end.
class ThreadScope {
 public:
  explicit ThreadScope(int count) : before_(threads()) { set_threads(count); }
  ~ThreadScope() { set_threads(before_); }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

/// @return whether a signal asked to stop.
inline bool stop_asked() { return stop_signal().load() != 0; }

/// @return the most memory that this process has held so far, in MiB.
inline std::int64_t peak_rss_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;  // kilobytes on Linux
}

}  // namespace minnow::cli
