#include "report/chart_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/html.hpp"

namespace minnow {
namespace {

constexpr std::array<std::string_view, 7> kShown = {"tokens", "seconds",   "loss",        "val_loss",
                                                    "lr",     "grad_norm", "tokens_per_s"};

struct ChartKind {
  std::string_view title, unit, metric;
  bool log, smooth, points, wide;
};

constexpr ChartKind kTrainLoss = {"Training loss", "nats per token", "loss", true, true, false, true};
constexpr ChartKind kValLoss = {"Validation loss", "nats per token", "val_loss", true, false, true, true};
constexpr std::array<ChartKind, 3> kOthers = {{
    {"Learning rate", "", "lr", true, false, false, false},
    {"Gradient norm", "before clipping", "grad_norm", true, true, false, false},
    {"Speed", "tokens per second", "tokens_per_s", false, true, false, false},
}};

/// Adds the rows with the lowest and the highest value of a column among [begin, end).
void add_extremes(const RunMetrics& run, std::string_view name, std::size_t begin, std::size_t end,
                  std::vector<std::size_t>& rows) {
  const MetricColumn* const column = run.find(name);
  if (column == nullptr) return;
  std::size_t low = end, high = end;
  for (std::size_t row = begin; row < end; ++row) {
    const double value = column->values[row];
    if (value == kNotFinite) rows.push_back(row);  // a gap must stay one
    if (!std::isfinite(value)) continue;
    if (low == end || value < column->values[low]) low = row;
    if (high == end || value > column->values[high]) high = row;
  }
  if (low != end) rows.insert(rows.end(), {low, high});
}

/// Evaluations are few; where they are not, every so many of them.
void add_evaluations(const RunMetrics& run, std::vector<std::size_t>& rows) {
  const MetricColumn* const val = run.find("val_loss");
  if (val == nullptr) return;
  std::vector<std::size_t> all;
  for (std::size_t row = 0; row < run.steps.size(); ++row) {
    if (!std::isnan(val->values[row])) all.push_back(row);
  }
  const std::size_t every = all.size() / kMostRows + 1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % every == 0 || i + 1 == all.size()) rows.push_back(all[i]);
  }
}

std::string run_json(const RunMetrics& run, std::string_view name) {
  const std::vector<std::size_t> rows = rows_to_keep(run);
  std::string steps;
  for (const std::size_t row : rows) steps += fmt::format("{}{}", steps.empty() ? "" : ",", run.steps[row]);
  std::string json = fmt::format("{{\"name\":{},\"columns\":{{\"step\":[{}]", script_string(name), steps);
  for (const std::string_view shown : kShown) {
    const MetricColumn* const column = run.find(shown);
    if (column == nullptr) continue;
    std::string values;
    for (const std::size_t row : rows) {
      if (!values.empty()) values += ',';
      // Positions keep all their digits: a token count has more than six.
      const double value = column->values[row];
      values += shown == "tokens" && std::isfinite(value) ? fmt::format("{:.0f}", value) : script_number(value);
    }
    json += fmt::format(",\"{}\":[{}]", shown, values);
  }
  return json + "}}";
}

std::string series_json(std::size_t run, std::string_view label, const ChartKind& kind, std::size_t color) {
  return fmt::format(R"({{"run":{},"metric":"{}","label":{},"color":{},"smooth":{},"points":{}}})", run, kind.metric,
                     script_string(label), color, kind.smooth, kind.points);
}

std::string chart_json(const ChartKind& kind, std::string_view title, const std::string& series) {
  return fmt::format(R"({{"title":"{}","unit":"{}","log":{},"wide":{},"series":[{}]}})", title, kind.unit, kind.log,
                     kind.wide, series);
}

std::string document(const std::string& runs, const std::string& charts) {
  return fmt::format("{{\"runs\":[{}],\"charts\":[{}]}}", runs, charts);
}

}  // namespace

std::vector<std::size_t> rows_to_keep(const RunMetrics& run) {
  std::vector<std::size_t> rows;
  const std::size_t count = run.steps.size();
  if (count <= kMostRows) {
    for (std::size_t row = 0; row < count; ++row) rows.push_back(row);
    return rows;
  }
  constexpr std::size_t kPerStretch = 4;  // lowest and highest of two columns
  constexpr std::size_t kStretches = kMostRows / kPerStretch;
  rows = {0, count - 1};
  for (std::size_t stretch = 0; stretch < kStretches; ++stretch) {
    const std::size_t begin = stretch * count / kStretches, end = (stretch + 1) * count / kStretches;
    add_extremes(run, "loss", begin, end, rows);
    add_extremes(run, "grad_norm", begin, end, rows);
  }
  add_evaluations(run, rows);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

std::string run_chart_data(const RunMetrics& run) {
  std::string series = series_json(0, "training", kTrainLoss, 0);
  if (run.find("val_loss") != nullptr) series += "," + series_json(0, "validation", kValLoss, 1);
  std::string charts = chart_json(kTrainLoss, "Loss", series);
  for (const ChartKind& kind : kOthers)
    charts += "," + chart_json(kind, kind.title, series_json(0, kind.metric, kind, 0));
  return document(run_json(run, run.name), charts);
}

std::string comparison_chart_data(std::span<const RunFacts> runs, std::span<const std::string> names) {
  std::string list, charts;
  for (std::size_t i = 0; i < runs.size(); ++i) list += (i > 0 ? "," : "") + run_json(runs[i].metrics, names[i]);
  const std::array<ChartKind, 5> kinds = {kValLoss, kTrainLoss, kOthers[0], kOthers[1], kOthers[2]};
  for (const ChartKind& kind : kinds) {
    std::string series;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (runs[i].metrics.find(kind.metric) == nullptr) continue;
      series += (series.empty() ? "" : ",") + series_json(i, names[i], kind, i);
    }
    if (!series.empty()) charts += (charts.empty() ? "" : ",") + chart_json(kind, kind.title, series);
  }
  return document(list, charts);
}

}  // namespace minnow
