#include "report/observations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "minnow/base/grouped.hpp"

namespace minnow {
namespace {

/// The finite values of a column.
std::vector<MetricPoint> points_of(const RunMetrics& run, std::string_view name) {
  std::vector<MetricPoint> points;
  const MetricColumn* const column = run.find(name);
  for (std::size_t row = 0; column != nullptr && row < run.steps.size(); ++row) {
    if (std::isfinite(column->values[row])) points.push_back({run.steps[row], column->values[row]});
  }
  return points;
}

/// Mean of the last values up to a step: single batches are noisy.
double mean_before(const std::vector<MetricPoint>& points, std::int64_t step) {
  constexpr std::size_t kMost = 20;
  double sum = 0;
  std::size_t count = 0;
  for (auto point = points.rbegin(); point != points.rend() && count < kMost; ++point) {
    if (point->step > step) continue;
    sum += point->value;
    ++count;
  }
  return count == 0 ? std::nan("") : sum / static_cast<double>(count);
}

void observe_faults(const RunMetrics& run, std::vector<Observation>& all) {
  for (const char* const name : {"loss", "val_loss", "grad_norm"}) {
    const std::int64_t odd = run.not_finite(name);
    if (odd == 0) continue;
    all.push_back({Tone::kBad, fmt::format("{} was not finite in {} logged {}: the curve has a gap there.", name, odd,
                                           odd == 1 ? "step" : "steps")});
  }
  const auto skipped = run.last("skipped_steps");
  if (skipped && skipped->value > 0) {
    all.push_back({Tone::kBad, fmt::format("{:.0f} {} skipped because loss or gradient was not finite.", skipped->value,
                                           skipped->value == 1 ? "step was" : "steps were")});
  }
}

void observe_overfitting(const RunMetrics& run, std::vector<Observation>& all) {
  const auto train = points_of(run, "loss"), val = points_of(run, "val_loss");
  const auto best = run.lowest("val_loss");
  if (!best || val.size() < 3) return;
  const MetricPoint last = val.back();
  constexpr double kRise = 1.01, kFall = 0.99;
  const bool rose = last.value > kRise * best->value && last.step > best->step;
  if (rose && mean_before(train, last.step) < kFall * mean_before(train, best->step)) {
    all.push_back({Tone::kWarn, fmt::format("Overfitting: since step {} the validation loss rose from {:.4f} to {:.4f} "
                                            "while the training loss went on falling. The best checkpoint is that of "
                                            "step {}; more data, dropout or weight decay would help.",
                                            best->step, best->value, last.value, best->step)});
  } else if (rose) {
    all.push_back({Tone::kWarn, fmt::format("The validation loss ended at {:.4f}, above its best, {:.4f} at step {}.",
                                            last.value, best->value, best->step)});
  }
  const auto earlier = std::find_if(val.begin(), val.end(), [&](const auto& p) { return 4 * p.step >= 3 * last.step; });
  const bool falls = best->step == last.step && earlier->step < last.step && last.value < kFall * earlier->value;
  if (falls) {
    all.push_back(
        {Tone::kGood, fmt::format("The validation loss was still falling at the end ({:.4f} at step {}, {:.4f} "
                                  "at step {}): more steps may lower it further.",
                                  earlier->value, earlier->step, last.value, last.step)});
  }
}

/// A spike is far above the median of the ten values before it.
void observe_spikes(const RunMetrics& run, std::vector<Observation>& all) {
  constexpr std::size_t kWindow = 10;
  constexpr double kFactor = 1.3, kLeast = 0.3;  // 30 % and 0.3 nats
  const auto points = points_of(run, "loss");
  std::vector<MetricPoint> spikes;
  for (std::size_t i = kWindow; i < points.size(); ++i) {
    std::vector<double> before;
    for (std::size_t k = i - kWindow; k < i; ++k) before.push_back(points[k].value);
    std::nth_element(before.begin(), before.begin() + kWindow / 2, before.end());
    const double median = before[kWindow / 2];
    if (points[i].value > std::max(kFactor * median, median + kLeast)) spikes.push_back(points[i]);
  }
  if (spikes.empty()) return;
  const auto worst = std::max_element(spikes.begin(), spikes.end(), [](auto& a, auto& b) { return a.value < b.value; });
  all.push_back(
      {Tone::kWarn, fmt::format("The training loss jumped up in {} logged {}, to {:.3f} at step {}: a lower "
                                "learning rate or a longer warm-up would calm it.",
                                spikes.size(), spikes.size() == 1 ? "step" : "steps", worst->value, worst->step)});
}

void observe_clipping(const RunFacts& facts, std::vector<Observation>& all) {
  const auto norms = points_of(facts.metrics, "grad_norm");
  const double clip = facts.config ? facts.config->optimizer.grad_clip : 0;
  if (norms.empty() || clip <= 0) return;
  const auto above = std::count_if(norms.begin(), norms.end(), [&](const auto& p) { return p.value > clip; });
  const double part = static_cast<double>(above) / static_cast<double>(norms.size());
  all.push_back({Tone::kInfo, fmt::format("The gradient was clipped to norm {:g} in {:.0f} % of the logged steps.",
                                          clip, 100 * part)});
}

void observe_length(const RunFacts& facts, std::vector<Observation>& all) {
  const std::int64_t last = facts.metrics.last_step();
  if (!facts.config) return;
  const std::int64_t planned = facts.config->train.max_steps;
  if (last < planned) {
    all.push_back({Tone::kInfo, fmt::format("The log ends at step {} of {}: the run goes on, was stopped, or stopped "
                                            "early.",
                                            last, planned)});
  } else {
    all.push_back({Tone::kGood, fmt::format("All {} steps are done.", grouped(planned))});
  }
}

}  // namespace

std::vector<Observation> observe(const RunFacts& facts) {
  std::vector<Observation> all;
  if (facts.metrics.steps.empty()) {
    all.push_back({Tone::kInfo, "Nothing has been logged yet; the first line comes after log.every_steps steps."});
    return all;
  }
  observe_faults(facts.metrics, all);
  observe_overfitting(facts.metrics, all);
  observe_spikes(facts.metrics, all);
  observe_clipping(facts, all);
  observe_length(facts, all);
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.tone > b.tone; });
  return all;
}

}  // namespace minnow
