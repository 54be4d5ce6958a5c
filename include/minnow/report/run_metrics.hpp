#pragma once
/// @file
/// Reads what a run logged, metrics.jsonl, as a table of columns.

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace minnow {

/// Stands for "this step did not log it".
inline constexpr double kNotLogged = std::numeric_limits<double>::quiet_NaN();
/// Stands for "logged as null": NaN or infinity.
inline constexpr double kNotFinite = std::numeric_limits<double>::infinity();

/// One metric over all logged steps.
struct MetricColumn {
  std::string name;            ///< as logged: loss, val_loss, lr, ...
  std::vector<double> values;  ///< one per row: a finite number, kNotLogged or kNotFinite
};

/// A value at a step.
struct MetricPoint {
  std::int64_t step = 0;
  double value = 0;  ///< finite
};

/// The log of one run, by ascending step. Only numbers are kept.
struct RunMetrics {
  std::string name;                   ///< of the run's directory, for legends
  std::vector<std::int64_t> steps;    ///< one per row, each once
  std::vector<MetricColumn> columns;  ///< in the order in which they first appear
  std::int64_t bad_lines = 0;         ///< lines that are no JSON object with a step; a torn last line is not counted

  /// @return the column of that name, or null.
  [[nodiscard]] const MetricColumn* find(std::string_view column) const;
  /// @return the last finite value of a column, if there is one.
  [[nodiscard]] std::optional<MetricPoint> last(std::string_view column) const;
  /// @return the lowest finite value of a column, the first of equals.
  [[nodiscard]] std::optional<MetricPoint> lowest(std::string_view column) const;
  /// @return how many values of a column were logged as null.
  [[nodiscard]] std::int64_t not_finite(std::string_view column) const;
  /// @return the last logged step, 0 without any.
  [[nodiscard]] std::int64_t last_step() const { return steps.empty() ? 0 : steps.back(); }
};

/// Reads the lines of a metrics.jsonl. A last line without its line feed is ignored (a process is writing it, or died
/// in it). Two lines of one step make one row; where steps go back, the later lines replace the earlier ones.
[[nodiscard]] RunMetrics parse_run_metrics(std::string_view content, std::string name);

/// Reads the log of a run; it may be empty.
/// @param path directory of the run, or its metrics.jsonl
/// @param who begins the message of an error: the verb
/// Throws: IoError when there is none or it cannot be read.
[[nodiscard]] RunMetrics read_run_metrics(const std::filesystem::path& path, std::string_view who);

/// @return the file that read_run_metrics reads.
[[nodiscard]] std::filesystem::path metrics_file(const std::filesystem::path& path);

}  // namespace minnow
