#pragma once
/// @file
/// Stands in for a language model where a test needs losses or gradients of known value.

#include <functional>

#include "minnow/base/error.hpp"
#include "minnow/models/language_model.hpp"

namespace minnow::test {

/// Its losses are what the test's functions say. Parameters are added by the test.
class FunctionModel final : public LanguageModel {
 public:
  using Loss = std::function<Tensor(FunctionModel&, const Tensor& tokens, const Tensor& targets, double divisor)>;

  explicit FunctionModel(Loss loss, Loss token_losses = nullptr)
      : loss_(std::move(loss)), token_losses_(std::move(token_losses)) {}

  ParameterList& parameters() override { return parameters_; }
  Index vocab_size() const override { return 1 << 16; }
  Index block_size() const override { return 1 << 16; }
  bool positions_go_on() const override { return true; }
  Tensor loss(const Tensor& tokens, const Tensor& targets, double divisor, const ForwardMode&) override {
    return loss_(*this, tokens, targets, divisor);
  }
  Tensor token_losses(const Tensor& tokens, const Tensor& targets, const ForwardMode&) override {
    return token_losses_(*this, tokens, targets, 1);
  }
  Tensor logits(const Tensor&, const ForwardMode&) override { throw ShapeError("[function_model] has no logits"); }
  KeyValueCache make_cache(Index, Index) const override { return {}; }
  Tensor decode(const Tensor&, KeyValueCache&) override { throw ShapeError("[function_model] cannot decode"); }

 private:
  ParameterList parameters_;
  Loss loss_, token_losses_;
};

}  // namespace minnow::test
