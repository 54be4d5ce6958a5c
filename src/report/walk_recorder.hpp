#pragma once
/// @file
/// Turns the operations that a decoder runs into the steps of a tale.

#include <optional>
#include <string>
#include <vector>

#include "minnow/autograd/observe.hpp"
#include "minnow/ops/attention.hpp"
#include "minnow/report/walk.hpp"

namespace minnow {

/// What a parameter is for.
enum class Role {
  kOther,
  kEmbedding,
  kPositions,
  kNorm1,
  kNorm2,
  kFinalNorm,
  kQkv,
  kQ,
  kK,
  kV,
  kOut,
  kGate,
  kUp,
  kDown,
  kHead
};

/// A parameter by its place in the model.
struct Place {
  Role role = Role::kOther;
  Index layer = -1;  ///< -1: outside the blocks
  std::string name;
};

/// @return the place that a name of GPT-2's or LLaMA's checkpoints stands for.
[[nodiscard]] Place place_of(const std::string& name);

/// Watches a forward pass.
class WalkRecorder {
 public:
  WalkRecorder(const ParameterList& parameters, const ModelConfig& config) : parameters_(parameters), config_(config) {}

  void look(const OpCall& call);
  [[nodiscard]] std::vector<WalkStep>& steps() { return steps_; }

 private:
  [[nodiscard]] Place place(const Tensor& x) const;
  [[nodiscard]] std::string symbol_of(const Tensor& x) const;
  WalkStep& add(WalkStep step, const OpCall& call, std::size_t output = 0);
  [[nodiscard]] WalkWeight weight(const std::string& symbol, const Tensor& x, std::string letters) const;
  void enter(const Place& place);

  bool known(const OpCall& call);
  void embedding(const OpCall& call);
  void table_slice(const OpCall& call);
  void part_of_qkv(const OpCall& call);
  void sum(const OpCall& call);
  void norm(const OpCall& call, std::size_t output, const Tensor& weight, const Tensor& bias);
  void added_norm(const OpCall& call);
  void linear(const OpCall& call);
  void linear_in_attention(const OpCall& call, const Place& place);
  void linear_in_mlp(const OpCall& call, const Place& place);
  void head(const OpCall& call);
  void rope(const OpCall& call);
  bool attention(const OpCall& call);
  void inside(WalkStep step, const Tensor& tensor);
  void heads(const AttentionCall& seen);
  void scores(const AttentionCall& seen, const Tensor& weights);
  void gate(const OpCall& call);
  void loss(const OpCall& call);
  void unknown(const OpCall& call);

  const ParameterList& parameters_;
  const ModelConfig& config_;
  std::vector<WalkStep> steps_;
  std::vector<std::pair<Tensor, std::string>> symbols_;
  std::string part_ = "embedding";
};

}  // namespace minnow
