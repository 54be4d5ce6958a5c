#include <cmath>
#include <limits>
#include <vector>

#include "minnow/kernels/attention.hpp"

namespace minnow::kernels {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

template <class T>
bool may_attend(const AttentionArgs<T>& x, Index b, Index h, Index i, Index j) {
  if (x.causal && j > i + x.offset) return false;
  if (x.window > 0 && j <= i + x.offset - x.window) return false;
  if (x.key_lengths != nullptr && j >= x.key_lengths[b]) return false;
  const MaskStrides& m = x.mask_strides;
  return x.bool_mask == nullptr || x.bool_mask[b * m.batch + h * m.head + i * m.query + j * m.key];
}

/// score(i, j), -inf where the query may not attend the key.
template <class T>
double score(const AttentionArgs<T>& x, Index b, Index h, Index i, Index j) {
  if (!may_attend(x, b, h, i, j)) return kMinusInfinity;
  const T* q = x.q.at(b, h) + i * x.q.row;
  const T* k = x.k.at(b, h / (x.heads / x.kv_heads)) + j * x.k.row;
  double dot = 0;
  for (Index d = 0; d < x.head_dim; ++d) dot += static_cast<double>(q[d]) * static_cast<double>(k[d]);
  dot *= static_cast<double>(x.scale);
  const MaskStrides& m = x.mask_strides;
  if (x.float_mask != nullptr)
    dot += static_cast<double>(x.float_mask[b * m.batch + h * m.head + i * m.query + j * m.key]);
  if (x.alibi_slopes != nullptr)
    dot -= static_cast<double>(x.alibi_slopes[h]) * std::abs(static_cast<double>(i + x.offset - j));
  return dot;
}

/// Softmax weights of a row before dropout. @return lse
template <class T>
double weights_of_row(const AttentionArgs<T>& x, Index b, Index h, Index i, std::vector<double>& weights) {
  double largest = kMinusInfinity;
  bool any_nan = false;
  for (Index j = 0; j < x.k_len; ++j) {
    const double s = score(x, b, h, i, j);
    weights[static_cast<std::size_t>(j)] = s;
    any_nan = any_nan || std::isnan(s);
    largest = std::max(largest, s);
  }
  if (largest == kMinusInfinity && !any_nan) {
    weights.assign(weights.size(), 0.0);
    return kMinusInfinity;
  }
  double sum = 0;
  for (double& w : weights) sum += w = std::exp(w - largest);
  for (double& w : weights) w /= sum;
  return largest + std::log(sum);
}

/// What dropout multiplies a weight with: 0 or 1 / (1 - p).
template <class T>
double keep_factor(const AttentionArgs<T>& x, Index b, Index h, Index i, Index j) {
  if (x.dropout <= 0) return 1;
  const Index element = (((x.first_batch + b) * x.heads + h) * x.q_len + i) * x.k_len + j;
  if (random_bits(x.random, static_cast<std::uint64_t>(element)) < drop_threshold(x.dropout)) return 0;
  return 1 / (1 - x.dropout);
}

template <class T>
void assign(const AttentionGradient<T>& gradient, Index batch, Index head, Index row, Index at, double value) {
  if (gradient.to.data == nullptr) return;
  T& to = gradient.to.at(batch, head)[row * gradient.to.row + at];
  to = static_cast<T>(gradient.add ? static_cast<double>(to) + value : value);
}

/// Gradients of one key/value head, summed in double over the heads of its group.
template <class T>
struct KeyValueSums {
  explicit KeyValueSums(const AttentionArgs<T>& x)
      : dk(static_cast<std::size_t>(x.k_len * x.head_dim)), dv(static_cast<std::size_t>(x.k_len * x.value_dim)) {}
  std::vector<double> dk, dv;
};

/// One query row: adds to dk and dv, writes dq.
template <class T>
void backward_row(const AttentionArgs<T>& x, HeadView<const T> dout, Index b, Index h, Index i,
                  const AttentionGradient<T>& dq, KeyValueSums<T>& sums) {
  const Index kv = h / (x.heads / x.kv_heads);
  std::vector<double> weights(static_cast<std::size_t>(x.k_len)), dweights(weights.size());
  const double lse = weights_of_row(x, b, h, i, weights);
  std::vector<double> dq_row(static_cast<std::size_t>(x.head_dim));
  if (lse != kMinusInfinity) {
    const T* dout_row = dout.at(b, h) + i * dout.row;
    double delta = 0;
    for (Index j = 0; j < x.k_len; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const double keep = keep_factor(x, b, h, i, j);
      const T* v = x.v.at(b, kv) + j * x.v.row;
      double dot = 0;
      for (Index d = 0; d < x.value_dim; ++d) {
        dot += static_cast<double>(dout_row[d]) * static_cast<double>(v[d]);
        sums.dv[static_cast<std::size_t>(j * x.value_dim + d)] += weights[at] * keep * static_cast<double>(dout_row[d]);
      }
      dweights[at] = dot * keep;
      delta += weights[at] * dweights[at];
    }
    const T* q = x.q.at(b, h) + i * x.q.row;
    for (Index j = 0; j < x.k_len; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const double dscore = weights[at] * (dweights[at] - delta) * static_cast<double>(x.scale);
      const T* k = x.k.at(b, kv) + j * x.k.row;
      for (Index d = 0; d < x.head_dim; ++d) {
        dq_row[static_cast<std::size_t>(d)] += dscore * static_cast<double>(k[d]);
        sums.dk[static_cast<std::size_t>(j * x.head_dim + d)] += dscore * static_cast<double>(q[d]);
      }
    }
  }
  for (Index d = 0; d < x.head_dim; ++d) assign(dq, b, h, i, d, dq_row[static_cast<std::size_t>(d)]);
}

}  // namespace

template <class T>
void attention_forward_reference(const AttentionArgs<T>& x, HeadView<T> out, T* lse, T* weights) {
  std::vector<double> row(static_cast<std::size_t>(x.k_len));
  for (Index b = 0; b < x.batch; ++b)
    for (Index h = 0; h < x.heads; ++h)
      for (Index i = 0; i < x.q_len; ++i) {
        const Index at = (b * x.heads + h) * x.q_len + i;
        lse[at] = static_cast<T>(weights_of_row(x, b, h, i, row));
        if (weights != nullptr)
          for (Index j = 0; j < x.k_len; ++j)
            weights[at * x.k_len + j] = static_cast<T>(row[static_cast<std::size_t>(j)]);
        for (Index d = 0; d < x.value_dim; ++d) {
          double sum = 0;
          for (Index j = 0; j < x.k_len && lse[at] != static_cast<T>(kMinusInfinity); ++j)
            sum += row[static_cast<std::size_t>(j)] * keep_factor(x, b, h, i, j) *
                   static_cast<double>(x.v.at(b, h / (x.heads / x.kv_heads))[j * x.v.row + d]);
          out.at(b, h)[i * out.row + d] = static_cast<T>(sum);
        }
      }
}

template <class T>
void attention_backward_reference(const AttentionArgs<T>& x, HeadView<const T> dout, AttentionGradient<T> dq,
                                  AttentionGradient<T> dk, AttentionGradient<T> dv) {
  const Index group = x.kv_heads > 0 ? x.heads / x.kv_heads : 0;
  for (Index b = 0; b < x.batch; ++b)
    for (Index kv = 0; kv < x.kv_heads; ++kv) {
      KeyValueSums<T> sums(x);
      for (Index h = kv * group; h < (kv + 1) * group; ++h)
        for (Index i = 0; i < x.q_len; ++i) backward_row(x, dout, b, h, i, dq, sums);
      for (Index j = 0; j < x.k_len; ++j) {
        for (Index d = 0; d < x.head_dim; ++d)
          assign(dk, b, kv, j, d, sums.dk[static_cast<std::size_t>(j * x.head_dim + d)]);
        for (Index d = 0; d < x.value_dim; ++d)
          assign(dv, b, kv, j, d, sums.dv[static_cast<std::size_t>(j * x.value_dim + d)]);
      }
    }
}

template void attention_forward_reference<float>(const AttentionArgs<float>&, HeadView<float>, float*, float*);
template void attention_forward_reference<double>(const AttentionArgs<double>&, HeadView<double>, double*, double*);
template void attention_backward_reference<float>(const AttentionArgs<float>&, HeadView<const float>,
                                                  AttentionGradient<float>, AttentionGradient<float>,
                                                  AttentionGradient<float>);
template void attention_backward_reference<double>(const AttentionArgs<double>&, HeadView<const double>,
                                                   AttentionGradient<double>, AttentionGradient<double>,
                                                   AttentionGradient<double>);

}  // namespace minnow::kernels
