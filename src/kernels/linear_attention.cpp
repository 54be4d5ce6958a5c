// Source: Katharopoulos et al. 2020, Transformers are RNNs.

#include "minnow/kernels/linear_attention.hpp"

#include <algorithm>
#include <cmath>

namespace minnow::kernels {
namespace {

/// elu(x) + 1 and its slope.
double feature(double x) { return x > 0 ? x + 1 : std::exp(x); }
double feature_slope(double x) { return x > 0 ? 1 : std::exp(x); }

/// A sum of outer products a b^T (D, Dv) and of vectors weight * a (D), with room for a row of features.
struct State {
  double* matrix;
  double* vector;
  double* row;      // (D): features of the row at hand
  double* product;  // (Dv)
  Index d, dv;

  State(double* scratch, Index head_dim, Index value_dim)
      : matrix(scratch),
        vector(matrix + head_dim * value_dim),
        row(vector + head_dim),
        product(row + head_dim),
        d(head_dim),
        dv(value_dim) {}

  void clear() { std::fill_n(matrix, d * dv + d, 0.0); }

  template <class T>
  void features_of(const T* x) {
    for (Index i = 0; i < d; ++i) row[i] = feature(static_cast<double>(x[i]));
  }
  /// Adds row * b^T and weight * row. B: T or double.
  template <class B>
  void add(const B* b, double weight) {
    for (Index i = 0; i < d; ++i) {
      for (Index j = 0; j < dv; ++j) matrix[i * dv + j] += row[i] * static_cast<double>(b[j]);
      vector[i] += weight * row[i];
    }
  }
  /// product = row^T matrix. @return row * vector
  double multiply() {
    std::fill_n(product, dv, 0.0);
    double dot = 0;
    for (Index i = 0; i < d; ++i) {
      for (Index j = 0; j < dv; ++j) product[j] += row[i] * matrix[i * dv + j];
      dot += row[i] * vector[i];
    }
    return dot;
  }
  /// @return row i of the matrix times b, plus weight times the vector's element.
  template <class B>
  [[nodiscard]] double row_times(Index i, const B* b, double weight) const {
    double sum = weight * vector[i];
    for (Index j = 0; j < dv; ++j) sum += matrix[i * dv + j] * static_cast<double>(b[j]);
    return sum;
  }
};

/// Adds key j's share of the sums.
template <class T>
void add_key(State& state, const LinearAttentionHead<T>& head, Index j) {
  state.features_of(head.k + j * head.head_dim);
  state.add(head.v + j * head.value_dim, 1);
}

/// u = dout / divisor and the weight -(dout y) / divisor of query i; both 0 where the divisor is.
template <class T>
double query_gradient(double* u, const T* y, const T* dout, double divisor, Index n) {
  double dot = 0;
  for (Index j = 0; j < n; ++j) {
    u[j] = divisor == 0 ? 0 : static_cast<double>(dout[j]) / divisor;
    dot += u[j] * static_cast<double>(y[j]);
  }
  return -dot;
}

}  // namespace

Index linear_attention_scratch_size(Index head_dim, Index value_dim) {
  return head_dim * value_dim + 2 * head_dim + 2 * value_dim;
}

template <class T>
void linear_attention_forward(T* y, double* divisors, const LinearAttentionHead<T>& head, double* scratch) {
  State keys(scratch, head.head_dim, head.value_dim);
  keys.clear();
  for (Index j = 0; j < head.k_len && !head.causal; ++j) add_key(keys, head, j);
  for (Index i = 0; i < head.q_len; ++i) {
    if (head.causal) add_key(keys, head, i);
    keys.features_of(head.q + i * head.head_dim);
    const double divisor = divisors[i] = keys.multiply() + head.eps;
    for (Index j = 0; j < head.value_dim; ++j) {
      y[i * head.value_dim + j] = divisor == 0 ? T{0} : static_cast<T>(keys.product[j] / divisor);
    }
  }
}

template <class T>
void linear_attention_backward(T* dq, T* dk, T* dv, const T* y, const T* dout, const double* divisors,
                               const LinearAttentionHead<T>& head, double* scratch) {
  const Index d = head.head_dim;
  const Index n = head.value_dim;
  State state(scratch, d, n);
  double* u = state.product + n;
  // dq: forwards, with the sums over the keys.
  state.clear();
  for (Index j = 0; j < head.k_len && !head.causal; ++j) add_key(state, head, j);
  for (Index i = 0; i < head.q_len && dq != nullptr; ++i) {
    if (head.causal) add_key(state, head, i);
    const double weight = query_gradient(u, y + i * n, dout + i * n, divisors[i], n);
    for (Index c = 0; c < d; ++c) {
      const double slope = feature_slope(static_cast<double>(head.q[i * d + c]));
      dq[i * d + c] = static_cast<T>(slope * state.row_times(c, u, weight));
    }
  }
  // dk and dv: backwards, with the sums over the queries.
  const auto add_query = [&](Index i) {
    const double weight = query_gradient(u, y + i * n, dout + i * n, divisors[i], n);
    state.features_of(head.q + i * d);
    state.add(u, weight);
  };
  state.clear();
  for (Index i = 0; i < head.q_len && !head.causal; ++i) add_query(i);
  for (Index j = head.k_len - 1; j >= 0; --j) {
    if (head.causal) add_query(j);
    state.features_of(head.k + j * d);
    (void)state.multiply();
    for (Index c = 0; c < n && dv != nullptr; ++c) dv[j * n + c] = static_cast<T>(state.product[c]);
    for (Index c = 0; c < d && dk != nullptr; ++c) {
      const double slope = feature_slope(static_cast<double>(head.k[j * d + c]));
      dk[j * d + c] = static_cast<T>(slope * state.row_times(c, head.v + j * n, 1));
    }
  }
}

template void linear_attention_forward<float>(float*, double*, const LinearAttentionHead<float>&, double*);
template void linear_attention_forward<double>(double*, double*, const LinearAttentionHead<double>&, double*);
template void linear_attention_backward<float>(float*, float*, float*, const float*, const float*, const double*,
                                               const LinearAttentionHead<float>&, double*);
template void linear_attention_backward<double>(double*, double*, double*, const double*, const double*, const double*,
                                                const LinearAttentionHead<double>&, double*);

}  // namespace minnow::kernels
