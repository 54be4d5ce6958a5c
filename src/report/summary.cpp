#include "report/summary.hpp"

#include <algorithm>
#include <cmath>

namespace minnow {
namespace {

std::optional<double> value_of(const std::optional<MetricPoint>& point) {
  return point ? std::optional(point->value) : std::nullopt;
}

std::optional<double> median(const RunMetrics& run, std::string_view name) {
  const MetricColumn* const column = run.find(name);
  std::vector<double> values;
  if (column != nullptr) {
    std::copy_if(column->values.begin(), column->values.end(), std::back_inserter(values),
                 [](double value) { return std::isfinite(value); });
  }
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Summary summarize(const RunMetrics& run) {
  Summary summary;
  summary.tokens = value_of(run.last("tokens"));
  summary.seconds = value_of(run.last("seconds"));
  summary.tokens_per_s = median(run, "tokens_per_s");
  summary.train_loss = run.last("loss");
  summary.val_loss = run.last("val_loss");
  summary.best_val_loss = run.lowest("val_loss");
  summary.val_bits_per_byte = run.last("val_bits_per_byte");
  summary.best_bits_per_byte = run.lowest("val_bits_per_byte");
  summary.final_val_loss = run.last("final_val_loss");
  summary.final_bits_per_byte = run.last("final_val_bits_per_byte");
  summary.val_windows = value_of(run.last("val_windows"));
  summary.skipped_steps = value_of(run.last("skipped_steps")).value_or(0);
  return summary;
}

}  // namespace minnow
