#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "minnow/base/error.hpp"
#include "minnow/kernels/gemm.hpp"
#include "minnow/ops/audio.hpp"
#include "ops/check.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

constexpr Index kFrames = 64;  // transformed together

/// (n_fft, 2 bins): the window times cosines, then times sines. One product with it transforms many frames; for the few
/// hundred samples of a speech frame that costs no more than a fast transform frame by frame.
std::vector<double> windowed_waves(const MelOptions& o) {
  const Index bins = o.n_fft / 2 + 1;
  const auto angle = [](Index k, Index n) {
    return 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
  };
  std::vector<double> circle;  // cosines of the n_fft angles, exact by periodicity
  std::vector<double> sines;
  for (Index k = 0; k < o.n_fft; ++k) {
    circle.push_back(std::cos(angle(k, o.n_fft)));
    sines.push_back(std::sin(angle(k, o.n_fft)));
  }
  std::vector<double> waves(static_cast<std::size_t>(o.n_fft * 2 * bins), 0.0);
  const Index first = (o.n_fft - o.win_length) / 2;
  for (Index n = first; n < first + o.win_length; ++n) {
    const double window = 0.5 - 0.5 * std::cos(angle(n - first, o.win_length));
    double* row = waves.data() + n * 2 * bins;
    for (Index bin = 0; bin < bins; ++bin) {
      const auto at = static_cast<std::size_t>(n * bin % o.n_fft);
      row[bin] = window * circle[at];
      row[bins + bin] = window * sines[at];
    }
  }
  return waves;
}

struct MelSpectrogram {
  using Attrs = MelOptions;
  static constexpr OpDoc kDoc{"mel_spectrogram", "mel_spectrogram(wave, options) -> mel",
                              "filters times |Fourier transform|^power of each windowed frame", "Slaney 1998; HTK"};

  /// @return frames of a wave of n samples, before any is dropped.
  static Index frames_of(Index n, const Attrs& o) {
    const Index padded = o.center ? n + o.n_fft / 2 * 2 : n;
    return padded < o.n_fft ? 0 : 1 + (padded - o.n_fft) / o.hop;
  }

  static Inferred infer(Specs specs, const Attrs& o) {
    check_floating("mel_spectrogram", specs[0]);
    const Shape& wave = specs[0].shape;
    const bool sizes = o.n_fft >= 2 && o.win_length >= 1 && o.win_length <= o.n_fft && o.hop >= 1 && o.n_mels >= 1 &&
                       (o.power == 1 || o.power == 2) && o.f_min >= 0 && o.f_min < o.f_max && std::isfinite(o.f_max) &&
                       o.sample_rate > 0 && std::isfinite(o.sample_rate);
    if (!sizes || wave.rank() < 1 || wave.rank() > 2) {
      throw ShapeError(
          fmt::format("[mel_spectrogram] the wave must be (N) or (B, N), 1 <= win_length <= n_fft, hop and n_mels 1 or "
                      "more, power 1 or 2 and 0 <= f_min < f_max; got {}, win_length {}, n_fft {}, hop {}, n_mels {}, "
                      "power {}, {} and {}",
                      wave.str(), o.win_length, o.n_fft, o.hop, o.n_mels, o.power, o.f_min, o.f_max));
    }
    const bool mirrors = !o.center || wave.back() > o.n_fft / 2;
    const Index frames = mirrors ? frames_of(wave.back(), o) - (o.drop_last_frame ? 1 : 0) : 0;
    if (frames < 1) {
      throw ShapeError(fmt::format(
          "[mel_spectrogram] the wave must hold a frame and more than half of n_fft {}; got {}", o.n_fft, wave.str()));
    }
    Shape mel = wave;
    mel[mel.rank() - 1] = frames;
    mel.push_back(o.n_mels);
    return {{{mel, specs[0].dtype}}, {}};
  }

  /// @return sample `at` of a wave of n samples that is mirrored at both ends, which stand for themselves once.
  template <class T>
  static double sample_at(const T* wave, Index n, Index at) {
    if (at < 0) at = -at;
    if (at >= n) at = 2 * (n - 1) - at;
    return static_cast<double>(wave[at]);
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& o) {
    const Index n = c.inputs[0].size(-1);
    const Index bins = o.n_fft / 2 + 1;
    const Index frames = c.outputs[0].size(-2);
    const Index items = c.inputs[0].numel() / n;
    const std::vector<double> waves = windowed_waves(o);
    const Tensor filters = mel_filters(o, DType::f64);
    const T* from = c.inputs[0].data<T>();
    T* to = c.outputs[0].mutable_data<T>();
    const Index blocks = (frames + kFrames - 1) / kFrames;
    parallel_chunks(items * blocks, [&](Index unit) {
      const T* wave = from + unit / blocks * n;
      const Index first = unit % blocks * kFrames;
      const Index count = std::min(kFrames, frames - first);
      const auto matrix = [](Index rows, Index columns) {
        return std::vector<double>(static_cast<std::size_t>(rows * columns));
      };
      std::vector<double> cut = matrix(count, o.n_fft);
      for (Index i = 0; i < count; ++i) {
        const Index start = (first + i) * o.hop - (o.center ? o.n_fft / 2 : 0);
        double* row = cut.data() + i * o.n_fft;
        for (Index k = 0; k < o.n_fft; ++k) row[k] = sample_at(wave, n, start + k);
      }
      std::vector<double> parts = matrix(count, 2 * bins);
      product(parts.data(), cut.data(), waves.data(), count, 2 * bins, o.n_fft, false);
      std::vector<double> strength = matrix(count, bins);
      for (Index i = 0; i < count * bins; ++i) {
        const double* pair = parts.data() + i / bins * 2 * bins + i % bins;
        const double square = pair[0] * pair[0] + pair[bins] * pair[bins];
        strength[static_cast<std::size_t>(i)] = o.power == 2 ? square : std::sqrt(square);
      }
      std::vector<double> mel = matrix(count, o.n_mels);
      product(mel.data(), strength.data(), filters.data<double>(), count, o.n_mels, bins, true);
      T* out = to + (unit / blocks * frames + first) * o.n_mels;
      for (Index i = 0; i < count * o.n_mels; ++i) out[i] = static_cast<T>(mel[static_cast<std::size_t>(i)]);
    });
  }

  static std::vector<Sample> samples() {
    const auto with = [](const Attrs& o) { return AttrBox::of(o); };
    const Attrs small{.sample_rate = 8000, .n_fft = 64, .win_length = 64, .hop = 20, .n_mels = 6, .f_max = 4000};
    Attrs htk = small;
    htk.center = false;
    htk.win_length = 40;
    htk.power = 1;
    htk.scale = MelScale::kHtk;
    htk.area_norm = false;
    htk.f_min = 100;
    Attrs dropping = small;
    dropping.drop_last_frame = true;
    Attrs no_hop = small;
    no_hop.hop = 0;
    return {{.note = "centred", .inputs = {sample_numbers({300}, -1, 1)}, .attrs = with(small)},
            {.note = "magnitudes, htk", .inputs = {sample_numbers({300}, -1, 1)}, .attrs = with(htk)},
            {.note = "two waves", .inputs = {sample_numbers({2, 2000}, -1, 1)}, .attrs = with(dropping)},
            {.note = "too short", .inputs = {sample_numbers({32}, -1, 1)}, .attrs = with(small), .valid = false},
            {.note = "no frame", .inputs = {sample_numbers({63}, -1, 1)}, .attrs = with(htk), .valid = false},
            {.note = "hop 0", .inputs = {sample_numbers({300}, -1, 1)}, .attrs = with(no_hop), .valid = false},
            {.note = "ids", .inputs = {sample_ids({300}, 0, 9)}, .attrs = with(small), .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs& o) {
    const Index n = specs[0].shape.back();
    const Index items = specs[0].shape.numel() / n;
    const auto frames = static_cast<double>(items * frames_of(n, o));
    const Index bin_count = o.n_fft / 2 + 1;
    const auto bins = static_cast<double>(bin_count);
    return {frames * bins * 2 * (2 * static_cast<double>(o.n_fft) + static_cast<double>(o.n_mels)),
            (static_cast<double>(specs[0].shape.numel()) + frames * static_cast<double>(o.n_mels)) *
                static_cast<double>(size_of(specs[0].dtype))};
  }

 private:
  /// c (m, n) = a (m, k) times b, stored (k, n) or, `turned`, (n, k).
  static void product(double* c, const double* a, const double* b, Index m, Index n, Index k, bool turned) {
    kernels::gemm<double>(
        {.m = m, .n = n, .k = k, .a = a, .lda = k, .b = b, .ldb = turned ? k : n, .trans_b = turned, .c = c, .ldc = n});
  }
};

}  // namespace
MINNOW_OP(mel_spectrogram, MelSpectrogram);
}  // namespace ops

Tensor mel_spectrogram(const Tensor& wave, const MelOptions& options) {
  return apply_one(ops::op_mel_spectrogram, {wave}, options);
}

}  // namespace minnow
