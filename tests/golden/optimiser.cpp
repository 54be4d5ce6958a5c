// Adapters of the kind optimiser.

#include <fmt/format.h>

#include "golden/adapter.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/linear.hpp"
#include "minnow/ops/reduction.hpp"
#include "minnow/optim/adamw.hpp"

namespace minnow::golden {
namespace {

constexpr const char* kGradients = "grads.";

/// @return row `row` of a (rows, ...) tensor: its numbers, copied.
Tensor row_of(const Tensor& stack, Index row) {
  Shape shape = stack.shape();
  shape.erase(0);
  return stack.as_strided(shape, shape.contiguous_strides(), stack.offset() + row * shape.numel()).clone();
}

/// Every parameter after every step: out.path.NAME (steps + 1, ...). An optimiser steps on each by itself.
class Paths {
 public:
  Paths(Call& call, Index steps) : steps_(steps) {
    for (const auto& [name, gradients] : call.all_in()) {
      if (!name.starts_with(kGradients)) continue;
      const std::string parameter = name.substr(std::string(kGradients).size());
      if (gradients.size(0) != steps) throw Unsupported(fmt::format("{} steps but {}", steps, gradients.size(0)));
      gradients_[parameter] = gradients;
      const Tensor stored = call.stored("out.path." + parameter);
      paths_[parameter] = Tensor::empty(stored.shape(), stored.dtype());
      starts_[parameter] = row_of(stored, 0);
    }
  }

  /// Calls step(parameter, gradient, number of the parameter among all).
  template <class Step>
  void walk(Step step) {
    std::size_t number = 0;
    for (const auto& [name, gradients] : gradients_) {
      Tensor parameter = starts_.at(name);
      put(name, 0, parameter);
      for (Index i = 0; i < steps_; ++i) {
        step(parameter, row_of(gradients, i), number);
        put(name, i + 1, parameter);
      }
      ++number;
    }
  }

  /// @return path.*, and loss (steps + 1): mean((A w^T + b - Y)^2) along it.
  [[nodiscard]] Values outputs(Call& call) const {
    Values made;
    for (const auto& [name, path] : paths_) made["path." + name] = path;
    std::vector<double> losses;
    for (Index i = 0; i <= steps_; ++i) {
      const Tensor b = paths_.contains("b") ? row_of(paths_.at("b"), i) : Tensor();
      losses.push_back(mean(square(linear(call.in("A"), row_of(paths_.at("w"), i), b) - call.in("Y"))).item());
    }
    made["loss"] = Tensor::from(losses, {steps_ + 1}).to(call.dtype());
    return made;
  }

 private:
  void put(const std::string& name, Index row, const Tensor& parameter) {
    Tensor& path = paths_.at(name);
    path.as_strided(parameter.shape(), parameter.strides(), row * parameter.numel()).copy_from(parameter);
  }

  Index steps_;
  Values gradients_, starts_, paths_;
};

Outcome adamw(Call& call) {
  AdamWOptions options;
  const std::vector<double> betas = call.options.numbers("betas");
  if (betas.size() != 2) throw Unsupported("option betas must hold two numbers");
  options.beta1 = betas[0];
  options.beta2 = betas[1];
  options.eps = call.options.number("eps");
  options.weight_decay = call.options.number("weight_decay");
  call.options.require("amsgrad", false);
  const double lr = call.options.number("lr");
  Paths paths(call, call.options.integer("steps"));
  std::map<std::size_t, AdamW> states;
  paths.walk([&](Tensor& parameter, const Tensor& gradient, std::size_t number) {
    const Index count = parameter.numel();
    const auto state = states.try_emplace(number, count, count, options, call.dtype()).first;
    Tensor flat = parameter.as_strided({count}, {1}, parameter.offset());
    state->second.step(flat, gradient.as_strided({count}, {1}, gradient.offset()), lr);
  });
  return {paths.outputs(call)};
}

}  // namespace

AdapterTable optimiser_adapters() { return {{"adamw", adamw}}; }

}  // namespace minnow::golden
