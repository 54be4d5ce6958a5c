#pragma once
/// @file
/// Takes the time of everything that a training run does, operation by operation, against what the machine can do.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "minnow/autograd/stopwatch.hpp"
#include "minnow/train/machine_roof.hpp"

namespace minnow {

/// All calls of one operation on one set of shapes in one pass. Numbers are per training step.
struct ProfilePart {
  std::string name;
  std::string pass;    ///< "forward", "backward" or "optimizer"
  std::string inputs;  ///< shapes
  double calls = 0;    ///< whole where all batches have one shape
  double seconds = 0;  ///< of all calls together, as flops and bytes
  double flops = 0;
  double bytes = 0;  ///< that must be read or written at least once

  [[nodiscard]] double gflops() const { return seconds > 0 ? flops / seconds / 1e9 : 0; }
  [[nodiscard]] double gb_per_s() const { return seconds > 0 ? bytes / seconds / 1e9 : 0; }
  /// @return the least time that the roof allows, as a share of the time taken.
  [[nodiscard]] double share(const MachineRoof& roof) const;
  /// @return what bounds it, as MachineRoof::bound() says.
  [[nodiscard]] const char* bound(const MachineRoof& roof) const;
};

/// What a run does beside its steps, over all of the profiled time.
struct ProfileActivity {
  std::string name;  ///< "data", "evaluation", "sample", "log" or "checkpoint"
  std::int64_t count = 0;
  double seconds = 0;
};

/// Where the time of a run went.
struct Profile {
  std::int64_t steps = 0;          ///< profiled ones; the first ones of a process are not among them
  double step_seconds = 0;         ///< mean of a training step: passes, optimizer and what lies between operations
  double tokens_per_step = 0;      ///< counted ones, mean
  double seconds = 0;              ///< from the first profiled step to the end of the run
  std::vector<ProfilePart> parts;  ///< the longest first
  std::vector<ProfileActivity> activities;
  MachineRoof roof;
  int threads = 0;
  std::string precision, gemm;  ///< as the configuration and kernels::gemm_name() call them
  std::int64_t peak_rss_mb = 0;

  /// @return seconds per step in one of the passes.
  [[nodiscard]] double pass_seconds(std::string_view pass) const;
  /// @return seconds per step that lie between operations: the engine's own bookkeeping.
  [[nodiscard]] double between_seconds() const;
  /// @return flops of a step, those of backward and optimizer among them.
  [[nodiscard]] double step_flops() const;
  /// @return seconds that belong to no step and no activity.
  [[nodiscard]] double other_seconds() const;
  /// Raises the roof to the best rate that any operation reached, so that no share is above 1: what was measured alone,
  /// on a few comfortable shapes and moments, is no bound where an operation was faster.
  void raise_roof();
};

/// Collects a Profile while steps run. What backward computes counts twice what forward does (one product becomes two),
/// which is exact for products.
/// Threads: of the thread that trains alone.
class Profiler final : public OpStopwatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// Steps before the first profiled one: they record the memory plan and warm up caches and threads.
  static constexpr std::int64_t kUntimedSteps = 2;

  void begin() override;
  void end(const OpRun& run) override;

  /// Begins forward and backward of one leaf: what was left open by an exception is forgotten.
  void begin_leaf() { open_.clear(); }

  /// Times a part of the step that is no operation.
  template <class Work>
  void timed(std::string_view name, std::string_view inputs, double flops, double bytes, const Work& work) {
    const auto from = Clock::now();
    work();
    add(name, "optimizer", std::string(inputs), seconds_since(from), flops, bytes);
  }

  /// A step begins; ends, after `tokens` counted tokens.
  void begin_step();
  void end_step(double tokens);

  /// An activity begun at `from` ends. Counts only once steps are profiled.
  void add_activity(std::string_view name, Clock::time_point from);

  /// @return what was collected, without what the caller knows: precision and roof.
  [[nodiscard]] Profile finish() const;

  [[nodiscard]] static double seconds_since(Clock::time_point from) {
    return std::chrono::duration<double>(Clock::now() - from).count();
  }

 private:
  struct Open {
    Clock::time_point from;
    double inside = 0;  // seconds of operations that ran inside
  };
  using Key = std::tuple<std::string_view, std::string_view, std::string>;

  void add(std::string_view name, std::string_view pass, std::string inputs, double seconds, double flops,
           double bytes);

  std::map<Key, ProfilePart> parts_;  // names are those of operations, which live forever, and literals
  std::vector<Open> open_;
  std::vector<ProfileActivity> activities_;
  std::int64_t begun_ = 0, steps_ = 0;
  double step_seconds_ = 0, tokens_ = 0;
  Clock::time_point step_from_, first_from_;
};

/// Adds the time until the end of the block to an activity; does nothing without a profiler.
class ActivityClock {
 public:
  ActivityClock(Profiler* profiler, std::string_view name) : profiler_(profiler), name_(name) {
    if (profiler_ != nullptr) from_ = Profiler::Clock::now();
  }
  ~ActivityClock() {
    if (profiler_ != nullptr) profiler_->add_activity(name_, from_);
  }
  ActivityClock(const ActivityClock&) = delete;
  ActivityClock& operator=(const ActivityClock&) = delete;

 private:
  Profiler* profiler_;
  std::string_view name_;
  Profiler::Clock::time_point from_;
};

/// @return the profile as a table for people. @param most rows of operations, the longest; the others are one row
[[nodiscard]] std::string profile_table(const Profile& profile, std::size_t most = 40);

/// @return the profile as JSON, one object.
[[nodiscard]] std::string profile_json(const Profile& profile);

/// Reads what profile_json() wrote. Throws: DataError when it is damaged.
[[nodiscard]] Profile parse_profile(std::string_view json);

/// Names of a profile's files in a run directory.
inline constexpr const char* kProfileFile = "profile.json";
inline constexpr const char* kProfileTable = "profile.txt";

/// Writes both files. Throws: IoError.
void write_profile(const std::filesystem::path& run_dir, const Profile& profile);

}  // namespace minnow
