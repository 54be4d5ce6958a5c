#include "cli/curve_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "cli/terminal.hpp"
#include "minnow/base/error.hpp"
#include "minnow/config/nearest.hpp"

namespace minnow::cli {

bool shows_utf8() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    for (const char* const code : {"UTF-8", "utf-8", "UTF8", "utf8"}) {
      if (std::strstr(value, code) != nullptr) return true;
    }
    return false;
  }
  return false;
}

void CurveOptions::declare(Options& options) {
  options.text("-m,--metric", metric,
               "What to draw: loss (the default), lr, grad_norm, tokens_per_s, ... as metrics.jsonl names it");
  options.choice("-x,--x", axis, {"step", "tokens", "time"}, "What it stands against");
  options.flag("--log", log_scale, "Use a logarithmic y axis");
  options.flag("--ascii", ascii, "Use ASCII characters only (also without a UTF-8 locale)");
}

CurveAxis CurveOptions::curve_axis() const {
  if (axis == "tokens") return CurveAxis::kTokens;
  return axis == "time" ? CurveAxis::kTime : CurveAxis::kStep;
}

PlotOptions CurveOptions::plot_options() const {
  PlotOptions options;
  options.unicode = !ascii && shows_utf8();
  options.color = use_color(STDOUT_FILENO);
  options.log_scale = log_scale;
  options.axis = curve_axis();
  return options;
}

void require_metric(const RunMetrics& run, const std::string& path, const std::string& metric) {
  const std::string val = "val_" + metric;
  if (run.last(metric) || run.last(val)) return;
  const std::string file = metrics_file(path).string();
  std::vector<std::string_view> names;
  for (const MetricColumn& column : run.columns) names.push_back(column.name);
  const bool known = std::find(names.begin(), names.end(), metric) != names.end();
  if (!known && !names.empty() && metric != "loss") {
    const std::string_view near = nearest_name(metric, names);
    throw DataError(fmt::format("[plot] {} must hold the metric {}; it has {}.{}", file, metric, fmt::join(names, ", "),
                                near.empty() ? "" : fmt::format(" Hint: did you mean {}?", near)));
  }
  const bool odd = run.not_finite(metric) + run.not_finite(val) > 0;
  throw DataError(fmt::format(
      "[plot] {} must hold at least one {}; got {}. Hint: the first one is logged after log.every_steps steps", file,
      metric,
      odd                 ? "only values that are not finite"
      : run.bad_lines > 0 ? "lines that are no metrics"
                          : "none"));
}

}  // namespace minnow::cli
