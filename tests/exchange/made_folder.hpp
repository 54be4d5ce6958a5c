#pragma once
/// @file
/// Writes small model folders, right ones and wrong ones.

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "data/data_files.hpp"
#include "minnow/exchange/foreign_config.hpp"
#include "minnow/exchange/foreign_tensors.hpp"
#include "minnow/io/safetensors.hpp"

namespace minnow::test {

/// The config.json of a GPT-2 or LLaMA of two layers.
inline nlohmann::json made_config(Family family) {
  if (family == Family::kGpt2) {
    return {{"model_type", "gpt2"}, {"vocab_size", 11}, {"n_layer", 2},
            {"n_head", 2},          {"n_embd", 8},      {"n_positions", 6}};
  }
  return {{"model_type", "llama"},    {"vocab_size", 11}, {"num_hidden_layers", 2},  {"num_attention_heads", 2},
          {"num_key_value_heads", 1}, {"hidden_size", 8}, {"intermediate_size", 12}, {"max_position_embeddings", 6}};
}

/// Tensors of a folder, in memory, to be changed before they are written.
struct MadeWeights {
  struct One {
    FileDtype dtype = FileDtype::kF32;
    std::vector<std::int64_t> shape;
    std::vector<std::byte> bytes;
  };
  std::map<std::string, One> tensors;

  /// Numbers that halves and bf16 hold exactly; each tensor has others.
  static MadeWeights of(const nlohmann::json& config) {
    const auto read = exchange::read_foreign_config(config.dump());
    MadeWeights made;
    int next = 1;
    for (const auto& tensor : exchange::foreign_tensors(read.model, read.model.vocab_size)) {
      made.add(tensor.name, tensor.shape, next++);
    }
    return made;
  }
  void add(const std::string& name, const std::vector<std::int64_t>& shape, int first) {
    std::size_t count = 1;
    for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = static_cast<float>(static_cast<int>((i * 7 + static_cast<std::size_t>(first) * 5) % 33) - 16) / 16.0F;
    }
    tensors[name] = {FileDtype::kF32, shape, bytes_of(values)};
  }
  template <class T>
  static std::vector<std::byte> bytes_of(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  [[nodiscard]] std::vector<float> numbers(const std::string& name) const {
    const One& one = tensors.at(name);
    std::vector<float> values(one.bytes.size() / sizeof(float));
    std::memcpy(values.data(), one.bytes.data(), one.bytes.size());
    return values;
  }
  void rename(const std::string& from, const std::string& to) {
    auto node = tensors.extract(from);
    node.key() = to;
    tensors.insert(std::move(node));
  }
  /// Writes those whose name `keep` allows into one file.
  template <class Keep>
  void write(const std::string& path, const Keep& keep) const {
    std::vector<TensorSource> sources;
    for (const auto& [name, one] : tensors) {
      if (keep(name)) sources.push_back({name, one.dtype, one.shape, one.bytes});
    }
    write_safetensors_file(path, sources);
  }
  void write(const std::string& path) const {
    write(path, [](const std::string&) { return true; });
  }
};

}  // namespace minnow::test
