#pragma once
/// @file
/// A model folder as Hugging Face's transformers writes it: config.json, weights, and perhaps a tokenizer.

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "minnow/exchange/foreign_config.hpp"
#include "minnow/exchange/foreign_tensors.hpp"
#include "minnow/exchange/weight_files.hpp"
#include "minnow/text/tokenizer.hpp"

namespace minnow::exchange {

/// @return whether `path` is a folder with a config.json: a model of Hugging Face rather than a run of minnow.
[[nodiscard]] bool is_model_folder(const std::filesystem::path& path);

/// A folder whose weights fit its config.json; nothing of them is read yet.
class ModelFolder {
 public:
  /// Checks everything that can be checked without reading weights: each tensor that the model needs is there once, in
  /// its shape and a known type, and no other one. So a config.json of absurd sizes costs no memory.
  ///
  /// Whether the head is tied to the embedding is decided by the weights: a head that is stored and differs from the
  /// embedding counts, whatever config.json says; without one the embedding is the head. Where that contradicts
  /// config.json, warnings() says so.
  /// Throws: CheckpointError naming tensors that are missing, unknown or of the wrong shape; IoError.
  [[nodiscard]] static ModelFolder open(const std::filesystem::path& folder);

  /// @return the model, tie_head as the weights have it, and its number of tokens.
  [[nodiscard]] const ModelConfig& model() const { return config_.model; }
  [[nodiscard]] std::int64_t vocab_size() const { return config_.model.vocab_size; }
  [[nodiscard]] const std::string& architecture() const { return config_.architecture; }
  /// @return types of the weights as stored, such as "BF16".
  [[nodiscard]] const std::string& stored_type() const { return stored_type_; }
  /// @return the folder's tokenizer; null where it has none that minnow reads, which is a warning unless there is none.
  /// In place of a damaged tokenizer.json another file of the folder that holds the tokenizer is read, with a warning.
  /// Throws: CheckpointError where its file is damaged and no other is there.
  [[nodiscard]] const std::shared_ptr<const Tokenizer>& tokenizer() const;
  /// @return why the tokenizer that lies in the folder is not used; empty where it is, or there is none.
  [[nodiscard]] const std::string& tokenizer_unused() const { return tokenizer_unused_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

  /// Reads one parameter, turned to (out, in). @param name as in foreign_tensors; @param target as many numbers as it
  /// has
  void read(const ForeignTensor& tensor, std::span<float> target) const;
  /// @return the parameters of the model in its order.
  [[nodiscard]] std::vector<ForeignTensor> tensors() const { return foreign_tensors(model(), vocab_size()); }

 private:
  ModelFolder() = default;
  void find_tensors(const std::filesystem::path& folder);
  void decide_head();
  [[nodiscard]] bool head_is_embedding() const;
  void check_tensors(const std::filesystem::path& folder) const;
  void read_tokenizer(const std::filesystem::path& folder);
  /// Reads one of the tokenizer's files. @return empty when it is read, else why not.
  [[nodiscard]] std::string try_tokenizer(const std::filesystem::path& file);
  [[nodiscard]] const WeightFiles::Place* find(const std::string& name) const;

  ForeignConfig config_;
  std::shared_ptr<const WeightFiles> files_;
  std::vector<std::pair<std::string, WeightFiles::Place>> places_;  // by name
  std::string stored_type_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::string tokenizer_unused_;
  std::string tokenizer_damage_;  // why tokenizer() throws; empty: it does not
  std::vector<std::string> warnings_;
};

}  // namespace minnow::exchange
