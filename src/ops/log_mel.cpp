#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "minnow/base/error.hpp"
#include "minnow/ops/audio.hpp"
#include "ops/check.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct LogMel {
  using Attrs = LogMelOptions;
  static constexpr OpDoc kDoc{"log_mel", "log_mel(mel, options) -> y", "y = log(max(mel, floor)), normalised per item",
                              "Radford et al. 2022, Whisper"};

  static Inferred infer(Specs specs, const Attrs& attrs) {
    check_floating("log_mel", specs[0]);
    const Index rank = specs[0].shape.rank();
    if (rank < 2 || rank > 3 || !(attrs.floor > 0)) {
      throw ShapeError(fmt::format(
          "[log_mel] mel must be (frames, n_mels) or (B, frames, n_mels) and the floor above 0; got {} and {}",
          specs[0].str(), attrs.floor));
    }
    return {{specs[0]}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const Index channels = c.inputs[0].size(-1);
    const Index frames = c.inputs[0].size(-2);
    const Index size = frames * channels;
    const T* mel = c.inputs[0].data<T>();
    T* y = c.outputs[0].mutable_data<T>();
    if (size == 0) return;
    parallel_chunks(c.inputs[0].numel() / size, [&](Index item) {
      std::vector<double> logs(static_cast<std::size_t>(size));
      for (Index i = 0; i < size; ++i) {
        const double value = std::max(static_cast<double>(mel[item * size + i]), attrs.floor);
        logs[static_cast<std::size_t>(i)] = attrs.decimal ? std::log10(value) : std::log(value);
      }
      if (attrs.norm == MelNorm::kWhisper) compress(logs);
      if (attrs.norm == MelNorm::kMeanStd) standardise(logs, frames, channels);
      for (Index i = 0; i < size; ++i) y[item * size + i] = static_cast<T>(logs[static_cast<std::size_t>(i)]);
    });
  }

  static std::vector<Sample> samples() {
    const auto with = [](const Attrs& attrs) { return AttrBox::of(attrs); };
    const Tensor mel = sample_numbers({2, 9, 5}, 0.01, 30);
    return {{.note = "as Whisper", .inputs = {mel}, .attrs = with({})},
            {.note = "natural, standardised", .inputs = {mel}, .attrs = with({false, 1e-5, MelNorm::kMeanStd})},
            {.note = "logarithms alone",
             .inputs = {sample_numbers({7, 3}, 0, 1)},
             .attrs = with({false, 0.3, MelNorm::kNone})},
            {.note = "no frames", .inputs = {sample_numbers({0, 3}, 0, 1)}, .attrs = with({})},
            {.note = "one axis", .inputs = {sample_numbers({7}, 0, 1)}, .attrs = with({}), .valid = false},
            {.note = "floor 0", .inputs = {mel}, .attrs = with({.floor = 0}), .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs&) {
    const auto n = static_cast<double>(specs[0].shape.numel());
    return {4 * n, 2 * n * static_cast<double>(size_of(specs[0].dtype))};
  }

 private:
  static void compress(std::vector<double>& logs) {
    const double largest = *std::max_element(logs.begin(), logs.end());
    for (double& value : logs) value = (std::max(value, largest - 8) + 4) / 4;
  }

  static void standardise(std::vector<double>& logs, Index frames, Index channels) {
    const auto at = [&](Index frame, Index channel) -> double& {
      return logs[static_cast<std::size_t>(frame * channels + channel)];
    };
    for (Index channel = 0; channel < channels; ++channel) {
      double mean = 0;
      for (Index i = 0; i < frames; ++i) mean += at(i, channel) / static_cast<double>(frames);
      double variance = 0;
      for (Index i = 0; i < frames; ++i) {
        variance += (at(i, channel) - mean) * (at(i, channel) - mean) / static_cast<double>(frames);
      }
      const double divisor = std::sqrt(variance) + 1e-5;
      for (Index i = 0; i < frames; ++i) at(i, channel) = (at(i, channel) - mean) / divisor;
    }
  }
};

}  // namespace
MINNOW_OP(log_mel, LogMel);
}  // namespace ops

Tensor log_mel(const Tensor& mel, const LogMelOptions& options) { return apply_one(ops::op_log_mel, {mel}, options); }

}  // namespace minnow
