// Triangular filters on the mel scale.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "minnow/base/error.hpp"
#include "minnow/ops/audio.hpp"

namespace minnow {
namespace {

constexpr double kKnee = 1000;  // Hz: Slaney's scale is a line below and a logarithm above
constexpr double kKneeMel = 15;
const double kLogStep = std::log(6.4) / 27;

double to_mel(double hz, MelScale scale) {
  if (scale == MelScale::kHtk) return 2595 * std::log10(1 + hz / 700);
  return hz < kKnee ? 3 * hz / 200 : kKneeMel + std::log(hz / kKnee) / kLogStep;
}

double to_hz(double mel, MelScale scale) {
  if (scale == MelScale::kHtk) return 700 * (std::pow(10.0, mel / 2595) - 1);
  return mel < kKneeMel ? 200 * mel / 3 : kKnee * std::exp((mel - kKneeMel) * kLogStep);
}

}  // namespace

Tensor mel_filters(const MelOptions& options, DType dtype) {
  if (options.n_mels < 1 || options.n_fft < 2 || !(options.f_min >= 0 && options.f_min < options.f_max) ||
      !(options.sample_rate > 0) || !std::isfinite(options.f_max) || !std::isfinite(options.sample_rate)) {
    throw ShapeError(fmt::format(
        "[mel_filters] n_mels must be 1 or more, n_fft 2 or more and 0 <= f_min < f_max; got {}, {}, {} and "
        "{}",
        options.n_mels, options.n_fft, options.f_min, options.f_max));
  }
  const Index bins = options.n_fft / 2 + 1;
  Tensor filters = Tensor::empty({options.n_mels, bins}, DType::f64);  // first, since it refuses what is too large
  std::vector<double> points;                                          // in Hz
  const double low = to_mel(options.f_min, options.scale);
  const double high = to_mel(options.f_max, options.scale);
  for (Index i = 0; i < options.n_mels + 2; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(options.n_mels + 1);
    points.push_back(to_hz(low + (high - low) * share, options.scale));
  }
  auto* to = filters.mutable_data<double>();
  for (Index mel = 0; mel < options.n_mels; ++mel) {
    const double* point = points.data() + mel;
    const double norm = options.area_norm ? 2 / (point[2] - point[0]) : 1;
    for (Index bin = 0; bin < bins; ++bin) {
      const double hz = static_cast<double>(bin) * options.sample_rate / static_cast<double>(options.n_fft);
      const double rising = (hz - point[0]) / (point[1] - point[0]);
      const double falling = (point[2] - hz) / (point[2] - point[1]);
      to[mel * bins + bin] = norm * std::max(0.0, std::min(rising, falling));
    }
  }
  return filters.to(dtype);
}

}  // namespace minnow
