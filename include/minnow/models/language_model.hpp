#pragma once
/// @file
/// What the trainer and the text generator ask of a causal language model, whatever its family.

#include <cstdint>
#include <memory>
#include <vector>

#include "minnow/kernels/gemm.hpp"
#include "minnow/nn/parameter.hpp"
#include "minnow/nn/streams.hpp"

namespace minnow {

class FrozenWeights;
struct ModelConfig;

/// Keys and values of all positions seen so far, per layer: (B, Hkv, capacity, D) each.
struct KeyValueCache {
  std::vector<Tensor> keys, values;
  Index length = 0;    ///< positions filled
  Index capacity = 0;  ///< positions that fit

  /// Forgets all positions; the memory stays.
  void clear() { length = 0; }
};

/// A causal transformer that predicts the next token.
class LanguageModel {
 public:
  virtual ~LanguageModel() = default;

  [[nodiscard]] virtual ParameterList& parameters() = 0;
  [[nodiscard]] virtual Index vocab_size() const = 0;
  /// @return positions that one pass may hold; sequences beyond it are refused when positions are learned.
  [[nodiscard]] virtual Index block_size() const = 0;
  /// @return whether text may run past block_size (sinusoidal positions go on; with others a window moves along).
  [[nodiscard]] virtual bool positions_go_on() const = 0;

  /// @param tokens (B, T) i32 or i64; (1, N) with mode.sequences, which then follow each other
  /// @param targets as many, -100 where nothing is predicted
  /// @param divisor the summed loss is divided by it: the number of counted targets of the whole batch
  /// @return scalar: sum of the cross entropies / divisor, in nats.
  [[nodiscard]] virtual Tensor loss(const Tensor& tokens, const Tensor& targets, double divisor,
                                    const ForwardMode& mode) = 0;

  /// @return (B, T): cross entropy of every target in nats, 0 where nothing is predicted.
  [[nodiscard]] virtual Tensor token_losses(const Tensor& tokens, const Tensor& targets, const ForwardMode& mode) = 0;

  /// @return (B, T, V): scores of the next token at every position.
  [[nodiscard]] virtual Tensor logits(const Tensor& tokens, const ForwardMode& mode) = 0;

  /// @return an empty cache for `batch` sequences of up to `capacity` positions.
  [[nodiscard]] virtual KeyValueCache make_cache(Index batch, Index capacity) const = 0;

  /// Reads further tokens behind those in the cache. Call under NoGrad.
  /// @param tokens (B, N)
  /// @return (B, V): scores of the token behind the last one.
  /// Throws: ShapeError when the cache is too small.
  [[nodiscard]] virtual Tensor decode(const Tensor& tokens, KeyValueCache& cache) = 0;

  /// In what all passes from now on take the factors of their matrix products; models of f64 compute in f64.
  void set_precision(kernels::GemmPrecision precision) { precision_ = precision; }
  [[nodiscard]] kernels::GemmPrecision precision() const { return precision_; }

  /// Says whether the weights stay as they are from now on, so that `decode` may keep them packed, for speed. The
  /// results are the same; `false` frees the copies.
  /// @param spare_bytes that copies of large weights in f32 may take together; those in bf16 are made in any case
  void set_frozen(bool frozen, std::uint64_t spare_bytes = 0);
  [[nodiscard]] bool frozen() const { return frozen_weights_ != nullptr; }

 protected:
  /// @return the copies; null when the weights may change.
  [[nodiscard]] FrozenWeights* frozen_weights() const { return frozen_weights_.get(); }

 private:
  kernels::GemmPrecision precision_ = kernels::GemmPrecision::kF32;
  std::shared_ptr<FrozenWeights> frozen_weights_;
};

/// @return a model of the family that `config` names, its parameters not yet filled.
/// Throws: ConfigError for sizes that do not fit together.
[[nodiscard]] std::unique_ptr<LanguageModel> make_language_model(const ModelConfig& config, Index vocab_size,
                                                                 DType dtype = DType::f32);

}  // namespace minnow
