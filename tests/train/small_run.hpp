#pragma once
/// @file
/// Small training runs for tests: text, configuration, sampler, interruptions, and what two runs must share.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "data/data_files.hpp"
#include "minnow/io/checkpoint.hpp"
#include "minnow/kernels/gemm.hpp"
#include "minnow/train/trainer.hpp"

namespace minnow::test {

/// @return English-like text of at least `bytes` bytes, a sentence a line; the same every time.
std::string small_text(std::size_t bytes);

/// A run with everything on: dropout, two micro-batches of leaves, evaluations, samples, checkpoints, decay.
/// @param overrides further KEY=VALUE
LoadedConfig small_config(const std::string& data, const std::vector<std::string>& overrides = {});

/// Who multiplies, and in what precision.
struct Products {
  kernels::GemmBackend backend;
  kernels::GemmPrecision precision;

  /// @return "minnow_f32"
  [[nodiscard]] std::string name() const;
  /// @return KEY=VALUE of the configuration, behind what is given.
  [[nodiscard]] std::vector<std::string> settings(std::vector<std::string> overrides = {}) const;
};

/// @return each backend that can run here, in f32 and in bf16; the usual one in f32 first.
std::vector<Products> all_products();

/// What the command line does for [sample].
std::string sample_with(LanguageModel& model, const Tokenizer* tokenizer, const SampleConfig& sample,
                        std::uint64_t seed, std::int64_t step, const std::function<int()>& interrupted);

/// Thrown instead of an interruption: the process dies without saving.
struct Death {};

/// Keeps notes, warnings and steps; stops after a step or at the n-th time that it is asked.
class Watcher final : public TrainObserver {
 public:
  std::int64_t stop_after_step = -1;
  std::int64_t stop_at_question = -1;  ///< counted from 0
  bool dies = false;                   ///< at the question, instead of asking for an end
  std::int64_t questions = 0;
  std::vector<std::string> notes, warnings;
  std::vector<TrainProgress> steps;
  std::int64_t evaluated = 0, sampled = 0;

  void on_step(const TrainProgress& now) override;
  void on_sample(std::int64_t, const std::string&) override { ++sampled; }
  void on_note(const std::string& text) override { notes.push_back(text); }
  void on_warning(const std::string& text) override { warnings.push_back(text); }
  /// @return 143 when it is time to stop.
  int ask();
  /// @return whether one of the notes and warnings has this text.
  [[nodiscard]] bool heard(const std::string& text) const;

 private:
  bool reached_ = false;
};

/// How one process of a run is started.
struct Start {
  bool resume = true;
  bool overwrite = false;
  bool allow_data_change = false;
  bool exact = false;
  std::filesystem::path init_from{};
};

/// Trains in `run` as one process would.
TrainResult train_once(const LoadedConfig& config, const std::filesystem::path& run, Watcher& watcher,
                       const Start& start = {});
TrainResult train_once(const LoadedConfig& config, const std::filesystem::path& run, const Start& start = {});

/// @return metrics.jsonl without its time columns.
std::string timeless_metrics(const std::filesystem::path& run);

/// @return the scalars of a run's event files, one a line, without those of time.
std::string timeless_events(const std::filesystem::path& run);

/// What a run leaves behind, as far as it must not depend on interruptions.
struct Outcome {
  std::string state;  ///< SHA-256 of weights, optimizer and counters
  std::string metrics, samples;
  std::string events;  ///< as timeless_events() gives them
  bool operator==(const Outcome&) const = default;
};
Outcome outcome_of(const std::filesystem::path& run);

/// Compares with a message that tells what differs.
void expect_same(const Outcome& expected, const Outcome& got, const std::string& what);

/// Inverts one bit of a file.
void flip_bit(const std::filesystem::path& file, std::uint64_t offset);

/// @return SHA-256 of one file of a checkpoint, as its manifest has it.
std::string file_hash(const std::filesystem::path& run, std::int64_t step, const std::string& file);

}  // namespace minnow::test
