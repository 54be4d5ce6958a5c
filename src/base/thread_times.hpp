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
    double begins = 0;  ///< how often it got a processor
    /// @return how long others had the processor that it waited for. Beginning to run takes a moment by itself: on a
    /// virtual machine a processor that idles needs up to 0.1 ms for it (the slices of another program are about 3 ms).
    [[nodiscard]] double waited_for_others() const;
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
