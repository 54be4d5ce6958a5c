// Adapters of the kind optimiser.

#include <fmt/format.h>

#include <map>
#include <memory>

#include "golden/adapter.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/linear.hpp"
#include "minnow/ops/reduction.hpp"
#include "minnow/optim/adafactor.hpp"
#include "minnow/optim/adamw.hpp"
#include "minnow/optim/muon.hpp"
#include "minnow/optim/simple.hpp"

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

/// @return two numbers of the option betas.
std::pair<double, double> betas_of(Call& call) {
  const std::vector<double> betas = call.options.numbers("betas");
  if (betas.size() != 2) throw Unsupported("option betas must hold two numbers");
  return {betas[0], betas[1]};
}

/// Steps on every parameter with an optimizer of its own. @param make (layout) -> the optimizer
template <class Make>
Outcome walk(Call& call, const Make& make) {
  const double lr = call.options.number("lr");
  Paths paths(call, call.options.integer("steps"));
  std::map<std::size_t, decltype(make(FlatLayout{}))> states;
  paths.walk([&](Tensor& parameter, const Tensor& gradient, std::size_t number) {
    const Index count = parameter.numel();
    auto& state = states[number];
    if (!state) {
      FlatPart part{"p", parameter.shape(), 0, {}};
      if (parameter.shape().rank() == 2) part.matrix_rows = {parameter.size(0)};
      state = make(FlatLayout{count, count, {part}});
    }
    Tensor flat = parameter.as_strided({count}, {1}, parameter.offset());
    state->step(flat, gradient.as_strided({count}, {1}, gradient.offset()), lr);
  });
  return {paths.outputs(call)};
}

template <class Kind, class Options>
Outcome walk_with(Call& call, const Options& options) {
  return walk(call,
              [&](FlatLayout layout) { return std::make_unique<Kind>(std::move(layout), options, call.dtype()); });
}

Outcome adam_like(Call& call, bool decoupled) {
  const auto [beta1, beta2] = betas_of(call);
  return walk_with<AdamW>(call, AdamWOptions{.beta1 = beta1,
                                             .beta2 = beta2,
                                             .eps = call.options.number("eps"),
                                             .weight_decay = call.options.number("weight_decay"),
                                             .decoupled = decoupled,
                                             .amsgrad = call.options.flag("amsgrad")});
}

Outcome adamw(Call& call) { return adam_like(call, true); }
Outcome adam(Call& call) { return adam_like(call, false); }

Outcome sgd(Call& call) {
  return walk_with<Sgd>(call, SgdOptions{.momentum = call.options.number("momentum"),
                                         .dampening = call.options.number("dampening"),
                                         .nesterov = call.options.flag("nesterov"),
                                         .weight_decay = call.options.number("weight_decay")});
}

Outcome adagrad(Call& call) {
  return walk_with<Adagrad>(call,
                            AdagradOptions{.eps = call.options.number("eps"),
                                           .lr_decay = call.options.number("lr_decay"),
                                           .initial_accumulator = call.options.number("initial_accumulator_value"),
                                           .weight_decay = call.options.number("weight_decay")});
}

Outcome rmsprop(Call& call) {
  return walk_with<Rmsprop>(call, RmspropOptions{.alpha = call.options.number("alpha"),
                                                 .eps = call.options.number("eps"),
                                                 .momentum = call.options.number("momentum"),
                                                 .centered = call.options.flag("centered"),
                                                 .weight_decay = call.options.number("weight_decay")});
}

Outcome adafactor(Call& call) {
  return walk_with<Adafactor>(call, AdafactorOptions{.beta2_decay = -call.options.number("beta2_decay"),
                                                     .eps1 = call.options.number("eps1"),
                                                     .eps2 = call.options.number("eps2"),
                                                     .clip = call.options.number("d"),
                                                     .weight_decay = call.options.number("weight_decay")});
}

Outcome lion(Call& call) {
  return walk_with<Lion>(call, LionOptions{.beta1 = call.options.number("beta1"),
                                           .beta2 = call.options.number("beta2"),
                                           .weight_decay = call.options.number("weight_decay")});
}

Outcome muon(Call& call) {
  const std::string adjust = call.options.text("adjust");
  if (adjust != "original" && adjust != "match_rms_adamw") throw Unsupported("option adjust is " + adjust);
  return walk_with<Muon>(call, MuonOptions{.momentum = call.options.number("momentum"),
                                           .nesterov = call.options.flag("nesterov"),
                                           .scale = adjust == "original" ? MuonScale::kOriginal : MuonScale::kMatchRms,
                                           .weight_decay = call.options.number("weight_decay")});
}

}  // namespace

AdapterTable optimiser_adapters() {
  return {{"adamw", adamw},     {"adam", adam},           {"sgd", sgd},   {"adagrad", adagrad},
          {"rmsprop", rmsprop}, {"adafactor", adafactor}, {"lion", lion}, {"muon", muon}};
}

}  // namespace minnow::golden
