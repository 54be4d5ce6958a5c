#pragma once
/// @file
/// Translates tensors and options of attention into the kernels' arguments.

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "minnow/base/error.hpp"
#include "minnow/kernels/attention.hpp"
#include "minnow/ops/attention.hpp"
#include "minnow/ops/shape.hpp"
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
  if (options.window >= 0 && options.dropout_length >= 0 && options.dropout >= 0 && options.dropout <= 1 && scale)
    return;
  throw ShapeError(
      fmt::format("[{}] window and dropout_length must not be negative, dropout lie in [0, 1] and the scale be finite; "
                  "got window {}, "
                  "dropout {}, scale {}, dropout_length {}",
                  who, options.window, options.dropout, options.scale.value_or(0), options.dropout_length));
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
  args.dropout_length = options.dropout_length;
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

/// Throws: ShapeError, naming `who`, unless borders can cut one row of queries and as many keys.
inline void check_borders(const char* who, const TensorSpec& borders, bool key_lengths, const Shape& q,
                          const Shape& k) {
  if (!borders.present) return;
  if (borders.dtype == DType::i64 && borders.shape.rank() == 1 && borders.shape[0] >= 1 && q[0] == 1 && k[1] == q[1] &&
      !key_lengths)
    return;
  throw ShapeError(
      fmt::format("[{}] borders must be i64 (S + 1,), for one row (B = 1) of as many keys as queries, and not together "
                  "with key_lengths; got {} for q {} and k {}",
                  who, borders.str(), q.str(), k.str()));
}

/// @return the sequences of one row. Throws: ShapeError, naming `who`, unless they cover all `positions` in order.
inline kernels::SequenceBorders borders_of(const char* who, const Tensor& borders, Index positions) {
  const kernels::SequenceBorders made{borders.data<std::int64_t>(), borders.size(0) - 1};
  bool rise = made.at[0] == 0 && made.at[made.count] == positions;
  for (Index s = 0; s < made.count; ++s) rise = rise && made.at[s] <= made.at[s + 1];
  if (rise) return made;
  throw ShapeError(
      fmt::format("[{}] borders must begin at 0, never fall and end at the number of positions, {}; got {} "
                  "of them from {} to {}",
                  who, positions, made.count + 1, made.at[0], made.at[made.count]));
}

/// @return the part of a causal row's products that is left when it is cut into equal sequences.
inline double part_of_sequences(const TensorSpec& borders) {
  return borders.present && borders.shape[0] > 1 ? 1.0 / static_cast<double>(borders.shape[0] - 1) : 1.0;
}

/// @return scratch of the kernels: bytes, wrapped in a tensor so that the step arena serves it.
template <class T>
Tensor attention_scratch(const kernels::AttentionArgs<T>& args) {
  const auto bytes = static_cast<Index>(kernels::attention_scratch_bytes(args));
  return Tensor::empty({(bytes + 3) / 4}, DType::f32);
}

/// Runs attention of rows, or of the sequences that `borders` cut one row into when it is defined.
template <class T>
void run_forward(const char* who, const kernels::AttentionArgs<T>& args, const Tensor& borders,
                 kernels::HeadView<T> out, T* lse, std::byte* scratch) {
  if (borders.defined()) {
    kernels::attention_sequences_forward<T>(args, borders_of(who, borders, args.q_len), out, lse, scratch);
  } else {
    kernels::attention_forward<T>(args, out, lse, nullptr, scratch);
  }
}

/// The same backward. @param to where the gradients of q, k and v go
template <class T>
void run_backward(const char* who, const kernels::AttentionArgs<T>& args, const Tensor& borders,
                  kernels::HeadView<const T> out, kernels::HeadView<const T> dout, const T* lse,
                  const kernels::AttentionGradient<T> (&to)[3], std::byte* scratch) {
  if (borders.defined()) {
    kernels::attention_sequences_backward<T>(args, borders_of(who, borders, args.q_len), out, dout, lse, to[0], to[1],
                                             to[2], scratch);
  } else {
    kernels::attention_backward<T>(args, out, dout, lse, to[0], to[1], to[2], scratch);
  }
}

/// The specification of borders: attend(begin, end, options) for each sequence by itself, joined along positions.
template <class Attend>
Tensor by_sequence(const Tensor& borders, AttentionOptions options, const Attend& attend) {
  const std::vector<std::int64_t> at = borders.to_vector<std::int64_t>();
  if (options.dropout_length == 0) options.dropout_length = at.back();
  std::vector<Tensor> parts;
  for (std::size_t s = 0; s + 1 < at.size(); ++s) {
    if (at[s + 1] > at[s]) parts.push_back(attend(at[s], at[s + 1], options));
    ++options.first_batch;
  }
  return concat(parts, 1);
}

/// @return borders for a sample.
inline Tensor sample_borders(const std::vector<std::int64_t>& at) {
  return Tensor::from<std::int64_t>(at, {static_cast<Index>(at.size())});
}

/// @return half the products of a causal call, all of any other: 2 Tq Tk (D + Dv) per head.
inline double attention_flops(const Shape& q, const Shape& k, const Shape& v, bool causal) {
  const double all = 2.0 * static_cast<double>(q[0] * q[1] * q[2]) * static_cast<double>(k[2] * (q[3] + v[3]));
  return causal ? all / 2 : all;
}

}  // namespace minnow::ops
