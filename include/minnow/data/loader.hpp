#pragma once
/// @file
/// Makes the batch of any training step, and the windows of an evaluation, as pure functions: no state, nothing to
/// save.

#include <cstdint>

#include "minnow/data/batch.hpp"
#include "minnow/data/token_store.hpp"
#include "minnow/data/windows.hpp"

namespace minnow {

/// Streams of random numbers that the data layer uses (RandomKey::stream).
inline constexpr std::uint32_t kStreamDataDraw = 0x64617400;     ///< windows drawn with replacement
inline constexpr std::uint32_t kStreamDataShuffle = 0x64617401;  ///< order of the windows of an epoch
inline constexpr std::uint32_t kStreamDataPhase = 0x64617402;    ///< where the windows of an epoch begin

/// In which order training sees the windows.
enum class SampleOrder {
  kEpoch,   ///< every window once, in a keyed order, then all again in another one
  kRandom,  ///< with replacement: any offset of a stream (as nanoGPT), any window of documents
};

/// What, beside the data, determines every batch.
struct LoaderOptions {
  std::int64_t batch_size = 1;  ///< rows of a step over all ranks and accumulation steps: the global batch
  std::int64_t block_size = 1;  ///< T
  SampleOrder order = SampleOrder::kEpoch;
  std::uint64_t seed = 1;
  std::int32_t document_token = -1;  ///< each one begins a piece of its row (Batch::pieces); -1: rows stay whole
};

/// Training batches. Sample number step * batch_size + row of the run is, under
/// - epoch: window perm_e(i) with e = number / windows, i = number mod windows. Steps run across the end of an epoch,
/// so
///   every batch is full and no window is left out. In a stream whose n - 1 targets are no multiple of T, the windows
///   of epoch e > 0 begin 0 .. (n - 1) mod T tokens later, drawn per epoch, so that the tail is seen too.
/// - random: start uniform in 0 .. n - T - 1 of a stream, or a uniform window of documents.
/// A batch of documents is as long as its longest window, rounded up to a multiple of 8, at most T (over all rows of
/// the step, so that parts of a step have one shape).
class TrainLoader {
 public:
  /// A stream. Throws: DataError when it has fewer than T + 1 tokens, naming both sizes.
  TrainLoader(TokenStore stream, const LoaderOptions& options);

  /// Documents: `windows` lie in `tokens`, whose first id is the boundary.
  TrainLoader(TokenStore tokens, WindowSet windows, const LoaderOptions& options);

  /// @return the batch of step 0, 1, 2, ...: O(batch_size * T), whatever the step. Threads: any number at once.
  [[nodiscard]] Batch make_batch(std::int64_t step) const { return make_rows(step, 0, options_.batch_size); }

  /// @return rows first_row .. first_row + rows - 1 of the batch of `step`, with the shape and counted_in_step of the
  /// whole batch: what one rank or one accumulation step reads.
  [[nodiscard]] Batch make_rows(std::int64_t step, std::int64_t first_row, std::int64_t rows) const;

  /// @return windows that one epoch has (order random: as many as epoch order would have).
  [[nodiscard]] std::int64_t windows() const noexcept { return windows_.count(); }
  /// @return passes over the data after `steps` steps.
  [[nodiscard]] double epochs(std::int64_t steps) const;
  [[nodiscard]] const TokenStore& tokens() const noexcept { return tokens_; }
  [[nodiscard]] const LoaderOptions& options() const noexcept { return options_; }

 private:
  struct Sample {
    std::int64_t id;
    Window window;
  };
  [[nodiscard]] Sample sample(std::int64_t step, std::int64_t row) const;

  TokenStore tokens_;
  WindowSet windows_;
  LoaderOptions options_;
  bool stream_ = false;
};

/// Evaluation windows: each by itself, the same ones whatever the batch size. All batches are as long as the longest
/// window of the split rounded up to a multiple of 8, at most T.
class EvalLoader {
 public:
  EvalLoader() = default;
  EvalLoader(TokenStore tokens, WindowSet windows, std::int64_t block_size, std::int32_t document_token = -1);

  /// @return the number of windows.
  [[nodiscard]] std::int64_t windows() const noexcept { return windows_.count(); }
  /// @return the number of targets, each of them predicted once.
  [[nodiscard]] std::int64_t counted_targets() const noexcept { return windows_.total_length(); }
  /// @return windows first .. first + rows - 1, as many of them as exist. Throws: std::out_of_range when none does.
  [[nodiscard]] Batch make_batch(std::int64_t first, std::int64_t rows) const {
    return make_batch(first, rows, windows());
  }
  /// @param of  how many windows are taken, evenly spread over the split, 1 .. windows()
  /// @return those with the numbers first .. first + rows - 1 among them: number k is window (2 k + 1) windows / (2
  /// of).
  [[nodiscard]] Batch make_batch(std::int64_t first, std::int64_t rows, std::int64_t of) const;
  [[nodiscard]] const TokenStore& tokens() const noexcept { return tokens_; }

 private:
  TokenStore tokens_;
  WindowSet windows_;
  std::int64_t length_ = 0;  // T of every batch
  std::int32_t document_token_ = -1;
};

}  // namespace minnow
