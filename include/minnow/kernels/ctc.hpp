#pragma once
/// @file
/// Sums over all alignments of a label sequence with the frames of one item, forwards and backwards.

#include <cstdint>

#include "minnow/base/parallel.hpp"

namespace minnow::kernels {

/// One item of a batch. The states are blank, label 0, blank, label 1, ..., blank: 2 labels + 1 of them.
template <class T>
struct CtcItem {
  const T* log_probs = nullptr;  ///< of frame 0; each frame holds a log-probability per class
  Index frame_stride = 0;        ///< elements from one frame to the next
  Index frames = 0;
  const std::int64_t* labels = nullptr;
  Index label_count = 0;
  Index blank = 0;
  [[nodiscard]] Index states() const { return 2 * label_count + 1; }
  /// @return the class that a state emits.
  [[nodiscard]] Index emits(Index state) const {
    return state % 2 == 0 ? blank : static_cast<Index>(labels[state / 2]);
  }
  /// @return whether a state may follow the one two before it: a label other than the last one.
  [[nodiscard]] bool skips(Index state) const {
    return state >= 2 && state % 2 == 1 && labels[state / 2] != labels[state / 2 - 1];
  }
};

/// alpha[t, s] = ln of the probability of frames 0 .. t along all paths that end in state s. In f64, by logarithms.
/// @param alpha (frames, states). @return ln of the probability of the labels; -inf when no alignment exists.
template <class T>
double ctc_forward(const CtcItem<T>& item, double* alpha);

/// Adds -scale * posterior(t, class) to grad: the derivative of the loss -ln p for log-probabilities as they are.
/// @param grad of frame 0, with the strides of log_probs; @param scratch (2 states)
template <class T>
void ctc_backward(const CtcItem<T>& item, const double* alpha, double log_total, double scale, T* grad,
                  double* scratch);

}  // namespace minnow::kernels
