#pragma once
/// @file
/// Turns sound into pictures that a transformer reads: spectrograms on the mel scale. No gradients.

#include "minnow/tensor/tensor.hpp"

namespace minnow {

enum class MelScale {
  kSlaney,  ///< 3 f / 200 below 1 kHz, then 15 + 27 ln(f / 1000) / ln 6.4: librosa's, Whisper's
  kHtk,     ///< 2595 log10(1 + f / 700)
};

/// How a wave becomes a mel spectrogram.
struct MelOptions {
  double sample_rate = 16000;  ///< Hz
  Index n_fft = 400;           ///< samples of a frame
  Index win_length = 400;      ///< of them under the Hann window (periodic), in the middle
  Index hop = 160;             ///< samples from one frame to the next
  bool center = true;          ///< reflect n_fft / 2 samples at either end, so that frame i stands around sample i hop
  bool drop_last_frame = false;
  int power = 2;  ///< of the magnitudes: 1 or 2
  Index n_mels = 80;
  double f_min = 0, f_max = 8000;  ///< Hz
  MelScale scale = MelScale::kSlaney;
  bool area_norm = true;  ///< filters times 2 / (high - low): each has the same area (Slaney's)
};

/// @return (n_mels, n_fft / 2 + 1) triangles in Hz between n_mels + 2 points at equal distances in mel. Throws:
/// ShapeError.
[[nodiscard]] Tensor mel_filters(const MelOptions& options, DType dtype = DType::f32);

/// @param wave (N) or (B, N) f32 or f64. @return (frames, n_mels) or (B, frames, n_mels): filters times
/// |Fourier transform|^power of each frame, computed in f64.
/// Throws: ShapeError, also for a wave too short for one frame or for its reflection.
/// Source: Stevens, Volkmann, Newman 1937; Slaney 1998, Auditory Toolbox; Young et al., The HTK Book.
[[nodiscard]] Tensor mel_spectrogram(const Tensor& wave, const MelOptions& options = {});

enum class MelNorm {
  kNone,
  kWhisper,  ///< (max(y, max y - 8) + 4) / 4, the maximum over a whole item
  kMeanStd,  ///< (y - mean) / (std + 1e-5) per channel over time, biased
};

/// How a mel spectrogram becomes logarithms.
struct LogMelOptions {
  bool decimal = true;   ///< log10; false: natural
  double floor = 1e-10;  ///< smaller values count as this
  MelNorm norm = MelNorm::kWhisper;
};

/// @param mel (frames, n_mels) or (B, frames, n_mels). @return the same shape: log(max(mel, floor)), normalised.
/// Throws: ShapeError. Source: Radford et al. 2022, Whisper.
[[nodiscard]] Tensor log_mel(const Tensor& mel, const LogMelOptions& options = {});

}  // namespace minnow
