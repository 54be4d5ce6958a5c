#include "minnow/nn/multihead_attention.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "minnow/ops/attention.hpp"
#include "minnow/ops/dropout.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/linear.hpp"
#include "minnow/ops/loss.hpp"
#include "minnow/ops/reduction.hpp"
#include "minnow/ops/shape.hpp"

namespace minnow::nn {
namespace {

constexpr double kBlocked = -std::numeric_limits<double>::infinity();

/// @return a mask as numbers to add: -inf where a bool mask is true.
Tensor as_bias(const Tensor& mask, DType dtype) {
  if (mask.dtype() != DType::boolean) return mask;
  return masked_fill(Tensor::zeros(mask.shape(), dtype), mask, kBlocked);
}

/// @return both masks as one bias that broadcasts to (B, H, Tq, Tk), or an undefined tensor.
Tensor bias_of(const MultiheadMasks& masks, const Tensor& q, Index keys) {
  const Index batch = q.size(0);
  const Index heads = q.size(1);
  Tensor bias;
  if (masks.attn_mask.defined()) {
    const Shape each{batch * heads, q.size(2), keys};
    const Tensor& mask = masks.attn_mask;
    if (mask.shape() != each && mask.shape() != Shape{q.size(2), keys}) {
      throw ShapeError(fmt::format("[multihead_attention] attn_mask must be ({}, {}) or {}; got {}", q.size(2), keys,
                                   each.str(), mask.shape().str()));
    }
    bias = as_bias(mask.rank() == 3 ? reshape(mask, {batch, heads, q.size(2), keys}) : mask, q.dtype());
  }
  if (masks.key_padding_mask.defined()) {
    const Tensor& mask = masks.key_padding_mask;
    if (mask.shape() != Shape{batch, keys}) {
      throw ShapeError(fmt::format("[multihead_attention] key_padding_mask must be ({}, {}); got {}", batch, keys,
                                   mask.shape().str()));
    }
    const Tensor padding = as_bias(reshape(mask, {batch, 1, 1, keys}), q.dtype());
    bias = bias.defined() ? bias + padding : padding;
  }
  return bias;
}

/// (B, T, E) -> (B, H, T, E/H).
Tensor heads_of(const Tensor& x, Index heads) {
  return transpose(reshape(x, {x.size(0), x.size(1), heads, x.size(2) / heads}), 1, 2);
}

Tensor optional_rows(const Tensor& bias, Index begin, Index end) {
  return bias.defined() ? slice(bias, 0, begin, end) : Tensor();
}

struct Projected {
  Tensor q, k, v;  // (B, T, E)
};

Projected project(const MultiheadAttention& layer, const Tensor& query, const Tensor& key, const Tensor& value) {
  const Index width = layer.out_proj.weight.size(1);
  const bool packed = layer.in_proj_weight.defined();
  if (packed && query.is(key) && query.is(value)) {
    const std::vector<Tensor> parts = split_equal(linear(query, layer.in_proj_weight, layer.in_proj_bias), -1, 3);
    return {parts[0], parts[1], parts[2]};
  }
  const auto part = [&](const Tensor& x, Index i, const Tensor& own) {
    const Tensor weight = packed ? slice(layer.in_proj_weight, 0, i * width, (i + 1) * width) : own;
    return linear(x, weight, optional_rows(layer.in_proj_bias, i * width, (i + 1) * width));
  };
  return {part(query, 0, layer.q_proj_weight), part(key, 1, layer.k_proj_weight), part(value, 2, layer.v_proj_weight)};
}

Tensor in_time_order(const Tensor& x, bool batch_first) { return batch_first ? x : transpose(x, 0, 1); }

}  // namespace

MultiheadAttention MultiheadAttention::make(ParameterList& list, const std::string& name, Index width, Index num_heads,
                                            const Options& options, const Initializer& init) {
  if (num_heads < 1 || width % num_heads != 0) {
    throw ShapeError(
        fmt::format("[multihead_attention] num_heads must divide the width; got {} and {}", num_heads, width));
  }
  MultiheadAttention layer;
  layer.num_heads = num_heads;
  const Index key_width = options.key_width == 0 ? width : options.key_width;
  const Index value_width = options.value_width == 0 ? width : options.value_width;
  const std::string prefix = name.empty() ? name : name + ".";
  if (key_width == width && value_width == width) {
    layer.in_proj_weight = list.add(prefix + "in_proj_weight", {3 * width, width}, init, {width, width, width});
  } else {
    layer.q_proj_weight = list.add(prefix + "q_proj_weight", {width, width}, init);
    layer.k_proj_weight = list.add(prefix + "k_proj_weight", {width, key_width}, init);
    layer.v_proj_weight = list.add(prefix + "v_proj_weight", {width, value_width}, init);
  }
  if (options.bias) layer.in_proj_bias = list.add(prefix + "in_proj_bias", {3 * width}, Initializer::zeros());
  layer.out_proj = Linear::make(list, prefix + "out_proj", width, width, options.bias, init);
  return layer;
}

Attended MultiheadAttention::operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                                        const MultiheadMasks& masks, WeightsWanted wanted,
                                        const ForwardMode& mode) const {
  const Projected projected = project(*this, query, key, value);
  const Tensor q = heads_of(in_time_order(projected.q, batch_first), num_heads);
  const Tensor k = heads_of(in_time_order(projected.k, batch_first), num_heads);
  const Tensor v = heads_of(in_time_order(projected.v, batch_first), num_heads);
  const Tensor bias = bias_of(masks, q, k.size(2));
  const double p = mode.training ? dropout : 0;
  Attended result;
  Tensor mixed;  // (B, H, Tq, D)
  if (wanted == WeightsWanted::kNone && !(bias.defined() && requires_grad(bias))) {
    AttentionOptions options;
    options.dropout = p;
    options.random = mode.dropout_key(dropout_site);
    options.first_batch = mode.first_sequence;
    mixed = scaled_dot_product_attention(q, k, v, options, {.mask = bias});
  } else {
    Tensor scores = matmul(q, transpose(k, -2, -1)) * (1 / std::sqrt(static_cast<double>(q.size(3))));
    if (bias.defined()) scores = scores + bias;
    Tensor weights = softmax(scores, -1);
    if (p > 0) weights = dropout_at(weights, p, dropout_site, mode);
    mixed = matmul(weights, v);
    if (wanted == WeightsWanted::kPerHead) result.weights = weights;
    if (wanted == WeightsWanted::kMean) result.weights = mean(weights, {1});
  }
  const Tensor joined = reshape(transpose(mixed, 1, 2), {q.size(0), q.size(2), q.size(1) * q.size(3)});
  result.output = in_time_order(out_proj(joined), batch_first);
  return result;
}

AdditiveAttention AdditiveAttention::make(ParameterList& list, const std::string& name, Index query_width,
                                          Index key_width, Index hidden, const Initializer& init) {
  const std::string prefix = name.empty() ? name : name + ".";
  AdditiveAttention layer;
  layer.w_q = Linear::make(list, prefix + "W_q", query_width, hidden, false, init);
  layer.w_k = Linear::make(list, prefix + "W_k", key_width, hidden, false, init);
  layer.w_v = Linear::make(list, prefix + "w_v", hidden, 1, false, init);
  return layer;
}

Attended AdditiveAttention::operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                                       const Tensor& key_lengths) const {
  const Tensor hidden = tanh(unsqueeze(w_q(query), 2) + unsqueeze(w_k(key), 1));  // (B, Tq, Tk, A)
  Tensor scores = squeeze(w_v(hidden), -1);                                       // (B, Tq, Tk)
  if (key_lengths.defined()) {
    const Index keys = key.size(1);
    std::vector<std::int64_t> places(static_cast<std::size_t>(keys));
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int64_t>(i);
    const Tensor lengths = reshape(key_lengths.to(DType::i64), {query.size(0), 1, 1});
    scores = masked_fill(scores, ge(Tensor::from(places, {keys}), lengths), kBlocked);
  }
  const Tensor weights = softmax(scores, -1);
  return {matmul(weights, value), weights};
}

}  // namespace minnow::nn
