#pragma once
/// @file
/// Appends to the logs of a run, and cuts them at the step where a run goes on.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "minnow/io/file.hpp"

namespace minnow {

/// A value of a metric. Numbers that are not finite are written as null.
using MetricValue = std::variant<bool, std::int64_t, double, std::string>;
/// Name and value, in the order in which they stand in the line.
using MetricFields = std::vector<std::pair<std::string, MetricValue>>;

/// A file that only grows, line by line. An append that fails part-way is taken back, so no torn line stays behind
/// unless the process dies in it.
class AppendFile {
 public:
  /// Opens for appending; creates the file. @throws IoError
  explicit AppendFile(const std::filesystem::path& path, FileAccess access = FileAccess::kUsual);
  ~AppendFile();
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&& other) noexcept;
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  /// Appends in one call to the system; other processes see it at once. A file that was removed or moved away is begun
  /// anew. @throws IoError
  void append(std::string_view text);
  /// Forces everything appended to the disk: call before saving the checkpoint that the log belongs to. @throws IoError
  void sync();

 private:
  std::filesystem::path path_;
  FileAccess access_ = FileAccess::kUsual;
  int descriptor_ = -1;
};

/// metrics.jsonl: one JSON object per line, `step` first.
class MetricsLog {
 public:
  /// Opens (or creates) the file and cuts it: with `resumed_step`, lines of later steps are dropped; a torn last line
  /// is always dropped. Without `resumed_step` the other lines stay. @throws IoError
  explicit MetricsLog(const std::filesystem::path& path, std::optional<std::int64_t> resumed_step = std::nullopt);
  /// Appends {"step": step, fields...}. @throws IoError
  void append(std::int64_t step, const MetricFields& fields);
  void sync() { file_.sync(); }

 private:
  AppendFile file_;
};

/// samples.txt: sections of the form `=== step 1000, 532 bytes ===`, newline, that many bytes of text, newline. The
/// count makes any text safe, even one that looks like a heading.
class SamplesLog {
 public:
  /// Opens and cuts like MetricsLog. @throws IoError
  explicit SamplesLog(const std::filesystem::path& path, std::optional<std::int64_t> resumed_step = std::nullopt);
  /// Appends a section. @throws IoError
  void append(std::int64_t step, std::string_view text);
  void sync() { file_.sync(); }

 private:
  AppendFile file_;
};

/// One section of samples.txt.
struct LoggedSample {
  std::int64_t step = 0;
  std::string text;  ///< any bytes
};

/// @return the whole sections of a samples.txt in their order; a torn one and what is no section are left out.
[[nodiscard]] std::vector<LoggedSample> parse_samples(std::string_view content);

/// @return the line that MetricsLog::append writes, without the newline.
[[nodiscard]] std::string metrics_line(std::int64_t step, const MetricFields& fields);
/// @return the content of a metrics.jsonl cut as MetricsLog does.
[[nodiscard]] std::string cut_metrics(std::string_view content, std::optional<std::int64_t> resumed_step);
/// @return the content of a samples.txt cut as SamplesLog does.
[[nodiscard]] std::string cut_samples(std::string_view content, std::optional<std::int64_t> resumed_step);

}  // namespace minnow
