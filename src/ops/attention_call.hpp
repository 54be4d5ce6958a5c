#pragma once
/// @file
/// Translates tensors and options of attention into the kernels' arguments.

#include <fmt/format.h>

#include <cmath>

#include "minnow/base/error.hpp"
#include "minnow/kernels/attention.hpp"
#include "minnow/ops/attention.hpp"
#include "tensor/strided.hpp"

namespace minnow::ops {

/// Options of one call of packed_self_attention.
struct PackedAttentionAttrs {
  Index n_head = 1;
  AttentionOptions options;
};

/// Options of one call of row_attention.
struct RowAttentionAttrs {
  Index n_head = 1, n_kv_head = 1;
  AttentionOptions options;
};

/// @return the view of a (B, H, T, D) tensor whose heads have unit stride.
template <class T>
kernels::HeadView<T> heads_of(T* data, const Shape& strides) {
  return {data, strides[0], strides[1], strides[2]};
}

/// Throws: ShapeError, naming `who`, for options that mean nothing.
inline void check_options(const char* who, const AttentionOptions& options) {
  const bool scale = !options.scale || std::isfinite(*options.scale);
  if (options.window >= 0 && options.dropout >= 0 && options.dropout <= 1 && scale) return;
  throw ShapeError(
      fmt::format("[{}] the window must not be negative, dropout lie in [0, 1] and the scale be finite; got window {}, "
                  "dropout {}, scale {}",
                  who, options.window, options.dropout, options.scale.value_or(0)));
}

/// Fills in what the options say. Requires: sizes are set.
template <class T>
void set_options(kernels::AttentionArgs<T>& args, const AttentionOptions& options) {
  args.scale =
      static_cast<T>(options.scale.value_or(1.0 / std::sqrt(static_cast<double>(std::max<Index>(1, args.head_dim)))));
  args.causal = options.causal;
  args.offset = options.align == CausalAlign::kBottomRight ? args.k_len - args.q_len : 0;
  args.window = options.window;
  args.dropout = options.dropout;
  args.random = options.random;
  args.first_batch = options.first_batch;
}

/// Fills in the optional inputs; `mask` is broadcast to (B, H, Tq, Tk).
template <class T>
void set_inputs(kernels::AttentionArgs<T>& args, const Tensor& mask, const Tensor& key_lengths, const Tensor& alibi) {
  if (mask.defined()) {
    const Shape strides =
        broadcast_strides(mask.shape(), mask.strides(), {args.batch, args.heads, args.q_len, args.k_len});
    args.mask_strides = {strides[0], strides[1], strides[2], strides[3]};
    if (mask.dtype() == DType::boolean) {
      args.bool_mask = mask.data<bool>();
    } else {
      args.float_mask = mask.data<T>();
    }
  }
  if (key_lengths.defined()) args.key_lengths = key_lengths.data<std::int64_t>();
  if (alibi.defined()) args.alibi_slopes = alibi.data<T>();
}

/// @return scratch of the kernels: bytes, wrapped in a tensor so that the step arena serves it.
template <class T>
Tensor attention_scratch(const kernels::AttentionArgs<T>& args) {
  const auto bytes = static_cast<Index>(kernels::attention_scratch_bytes(args));
  return Tensor::empty({(bytes + 3) / 4}, DType::f32);
}

/// @return half the products of a causal call, all of any other: 2 Tq Tk (D + Dv) per head.
inline double attention_flops(const Shape& q, const Shape& k, const Shape& v, bool causal) {
  const double all = 2.0 * static_cast<double>(q[0] * q[1] * q[2]) * static_cast<double>(k[2] * (q[3] + v[3]));
  return causal ? all / 2 : all;
}

}  // namespace minnow::ops
