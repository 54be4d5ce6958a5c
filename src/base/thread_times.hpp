#pragma once
/// @file
/// How long a thread ran, and how long it was ready but had no processor.

namespace minnow {

/// Reads /proc/self/task/ID/schedstat of one thread of this process.
class ThreadTimes {
 public:
  /// Seconds since the thread began.
  struct Reading {
    double ran = 0, waited = 0;
  };

  explicit ThreadTimes(int thread_id);
  ThreadTimes(ThreadTimes&& other) noexcept;
  ThreadTimes& operator=(ThreadTimes&& other) noexcept;
  ~ThreadTimes();

  /// @return whether the system tells.
  [[nodiscard]] bool known() const { return file_ >= 0; }
  /// @return what came since the last call; zeros where the system does not tell.
  Reading since_last();

 private:
  [[nodiscard]] Reading read_now() const;

  int file_ = -1;
  Reading last_;
};

}  // namespace minnow
