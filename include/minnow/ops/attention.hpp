#pragma once
/// @file
/// Scaled dot-product attention in tiles, linear attention, masks of sparse attention.

#include <optional>

#include "minnow/base/philox.hpp"
#include "minnow/tensor/tensor.hpp"

namespace minnow {

struct OpCall;

/// Where the diagonal of a causal mask lies when there are more keys than queries, or fewer.
enum class CausalAlign {
  kTopLeft,      ///< query i sees keys j <= i
  kBottomRight,  ///< query i sees keys j <= i + Tk - Tq
};

struct AttentionOptions {
  bool causal = false;
  CausalAlign align = CausalAlign::kTopLeft;
  Index window = 0;                            ///< a query sees so many keys, its own position last; 0: no limit
  std::optional<double> scale = std::nullopt;  ///< nothing: 1 / sqrt(D)
  double dropout = 0;                          ///< of the weights, by key
  RandomKey random = {};
  Index first_batch = 0;     ///< index in the global batch of row 0, or of the first sequence
  Index dropout_length = 0;  ///< dropout counts positions as if rows were so long; 0: as long as they are
};

/// Optional inputs of attention.
struct AttentionInputs {
  /// bool: true = may attend. f32/f64: added to the scores. Broadcastable to (B, H, Tq, Tk). Constant: no gradient.
  Tensor mask = {};
  Tensor key_lengths = {};   ///< (B) i64: keys from there on are padding
  Tensor alibi_slopes = {};  ///< (H): score -= slope * |distance|
};

/// out_i = sum_j softmax_j(scale q_i k_j + masks) v_j. Rows that may attend nothing give 0 and no gradient.
/// @param q (B, H, Tq, D); @param k (B, Hkv, Tk, D); @param v (B, Hkv, Tk, Dv); H a multiple of Hkv (grouped queries:
/// head h uses key/value head h Hkv / H)
/// @return (B, H, Tq, Dv)
/// Gradient: dv = P^T dout, ds = P (dout v^T - sum), dq = scale ds k, dk = scale ds^T q, computed again in tiles.
/// Throws: ShapeError. Source: Vaswani et al. 2017; Dao et al. 2022, FlashAttention.
[[nodiscard]] Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                                  const AttentionOptions& options = {},
                                                  const AttentionInputs& inputs = {});

/// @return (B, H, Tq, Tk): the weights that attention on the same arguments uses, before dropout, in the
/// precision of the PrecisionScope around the call. No gradient.
[[nodiscard]] Tensor attention_weights(const Tensor& q, const Tensor& k, const AttentionOptions& options = {},
                                       const AttentionInputs& inputs = {});

/// Self-attention of all heads on packed projections, without a copy.
/// @param qkv (B, T, 3C): q, then k, then v, each of n_head heads of C / n_head channels
/// @param key_lengths (B) i64 or undefined
/// @param borders (S + 1) i64 or undefined: with B = 1, position borders[s] is the first of sequence s, the last one
/// ends at borders[S] = T, and each sequence attends to itself alone: what it gives alone, to the bit. Not together
/// with key_lengths.
/// @return (B, T, C): the heads side by side
/// Gradient and source as of scaled_dot_product_attention. Throws: ShapeError.
[[nodiscard]] Tensor packed_self_attention(const Tensor& qkv, Index n_head, const AttentionOptions& options = {},
                                           const Tensor& key_lengths = {}, const Tensor& borders = {});

/// Attention of heads that lie side by side in rows, with grouped queries, without a copy.
/// @param q (B, Tq, H D); @param k (B, Tk, Hkv D); @param v (B, Tk, Hkv Dv); n_head = H a multiple of n_kv_head = Hkv
/// @param key_lengths (B) i64 or undefined
/// @param borders as of packed_self_attention; Tq = Tk then
/// @return (B, Tq, H Dv): the heads side by side
/// Gradient and source as of scaled_dot_product_attention. Throws: ShapeError.
[[nodiscard]] Tensor row_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index n_head, Index n_kv_head,
                                   const AttentionOptions& options = {}, const Tensor& key_lengths = {},
                                   const Tensor& borders = {});

/// Attention without a softmax, in time proportional to the length: with f(x) = elu(x) + 1,
/// y_i = sum_j f(q_i) f(k_j) v_j / (eps + sum_j f(q_i) f(k_j)), over j <= i when causal; 0 where the divisor is 0.
/// @param q (B, H, Tq, D); @param k (B, H, Tk, D); @param v (B, H, Tk, Dv); Tq = Tk when causal
/// @return (B, H, Tq, Dv). Gradient: by the same running sums, forwards for dq, backwards for dk and dv.
/// Accuracy: sums in f64. Throws: ShapeError. Source: Katharopoulos et al. 2020, Transformers are RNNs.
[[nodiscard]] Tensor linear_attention(const Tensor& q, const Tensor& k, const Tensor& v, bool causal = false,
                                      double eps = 0);

/// Which keys j a query i sees in sparse attention.
struct SparsePattern {
  enum class Kind {
    kStrided,      ///< j <= i, among the last `stride` ones or whole strides back
    kFixed,        ///< j <= i, in the same stretch of `stride` ones or among the last `summary` of any stretch
    kBlock,        ///< blocks I = i div block and J at most `near` apart, or one of them among the first `global`
    kBlockCausal,  ///< j <= i, blocks at most `near` apart or J among the first `global`
    kDilated,      ///< 0 <= i - j < span, every dilation-th
  } kind = Kind::kStrided;
  Index stride = 1, summary = 1;          ///< of kStrided and kFixed
  Index block = 1, near = 1, global = 0;  ///< of the block kinds
  Index span = 1, dilation = 1;           ///< of kDilated
};

/// @return (T, T) bool, true = may attend: a mask for scaled_dot_product_attention. Throws: ShapeError.
/// Source: Child et al. 2019, Sparse Transformers (strided, fixed); Zaheer et al. 2020, BigBird (blocks); Beltagy et
/// al. 2020, Longformer (dilated).
[[nodiscard]] Tensor sparse_attention_mask(Index length, const SparsePattern& pattern);

/// What one call of attention worked on, the heads taken apart: views, without gradient.
struct AttentionCall {
  Tensor q, k, v;  ///< (B, H, Tq, D), (B, Hkv, Tk, D), (B, Hkv, Tk, Dv)
  AttentionOptions options;
  AttentionInputs inputs;

  /// @return (B, H, Tq, Tk): the weights of that call, before dropout.
  [[nodiscard]] Tensor weights() const { return attention_weights(q, k, options, inputs); }
};

/// @return what an observed call worked on if it was one of the three operations above, without borders; else nothing.
[[nodiscard]] std::optional<AttentionCall> attention_call(const OpCall& call);

}  // namespace minnow
