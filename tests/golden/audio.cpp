// Adapter of the kind audio.

#include "minnow/ops/audio.hpp"

#include "golden/adapter.hpp"

namespace minnow::golden {
namespace {

/// @return which of the names the option has.
std::size_t choice(Call& call, const char* key, const std::vector<std::string>& names) {
  const std::string given = call.options.text(key);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == given) return i;
  }
  throw Unsupported(std::string("option ") + key + " is " + given);
}

Outcome log_mel_of_wave(Call& call) {
  call.options.require("window", "hann_periodic");
  call.options.require("pad_mode", "reflect");
  MelOptions mel;
  mel.sample_rate = call.options.number("sample_rate");
  mel.n_fft = call.options.integer("n_fft");
  mel.win_length = call.options.integer("win_length");
  mel.hop = call.options.integer("hop");
  mel.center = call.options.flag("center");
  mel.drop_last_frame = call.options.flag("drop_last_frame");
  mel.power = static_cast<int>(call.options.integer("power"));
  mel.n_mels = call.options.integer("n_mels");
  mel.f_min = call.options.number("f_min");
  mel.f_max = call.options.number("f_max");
  mel.scale = choice(call, "mel_scale", {"slaney", "htk"}) == 0 ? MelScale::kSlaney : MelScale::kHtk;
  mel.area_norm = choice(call, "mel_norm", {"none", "slaney"}) == 1;
  LogMelOptions log;
  log.decimal = choice(call, "log", {"ln", "log10"}) == 1;
  log.floor = call.options.number("floor");
  constexpr MelNorm kNorms[] = {MelNorm::kNone, MelNorm::kWhisper, MelNorm::kMeanStd};
  log.norm = kNorms[choice(call, "normalisation", {"none", "whisper", "mean_std"})];
  const Tensor spectrogram = mel_spectrogram(call.in("wave"), mel);
  return {{{"filters", mel_filters(mel, call.dtype())}, {"mel", spectrogram}, {"y", log_mel(spectrogram, log)}}};
}

}  // namespace

AdapterTable audio_adapters() { return {{"log_mel", log_mel_of_wave}}; }

}  // namespace minnow::golden
