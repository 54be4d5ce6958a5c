#pragma once
/// @file
/// Attention layers with projections of their own: multi-head as in PyTorch's module, and additive.

#include <string>

#include "minnow/nn/layers.hpp"
#include "minnow/nn/parameter.hpp"

namespace minnow::nn {

/// What may be attended to. Bool masks: true = BLOCKED, as in PyTorch's module (not as in
/// scaled_dot_product_attention). Float masks are added to the scores. Both are optional and work together.
struct MultiheadMasks {
  Tensor attn_mask = {};         ///< (Tq, Tk), or (B H, Tq, Tk) with index b H + h; a float mask may have a gradient
  Tensor key_padding_mask = {};  ///< (B, Tk)
};

/// Result of an attention layer.
struct Attended {
  Tensor output;
  Tensor weights = {};  ///< undefined when they were not asked for
};

/// Which weights a call returns. Without them attention runs in tiles and never holds the (Tq, Tk) scores.
enum class WeightsWanted {
  kNone,
  kMean,     ///< (B, Tq, Tk), the mean over heads
  kPerHead,  ///< (B, H, Tq, Tk)
};

/// output = out_proj of the heads side by side; head i attends with channels i E/H .. (i+1) E/H of the projected query,
/// key and value, scaled by 1 / sqrt(E/H). A query that may attend nothing has weights 0, so its output is
/// out_proj.bias. Names and layouts of the parameters are PyTorch's.
/// Source: Vaswani et al. 2017; PyTorch nn.MultiheadAttention.
struct MultiheadAttention {
  struct Options {
    bool bias = true;
    Index key_width = 0;    ///< of keys; 0: as the queries
    Index value_width = 0;  ///< of values; 0: as the queries
  };

  Tensor in_proj_weight;                               ///< (3E, E): rows for q, then k, then v; or, for other widths,
  Tensor q_proj_weight, k_proj_weight, v_proj_weight;  ///< (E, E), (E, key_width), (E, value_width)
  Tensor in_proj_bias;                                 ///< (3E) or undefined
  Linear out_proj;                                     ///< (E, E)
  Index num_heads = 1;
  bool batch_first = true;  ///< false: inputs and output are (T, B, E)
  double dropout = 0;       ///< of the weights, in training
  Index dropout_site = 0;   ///< number of its random stream

  /// Adds the parameters under `name` to the list. Throws: ShapeError unless num_heads divides width.
  static MultiheadAttention make(ParameterList& list, const std::string& name, Index width, Index num_heads,
                                 const Options& options, const Initializer& init);

  /// @param query (B, Tq, E); @param key (B, Tk, key_width); @param value (B, Tk, value_width): self-attention passes
  /// one tensor three times. Throws: ShapeError.
  [[nodiscard]] Attended operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const MultiheadMasks& masks = {}, WeightsWanted wanted = WeightsWanted::kNone,
                                    const ForwardMode& mode = {}) const;
};

/// weights = softmax over keys of w_v tanh(w_q query + w_k key); output = weights value.
/// Source: Bahdanau, Cho, Bengio 2015, Neural Machine Translation by Jointly Learning to Align and Translate.
struct AdditiveAttention {
  Linear w_q, w_k, w_v;  ///< (A, Cq), (A, Ck), (1, A), without biases

  static AdditiveAttention make(ParameterList& list, const std::string& name, Index query_width, Index key_width,
                                Index hidden, const Initializer& init);

  /// @param query (B, Tq, Cq); @param key (B, Tk, Ck); @param value (B, Tk, Cv); @param key_lengths (B) i64: keys from
  /// there on are padding; undefined: all count. @return output (B, Tq, Cv), weights (B, Tq, Tk). Throws: ShapeError.
  [[nodiscard]] Attended operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& key_lengths = {}) const;
};

}  // namespace minnow::nn
