#pragma once
/// @file
/// Scaled dot-product attention, forward and backward, in tiles: no (B, H, Tq, Tk) tensor exists unless asked for.

#include <cstddef>
#include <cstdint>

#include "minnow/base/parallel.hpp"
#include "minnow/base/philox.hpp"
#include "minnow/kernels/gemm.hpp"

namespace minnow::kernels {

/// Rows of heads somewhere in memory: element d of (batch b, head h, row t) is data[b * batch + h * head + t * row +
/// d]. Strides in elements. A packed (B, T, 3C) tensor is three such views with row = 3C, head = D, batch = T * 3C.
template <class T>
struct HeadView {
  T* data = nullptr;
  Index batch = 0;
  Index head = 0;
  Index row = 0;
  /// @return the first element of row 0 of a head
  [[nodiscard]] T* at(Index b, Index h) const { return data + b * batch + h * head; }
};

/// A mask's strides in elements for the axes (B, H, Tq, Tk); 0 where the mask is broadcast.
struct MaskStrides {
  Index batch = 0, head = 0, query = 0, key = 0;
};

/// The problem: score(i, j) = scale * q_i . k_j + float_mask(i, j) - alibi_h * |i + offset - j|;
/// weight(i, .) = softmax over the keys j that i may attend; out_i = sum_j dropout(weight(i, j)) v_j.
///
/// Query i may attend key j when all of these hold:
///   causal:      j <= i + offset           (offset 0 aligns top-left, Tk - Tq bottom-right)
///   window > 0:  j >  i + offset - window  (also without causal)
///   key_lengths: j <  key_lengths[b]
///   bool_mask:   bool_mask(b, h, i, j)
///   the score is not -inf (a float mask of -inf forbids).
/// A row that may attend nothing has weights 0, output 0, gradients 0 and lse = -inf. NaN among the attended scores
/// makes the row NaN. Query head h uses key/value head h / (H / Hkv).
template <class T>
struct AttentionArgs {
  Index batch = 0;      ///< B
  Index heads = 0;      ///< H, a multiple of kv_heads
  Index kv_heads = 0;   ///< Hkv
  Index q_len = 0;      ///< Tq
  Index k_len = 0;      ///< Tk
  Index head_dim = 0;   ///< D, of q and k
  Index value_dim = 0;  ///< Dv, of v and out

  HeadView<const T> q = {};  ///< (B, H, Tq, D)
  HeadView<const T> k = {};  ///< (B, Hkv, Tk, D)
  HeadView<const T> v = {};  ///< (B, Hkv, Tk, Dv)

  T scale = 1;  ///< usually 1 / sqrt(D)
  bool causal = false;
  Index offset = 0;  ///< position of query 0 among the keys; used by causal, window and ALiBi
  Index window = 0;  ///< keys that a query sees, counted back from its own position; 0: no limit

  const bool* bool_mask = nullptr;  ///< true = may attend
  const T* float_mask = nullptr;    ///< added to the scores
  MaskStrides mask_strides = {};    ///< of whichever mask is given (only one may be)

  const std::int64_t* key_lengths = nullptr;  ///< (B): keys from there on are padding
  const T* alibi_slopes = nullptr;            ///< (H)

  double dropout = 0;        ///< probability p that a weight is dropped; kept ones are scaled by 1 / (1 - p)
  RandomKey random = {};     ///< element = (((first_batch + b) * H + h) * Tq + i) * Tk + j, rule of drop_threshold
  Index dropout_length = 0;  ///< stands for Tq and Tk in that formula; 0: Tq and Tk themselves
  GemmPrecision precision = GemmPrecision::kF32;  ///< of the products of f32 tensors
  Index first_batch = 0;                          ///< index in the global batch of this call's batch 0
};

/// @return bytes of scratch that `attention_forward` and `attention_backward` need with the present number of threads
/// (one slice per thread). Align the memory to 64 bytes.
template <class T>
[[nodiscard]] std::size_t attention_scratch_bytes(const AttentionArgs<T>& args);

/// Computes out and lse.
/// @param out (B, H, Tq, Dv), any strides
/// @param lse (B, H, Tq) contiguous: log of the sum of exp(score), natural logarithm; -inf for a row without keys
/// @param weights (B, H, Tq, Tk) contiguous or null: the softmax weights before dropout
/// @param scratch attention_scratch_bytes(args) bytes
/// Threads: same bits at any thread count; parallel over (batch, head, query tile).
/// Source: Dao et al., "FlashAttention", 2022 (online softmax over key tiles for long rows). Instantiated for float,
/// double.
template <class T>
void attention_forward(const AttentionArgs<T>& args, HeadView<T> out, T* lse, T* weights, void* scratch);

/// One gradient to write.
template <class T>
struct AttentionGradient {
  HeadView<T> to = {};  ///< null data: not wanted
  bool add = false;     ///< add to what is there instead of assigning
};

/// Computes the gradients of q, k and v from the forward's out and lse; the weights are computed again, tile by tile.
/// @param out (B, H, Tq, Dv) of the forward call
/// @param dout (B, H, Tq, Dv) gradient of out
/// @param lse (B, H, Tq) of the forward call
/// @param dq (B, H, Tq, D), @param dk (B, Hkv, Tk, D), @param dv (B, Hkv, Tk, Dv)
/// @param scratch attention_scratch_bytes(args) bytes
/// Threads: same bits at any thread count; sums over the heads of a group run in head order.
template <class T>
void attention_backward(const AttentionArgs<T>& args, HeadView<const T> out, HeadView<const T> dout, const T* lse,
                        AttentionGradient<T> dq, AttentionGradient<T> dk, AttentionGradient<T> dv, void* scratch);

/// Sequences that follow each other without padding, each attending to itself alone: sequence s is the positions
/// [at[s], at[s + 1]).
struct SequenceBorders {
  const std::int64_t* at = nullptr;  ///< (count + 1), from 0 up to the number of positions, never falling
  Index count = 0;
};

/// As attention_forward for sequences in one row: `args` describes the row (batch 1, Tq = Tk = all positions;
/// causality, window and ALiBi count within a sequence, masks and key lengths there are none). Sequence s draws dropout
/// as batch first_batch + s.
/// @param out (1, H, N, Dv), any strides
/// @param lse H * N numbers for attention_sequences_backward: sequence s has (H, length) from H * at[s] on
/// Each sequence has the bits that attention_forward gives it alone.
template <class T>
void attention_sequences_forward(const AttentionArgs<T>& args, const SequenceBorders& borders, HeadView<T> out, T* lse,
                                 void* scratch);

/// As attention_backward for such sequences.
template <class T>
void attention_sequences_backward(const AttentionArgs<T>& args, const SequenceBorders& borders, HeadView<const T> out,
                                  HeadView<const T> dout, const T* lse, AttentionGradient<T> dq,
                                  AttentionGradient<T> dk, AttentionGradient<T> dv, void* scratch);

/// The specification of the forward pass: plain loops, sums in double.
template <class T>
void attention_forward_reference(const AttentionArgs<T>& args, HeadView<T> out, T* lse, T* weights);

/// The specification of the backward pass: plain loops, sums in double, nothing taken from the forward pass.
template <class T>
void attention_backward_reference(const AttentionArgs<T>& args, HeadView<const T> dout, AttentionGradient<T> dq,
                                  AttentionGradient<T> dk, AttentionGradient<T> dv);

}  // namespace minnow::kernels
