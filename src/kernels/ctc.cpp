// Source: Graves et al. 2006, Connectionist Temporal Classification, section 4.1.

#include "minnow/kernels/ctc.hpp"

#include <cmath>
#include <limits>

namespace minnow::kernels {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// ln(e^a + e^b).
double log_add(double a, double b) {
  if (a == kNever) return b;
  if (b == kNever) return a;
  return a > b ? a + std::log1p(std::exp(b - a)) : b + std::log1p(std::exp(a - b));
}

}  // namespace

template <class T>
double ctc_forward(const CtcItem<T>& item, double* alpha) {
  const Index states = item.states();
  if (item.frames == 0) return item.label_count == 0 ? 0 : kNever;
  for (Index s = 0; s < states; ++s) {
    alpha[s] = s < 2 ? static_cast<double>(item.log_probs[item.emits(s)]) : kNever;
  }
  for (Index t = 1; t < item.frames; ++t) {
    const double* before = alpha + (t - 1) * states;
    double* now = alpha + t * states;
    const T* log_probs = item.log_probs + t * item.frame_stride;
    for (Index s = 0; s < states; ++s) {
      double paths = before[s];
      if (s >= 1) paths = log_add(paths, before[s - 1]);
      if (item.skips(s)) paths = log_add(paths, before[s - 2]);
      now[s] = paths + static_cast<double>(log_probs[item.emits(s)]);
    }
  }
  const double* last = alpha + (item.frames - 1) * states;
  return states == 1 ? last[0] : log_add(last[states - 1], last[states - 2]);
}

template <class T>
void ctc_backward(const CtcItem<T>& item, const double* alpha, double log_total, double scale, T* grad,
                  double* scratch) {
  const Index states = item.states();
  double* beta = scratch;  // of frame t: ln of the probability of the frames behind it, from each state
  double* next = scratch + states;
  for (Index s = 0; s < states; ++s) beta[s] = s + 2 >= states ? 0.0 : kNever;
  for (Index t = item.frames - 1; t >= 0; --t) {
    if (t + 1 < item.frames) {
      const T* log_probs = item.log_probs + (t + 1) * item.frame_stride;
      for (Index s = 0; s < states; ++s) next[s] = beta[s] + static_cast<double>(log_probs[item.emits(s)]);
      for (Index s = 0; s < states; ++s) {
        double paths = next[s];
        if (s + 1 < states) paths = log_add(paths, next[s + 1]);
        if (s + 2 < states && item.skips(s + 2)) paths = log_add(paths, next[s + 2]);
        beta[s] = paths;
      }
    }
    for (Index s = 0; s < states; ++s) {
      const double posterior = std::exp(alpha[t * states + s] + beta[s] - log_total);
      T& to = grad[t * item.frame_stride + item.emits(s)];
      to = static_cast<T>(static_cast<double>(to) - scale * posterior);
    }
  }
}

template double ctc_forward<float>(const CtcItem<float>&, double*);
template double ctc_forward<double>(const CtcItem<double>&, double*);
template void ctc_backward<float>(const CtcItem<float>&, const double*, double, double, float*, double*);
template void ctc_backward<double>(const CtcItem<double>&, const double*, double, double, double*, double*);

}  // namespace minnow::kernels
