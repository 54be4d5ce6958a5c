#pragma once
/// @file
/// Gathers what a run left on disk that a person may want to read about it.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "minnow/config/load.hpp"
#include "minnow/io/run_log.hpp"
#include "minnow/report/run_metrics.hpp"
#include "minnow/train/profile.hpp"

namespace minnow {

/// Tensors of the same place in every layer.
struct TensorGroup {
  std::string name;                 ///< with `*` for the number of the layer: "transformer.h.*.ln_1.weight"
  std::vector<std::int64_t> shape;  ///< of one of them
  std::string dtype;                ///< as in the file: "F32"
  std::int64_t count = 0;           ///< how many

  /// @return numbers in all of them together.
  [[nodiscard]] double numbers() const;
};

/// A setting that is not the default.
struct ChangedSetting {
  const Key* key;
  std::string value;          ///< TOML text
  std::string default_value;  ///< TOML text
  std::string origin;         ///< "x.toml:12", "--set"
};

/// Everything that a report tells. What is missing or damaged is left empty and named in `problems`.
struct RunFacts {
  RunMetrics metrics;
  std::optional<Config> config;
  std::string config_text;  ///< config.toml as it stands there
  std::vector<ChangedSetting> changed;
  std::vector<LoggedSample> samples;
  std::vector<TensorGroup> tensors;  ///< of the newest checkpoint, in the order of the file
  std::optional<std::int64_t> checkpoint_step;
  std::optional<std::int64_t> best_step;
  std::vector<std::pair<std::string, std::string>> trained_on;  ///< what the checkpoint says of libraries and machine
  std::optional<Profile> profile;                               ///< of `train --profile`
  std::vector<std::string> problems;                            ///< one line each

  /// @return numbers that the model learns; 0 when no checkpoint can be read.
  [[nodiscard]] double parameters() const;
};

/// Reads a run. Only its log must be there.
/// @param path directory of the run, or its metrics.jsonl
/// @param who begins the message of an error: the verb
/// Throws: IoError when there is no log or it cannot be read.
[[nodiscard]] RunFacts read_run_facts(const std::filesystem::path& path, std::string_view who);

/// @return processor, cores and memory of this machine, as Linux tells them.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> this_machine();

}  // namespace minnow
