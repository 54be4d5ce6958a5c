#include <algorithm>
#include <cmath>

#include "minnow/report/scaling_page.hpp"

namespace minnow {
namespace {

/// @return the slope of the line through (ln size, ln value).
template <class Value>
double fitted_exponent(const std::vector<ScalingPoint>& points, const Value& value) {
  if (points.size() < 2) return 0;
  const auto count = static_cast<double>(points.size());
  double mean_x = 0;
  double mean_y = 0;
  for (const ScalingPoint& point : points) {
    mean_x += std::log(static_cast<double>(point.size)) / count;
    mean_y += std::log(value(point)) / count;
  }
  double xy = 0;
  double xx = 0;
  for (const ScalingPoint& point : points) {
    const double x = std::log(static_cast<double>(point.size)) - mean_x;
    xy += x * (std::log(value(point)) - mean_y);
    xx += x * x;
  }
  return xx > 0 ? xy / xx : 0;
}

}  // namespace

ScalingGrowth ScalingSweep::growth(std::size_t i) const {
  const ScalingPoint& from = points[i];
  const ScalingPoint& to = points[i + 1];
  ScalingGrowth growth{to.seconds / from.seconds, to.flops / from.flops};
  growth.fast = growth.ratio() > 1 + kScalingTolerance;
  return growth;
}

double ScalingSweep::time_exponent() const {
  return fitted_exponent(points, [](const ScalingPoint& point) { return point.seconds; });
}

double ScalingSweep::flops_exponent() const {
  return fitted_exponent(points, [](const ScalingPoint& point) { return point.flops; });
}

bool ScalingSweep::fast() const {
  for (std::size_t i = 0; i + 1 < points.size(); ++i)
    if (growth(i).fast) return true;
  return false;
}

}  // namespace minnow
