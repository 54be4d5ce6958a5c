#include "minnow/report/export.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "minnow/io/tfevents.hpp"

namespace minnow {
namespace {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv_number(double value) {
  if (std::isnan(value)) return "";
  return std::isinf(value) ? "nan" : fmt::format("{}", value);
}

/// Four blanks before each line: Markdown then shows the text as it is.
std::string as_code(const std::string& text) {
  std::string code = "    ";
  for (const char c : text) {
    code += c;
    if (c == '\n') code += "    ";
  }
  return code;
}

EventScalars scalars_of(const RunMetrics& run, std::size_t row) {
  EventScalars scalars;
  for (const MetricColumn& column : run.columns) {
    const double value = column.values[row];
    if (std::isnan(value)) continue;
    scalars.emplace_back(event_tag(column.name), std::isinf(value) ? std::numeric_limits<double>::quiet_NaN() : value);
  }
  return scalars;
}

}  // namespace

std::string metrics_csv(const RunMetrics& run) {
  std::string csv = "step";
  for (const MetricColumn& column : run.columns) csv += "," + csv_cell(column.name);
  csv += '\n';
  for (std::size_t row = 0; row < run.steps.size(); ++row) {
    csv += fmt::format("{}", run.steps[row]);
    for (const MetricColumn& column : run.columns) csv += "," + csv_number(column.values[row]);
    csv += '\n';
  }
  return csv;
}

std::string tensorboard_events(const RunFacts& run, double start) {
  const RunMetrics& log = run.metrics;
  const MetricColumn* const seconds = log.find("seconds");
  std::string events = events_header(start);
  if (!run.config_text.empty()) events += text_event(start, 0, "config", as_code(run.config_text));
  double time = start;
  std::size_t next = 0;  // sample
  for (std::size_t row = 0; row < log.steps.size(); ++row) {
    if (seconds != nullptr && std::isfinite(seconds->values[row])) time = start + seconds->values[row];
    for (; next < run.samples.size() && run.samples[next].step <= log.steps[row]; ++next) {
      events += text_event(time, run.samples[next].step, "sample", as_code(run.samples[next].text));
    }
    const EventScalars scalars = scalars_of(log, row);
    if (!scalars.empty()) events += scalars_event(time, log.steps[row], scalars);
  }
  for (; next < run.samples.size(); ++next) {
    events += text_event(time, run.samples[next].step, "sample", as_code(run.samples[next].text));
  }
  return events;
}

}  // namespace minnow
