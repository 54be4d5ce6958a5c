#include "base/thread_times.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

namespace minnow {
namespace {

constexpr double kNanosecond = 1e-9;
constexpr double kBeginning = 1e-4;  // seconds

}  // namespace

ThreadTimes::ThreadTimes(int thread_id)
    : file_(::open(("/proc/self/task/" + std::to_string(thread_id) + "/schedstat").c_str(), O_RDONLY | O_CLOEXEC)),
      last_(read_now()) {}

ThreadTimes::ThreadTimes(ThreadTimes&& other) noexcept
    : file_(std::exchange(other.file_, -1)), last_(std::exchange(other.last_, {})) {}

ThreadTimes& ThreadTimes::operator=(ThreadTimes&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(last_, other.last_);
  return *this;
}

ThreadTimes::~ThreadTimes() {
  if (file_ >= 0) ::close(file_);
}

ThreadTimes::Reading ThreadTimes::read_now() const {
  // "RAN WAITED SLICES", the first two in nanoseconds (Documentation/scheduler/sched-stats.rst of Linux).
  std::array<char, 96> text{};
  const ssize_t length = file_ >= 0 ? ::pread(file_, text.data(), text.size(), 0) : 0;
  if (length <= 0) return last_;
  const char* const end = text.data() + length;
  std::uint64_t ran = 0, waited = 0, begins = 0;
  const auto first = std::from_chars(text.data(), end, ran);
  if (first.ec != std::errc() || first.ptr == end) return last_;
  const auto second = std::from_chars(first.ptr + 1, end, waited);
  if (second.ec != std::errc() || second.ptr == end) return last_;
  if (std::from_chars(second.ptr + 1, end, begins).ec != std::errc()) return last_;
  return {static_cast<double>(ran) * kNanosecond, static_cast<double>(waited) * kNanosecond,
          static_cast<double>(begins)};
}

ThreadTimes::Reading ThreadTimes::since_last() {
  const Reading now = read_now();
  const Reading before = std::exchange(last_, now);
  return {now.ran - before.ran, now.waited - before.waited, now.begins - before.begins};
}

double ThreadTimes::Reading::waited_for_others() const { return std::max(0.0, waited - begins * kBeginning); }

}  // namespace minnow
