#include "train/make_optimizer.hpp"

#include "minnow/base/error.hpp"
#include "minnow/optim/adafactor.hpp"
#include "minnow/optim/adamw.hpp"
#include "minnow/optim/muon.hpp"
#include "minnow/optim/simple.hpp"

namespace minnow {
namespace {

AdamWOptions adam_options(const OptimizerConfig& c) {
  return {.beta1 = c.beta1,
          .beta2 = c.beta2,
          .eps = c.eps,
          .weight_decay = c.weight_decay,
          .decoupled = c.name != OptimizerKind::kAdam,
          .amsgrad = c.amsgrad};
}

MuonOptions muon_options(const OptimizerConfig& c) {
  return {.rate = c.muon_rate() / c.learning_rate,
          .momentum = c.momentum,
          .nesterov = c.nesterov,
          .iterations = static_cast<int>(c.muon_iterations),
          .scale = c.muon_adjust == MuonAdjust::kOriginal ? MuonScale::kOriginal : MuonScale::kMatchRms,
          .weight_decay = c.weight_decay,
          .rest = adam_options(c)};
}

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(const OptimizerConfig& c, FlatLayout layout, DType dtype) {
  switch (c.name) {
    case OptimizerKind::kAdamw:
    case OptimizerKind::kAdam:
      return std::make_unique<AdamW>(std::move(layout), adam_options(c), dtype);
    case OptimizerKind::kSgd:
      return std::make_unique<Sgd>(
          std::move(layout),
          SgdOptions{
              .momentum = c.momentum, .dampening = c.dampening, .nesterov = c.nesterov, .weight_decay = c.weight_decay},
          dtype);
    case OptimizerKind::kAdagrad:
      return std::make_unique<Adagrad>(std::move(layout),
                                       AdagradOptions{.eps = c.eps,
                                                      .lr_decay = c.lr_decay,
                                                      .initial_accumulator = c.initial_accumulator,
                                                      .weight_decay = c.weight_decay},
                                       dtype);
    case OptimizerKind::kRmsprop:
      return std::make_unique<Rmsprop>(std::move(layout),
                                       RmspropOptions{.alpha = c.alpha,
                                                      .eps = c.eps,
                                                      .momentum = c.momentum,
                                                      .centered = c.centered,
                                                      .weight_decay = c.weight_decay},
                                       dtype);
    case OptimizerKind::kAdafactor:
      return std::make_unique<Adafactor>(std::move(layout),
                                         AdafactorOptions{.beta2_decay = c.beta2_decay,
                                                          .eps1 = c.eps1,
                                                          .eps2 = c.eps2,
                                                          .clip = c.update_clip,
                                                          .weight_decay = c.weight_decay},
                                         dtype);
    case OptimizerKind::kLion:
      return std::make_unique<Lion>(
          std::move(layout), LionOptions{.beta1 = c.beta1, .beta2 = c.beta2, .weight_decay = c.weight_decay}, dtype);
    case OptimizerKind::kMuon:
      return std::make_unique<Muon>(std::move(layout), muon_options(c), dtype);
  }
  throw ConfigError("[optimizer] optimizer.name must name a known optimizer");
}

}  // namespace minnow
