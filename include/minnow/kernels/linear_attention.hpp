#pragma once
/// @file
/// Attention without a softmax for one head: its cost grows with the length, not with its square.
///
/// f(x) = elu(x) + 1. y_i = sum_j (f(q_i) f(k_j)) v_j / (eps + sum_j f(q_i) f(k_j)), over j <= i when causal; 0 where
/// the divisor is 0. Sums run in f64, in order.

#include "minnow/base/parallel.hpp"

namespace minnow::kernels {

/// One head: q (Tq, D), k (Tk, D), v (Tk, Dv), contiguous. Causal heads have Tq = Tk.
template <class T>
struct LinearAttentionHead {
  const T* q = nullptr;
  const T* k = nullptr;
  const T* v = nullptr;
  Index q_len = 0, k_len = 0, head_dim = 0, value_dim = 0;
  bool causal = false;
  double eps = 0;
};

/// @return doubles of scratch that each function needs.
[[nodiscard]] Index linear_attention_scratch_size(Index head_dim, Index value_dim);

/// @param y (Tq, Dv); @param divisors (Tq): kept for the backward pass
template <class T>
void linear_attention_forward(T* y, double* divisors, const LinearAttentionHead<T>& head, double* scratch);

/// @param y, divisors of the forward pass; @param dout (Tq, Dv); @param dq, dk, dv assigned, null where not wanted
template <class T>
void linear_attention_backward(T* dq, T* dk, T* dv, const T* y, const T* dout, const double* divisors,
                               const LinearAttentionHead<T>& head, double* scratch);

}  // namespace minnow::kernels
