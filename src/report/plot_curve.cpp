/// @file
/// Takes from a run what a drawing shows.

#include <fmt/format.h>

#include <cmath>

#include "minnow/report/curve_plot.hpp"

namespace minnow {
namespace {

/// Losses with four decimals, everything else with four digits.
std::string figure(std::string_view metric, double value) {
  return metric.find("loss") != std::string_view::npos ? fmt::format("{:.4f}", value) : fmt::format("{:.4g}", value);
}

std::vector<PlotPoint> points_of(const RunMetrics& run, std::string_view metric, CurveAxis axis) {
  std::vector<PlotPoint> points;
  const MetricColumn* const y = run.find(metric);
  const MetricColumn* const x =
      axis == CurveAxis::kStep ? nullptr : run.find(axis == CurveAxis::kTokens ? "tokens" : "seconds");
  if (y == nullptr || (axis != CurveAxis::kStep && x == nullptr)) return points;
  for (std::size_t row = 0; row < run.steps.size(); ++row) {
    const double at = x == nullptr ? static_cast<double>(run.steps[row]) : x->values[row];
    if (!std::isfinite(y->values[row]) || !std::isfinite(at)) continue;
    if (points.empty() || at >= points.back().x) points.push_back({at, y->values[row]});
  }
  return points;
}

std::string figures_of(const RunMetrics& run, std::string_view metric, const std::string& val) {
  std::string text = fmt::format("step {}", run.last_step());
  if (const auto last = run.last(metric)) text += fmt::format(", {} {}", metric, figure(metric, last->value));
  if (const auto last = run.last(val)) text += fmt::format(", {} {}", val, figure(val, last->value));
  const auto best = run.lowest(val);
  if (best) text += fmt::format(", best {} at step {}", figure(val, best->value), best->step);
  const auto windows = run.last("val_windows");
  if (best && windows && metric == "loss") text += fmt::format(" ({:.0f} windows)", windows->value);
  if (const auto whole = run.last("final_" + val)) text += fmt::format(", whole split {}", figure(val, whole->value));
  const std::int64_t odd = run.not_finite(metric) + run.not_finite(val);
  if (odd > 0) text += fmt::format(", {} not finite", odd);
  return text;
}

}  // namespace

PlotCurve make_plot_curve(const RunMetrics& run, std::string_view metric, CurveAxis axis) {
  const std::string val = fmt::format("val_{}", metric);
  return {.name = run.name,
          .metric = std::string(metric),
          .line = points_of(run, metric, axis),
          .marks = points_of(run, val, axis),
          .figures = figures_of(run, metric, val)};
}

}  // namespace minnow
