#pragma once
/// @file
/// Models and batches of a size that a test trains in milliseconds.

#include <cstring>
#include <memory>
#include <vector>

#include "minnow/base/parallel.hpp"
#include "minnow/config/config.hpp"
#include "minnow/data/batch.hpp"
#include "minnow/models/language_model.hpp"
#include "minnow/train/train_step.hpp"

namespace minnow::test {

/// L 2, H 2, C 16, T 12; weights large enough that everything matters.
inline ModelConfig tiny_config() {
  ModelConfig config;
  config.n_layer = 2;
  config.n_head = 2;
  config.n_embd = 16;
  config.block_size = 12;
  config.init_std = 0.3;
  return config;
}

/// @return the model of a configuration, its weights drawn from `seed`.
inline std::unique_ptr<LanguageModel> tiny_model(const ModelConfig& config, Index vocab_size = 11,
                                                 std::uint64_t seed = 5, DType dtype = DType::f32) {
  auto model = make_language_model(config, vocab_size, dtype);
  model->parameters().initialize(seed);
  return model;
}

/// @return ids in [0, vocab_size), the same at every call.
inline std::vector<std::int32_t> ids(Index count, Index vocab_size, std::uint32_t seed = 1) {
  std::vector<std::int32_t> made;
  std::uint32_t state = seed * 2654435761U + 1;
  for (Index i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    made.push_back(static_cast<std::int32_t>((state >> 8U) % static_cast<std::uint32_t>(vocab_size)));
  }
  return made;
}

/// @return (rows, length) tokens.
inline Tensor id_tensor(Index rows, Index length, Index vocab_size, std::uint32_t seed = 1) {
  return Tensor::from(ids(rows * length, vocab_size, seed), {rows, length});
}

/// @return a batch of (rows, length) whose row b predicts at its first lengths[b] positions (all without lengths).
inline Batch make_batch(Index rows, Index length, Index vocab_size, std::vector<std::int32_t> lengths = {},
                        std::uint32_t seed = 1) {
  Batch batch;
  batch.rows = rows;
  batch.length = length;
  batch.tokens = ids(rows * length, vocab_size, seed);
  batch.targets = ids(rows * length, vocab_size, seed + 1);
  batch.lengths = std::move(lengths);
  batch.lengths.resize(static_cast<std::size_t>(rows), static_cast<std::int32_t>(length));
  for (Index row = 0; row < rows; ++row) {
    const Index count = batch.lengths[static_cast<std::size_t>(row)];
    batch.counted += count;
    for (Index t = count; t < length; ++t) batch.targets[static_cast<std::size_t>(row * length + t)] = kIgnoredTarget;
  }
  batch.counted_in_step = batch.counted;
  return batch;
}

/// @return the bytes of a tensor, for comparisons bit by bit.
inline std::vector<std::byte> bytes_of(const Tensor& x) {
  const Tensor line = x.contiguous();
  const std::byte* begin = line.raw();
  return {begin, begin + static_cast<std::size_t>(line.numel()) * size_of(line.dtype())};
}

/// @return all numbers of parameters and optimizer, as bytes.
inline std::vector<std::byte> state_bytes(const TrainStep& step) {
  std::vector<std::byte> all;
  for (const auto& group : {step.parameters(), step.optimizer_state()}) {
    for (const auto& named : group) {
      const std::vector<std::byte> one = bytes_of(named.tensor);
      all.insert(all.end(), one.begin(), one.end());
    }
  }
  return all;
}

/// Sets the number of threads until the end of the block.
class Threads {
 public:
  explicit Threads(int count) : before_(threads()) { set_threads(count); }
  ~Threads() { set_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

}  // namespace minnow::test
