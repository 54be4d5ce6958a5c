#pragma once
/// @file
/// Reads the loss curves of a run from its metrics.jsonl.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace minnow {

/// One logged value.
struct CurvePoint {
  std::int64_t step = 0;
  double value = 0;  ///< nats per token, finite
};

/// The curves of one run, by ascending step.
struct LossCurves {
  std::string name;               ///< of the run, for legends
  std::vector<CurvePoint> train;  ///< `loss` of each logged step
  std::vector<CurvePoint> val;    ///< `val_loss` of each evaluation
  std::int64_t last_step = 0;     ///< of the last whole line
  std::int64_t not_finite = 0;    ///< values logged as null: NaN or infinity
  std::int64_t bad_lines = 0;     ///< lines that are no JSON object with a step; a torn last line is not counted

  /// @return the evaluation with the lowest loss, the first of equals.
  [[nodiscard]] std::optional<CurvePoint> best() const;
};

/// Reads the lines of a metrics.jsonl. A last line without its line feed is ignored (a process is writing it, or died
/// in it). Where steps go back, the later lines replace the earlier ones.
[[nodiscard]] LossCurves parse_loss_curves(std::string_view content, std::string name);

/// Reads a run.
/// @param path directory of the run, or its metrics.jsonl
/// Throws: IoError when there is nothing or it cannot be read; DataError when it holds no loss at all.
[[nodiscard]] LossCurves read_loss_curves(const std::filesystem::path& path);

}  // namespace minnow
