#pragma once
/// @file
/// Proves on the spot that a run resumes exactly: straight and interrupted, compared bit by bit.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "minnow/config/load.hpp"
#include "minnow/train/trainer.hpp"

namespace minnow {

struct VerifyOptions {
  LoadedConfig config;
  std::int64_t steps = 20;               ///< length of the runs compared
  std::vector<std::int64_t> interrupts;  ///< steps after which a run is stopped and resumed; empty: each step once
  TextSampler sampler;                   ///< writes the text of [sample]; empty: no samples are compared
  std::vector<int> threads;              ///< further whole runs at these thread counts
  std::filesystem::path scratch;         ///< existing directory to work in; what is made there is removed
  std::function<void(const std::string&)> report;  ///< one line per comparison
  std::function<int()> interrupted;
};

/// One comparison with the straight run.
struct VerifyRow {
  std::string what;  ///< "interrupted after step 7", "interrupted inside the evaluation of step 10", "3 threads"
  std::string hash;  ///< SHA-256 of all state
  bool same_state = false;
  bool same_metrics = false;  ///< metrics.jsonl without its time columns
  bool same_samples = false;  ///< samples.txt, every byte

  [[nodiscard]] bool same_logs() const { return same_metrics && same_samples; }
};

struct VerifyResult {
  std::string hash;  ///< of the straight run
  std::vector<VerifyRow> rows;
  [[nodiscard]] bool ok() const;
};

/// Runs `steps` steps straight, then again with interruptions and other thread counts, and compares the SHA-256 of all
/// state, metrics.jsonl without its time columns, and samples.txt.
///
/// Interruptions come after steps and between the batches of evaluations. So that both are seen in few steps, a run
/// that evaluates or samples more rarely does so in the middle and at the end, and evaluations are cut into at least
/// four batches (which changes no result). Throws: as train().
[[nodiscard]] VerifyResult verify_resume(const VerifyOptions& options);

}  // namespace minnow
