/// @file
/// The rows of [optimizer].

#include "config/key_row.hpp"
#include "config/key_table.hpp"

namespace minnow::config_detail {
namespace {

using enum ResumeEffect;

constexpr auto kOptimizer = &Config::optimizer;

template <OptimizerKind... kKinds>
bool is(const Config& config) {
  return ((config.optimizer.name == kKinds) || ...);
}

bool is_adafactor(const Config& config) { return is<OptimizerKind::kAdafactor>(config); }
bool is_muon(const Config& config) { return is<OptimizerKind::kMuon>(config); }
bool is_rmsprop(const Config& config) { return is<OptimizerKind::kRmsprop>(config); }
bool is_adagrad(const Config& config) { return is<OptimizerKind::kAdagrad>(config); }
bool has_amsgrad(const Config& config) { return is<OptimizerKind::kAdam, OptimizerKind::kAdamw>(config); }
bool has_betas(const Config& config) {
  return is<OptimizerKind::kAdamw, OptimizerKind::kAdam, OptimizerKind::kLion, OptimizerKind::kMuon>(config);
}
bool has_eps(const Config& config) {
  return !is<OptimizerKind::kSgd, OptimizerKind::kAdafactor, OptimizerKind::kLion>(config);
}
bool has_momentum(const Config& config) {
  return is<OptimizerKind::kSgd, OptimizerKind::kRmsprop, OptimizerKind::kMuon>(config);
}
bool may_dampen(const Config& config) {
  return is<OptimizerKind::kSgd>(config) && config.optimizer.momentum > 0 && !config.optimizer.nesterov;
}
bool may_be_nesterov(const Config& config) {
  return is_muon(config) || (is<OptimizerKind::kSgd>(config) && config.optimizer.momentum > 0);
}

constexpr std::string_view kAdafactor = "optimizer.name = \"adafactor\"";
constexpr std::string_view kMuon = "optimizer.name = \"muon\"";
constexpr std::string_view kRmsprop = "optimizer.name = \"rmsprop\"";
constexpr std::string_view kAdagrad = "optimizer.name = \"adagrad\"";
constexpr std::string_view kBetas = "optimizer.name is adamw, adam, lion or muon";

constexpr Key kRows[] = {
    row<kOptimizer, &OptimizerConfig::name>("optimizer.name", kRefused,
                                            "Optimizer; muon moves the matrices inside the blocks and leaves the rest "
                                            "to AdamW")
        .also("optim optimizer_type"),
    row<kOptimizer, &OptimizerConfig::learning_rate>("optimizer.learning_rate", kBits, "Largest learning rate")
        .range(0, 1000)
        .above(0)
        .also("lr max_lr base_lr"),
    row<kOptimizer, &OptimizerConfig::beta1>("optimizer.beta1", kBits, "Decay of the mean of the gradient")
        .range(0, 1)
        .below(1)
        .only(has_betas, kBetas)
        .also("adam_beta1 b1 betas"),
    row<kOptimizer, &OptimizerConfig::beta2>("optimizer.beta2", kBits,
                                             "Decay of the mean of the squared gradient (lion: of the gradient, behind "
                                             "the step)")
        .range(0, 1)
        .below(1)
        .only(has_betas, kBetas)
        .also("adam_beta2 b2"),
    row<kOptimizer, &OptimizerConfig::eps>("optimizer.eps", kBits, "Added to the root of the second moment")
        .range(0, 1)
        .above(0)
        .only(has_eps, "optimizer.name is adamw, adam, adagrad, rmsprop or muon")
        .also("epsilon adam_epsilon adam_eps"),
    row<kOptimizer, &OptimizerConfig::weight_decay>(
        "optimizer.weight_decay", kBits,
        "Decay of weights with two or more dimensions: decoupled (lr times "
        "weight), with adam, sgd, adagrad and rmsprop added to the gradient")
        .range(0, 1000)
        .also("wd"),
    row<kOptimizer, &OptimizerConfig::grad_clip>("optimizer.grad_clip", kBits,
                                                 "Largest global norm of the gradient; 0 = no clipping")
        .range(0, 1e30)
        .also("max_grad_norm clip_grad_norm gradient_clip"),
    row<kOptimizer, &OptimizerConfig::momentum>("optimizer.momentum", kRefused, "Decay of the velocity; 0 = none")
        .range(0, 1)
        .below(1)
        .only(has_momentum, "optimizer.name is sgd, rmsprop or muon"),
    row<kOptimizer, &OptimizerConfig::dampening>("optimizer.dampening", kBits,
                                                 "Part of the gradient that does not enter the velocity")
        .range(0, 1)
        .only(may_dampen, "optimizer.name = \"sgd\" with momentum above 0 and without nesterov"),
    row<kOptimizer, &OptimizerConfig::nesterov>("optimizer.nesterov", kBits, "Look ahead along the velocity")
        .only(may_be_nesterov, "optimizer.name is muon, or sgd with momentum above 0"),
    row<kOptimizer, &OptimizerConfig::amsgrad>("optimizer.amsgrad", kRefused,
                                               "Divide by the largest second moment so far")
        .only(has_amsgrad, "optimizer.name is adamw or adam"),
    row<kOptimizer, &OptimizerConfig::alpha>("optimizer.alpha", kBits, "Decay of the means of RMSprop")
        .range(0, 1)
        .below(1)
        .only(is_rmsprop, kRmsprop)
        .also("rms_alpha rho smoothing_constant"),
    row<kOptimizer, &OptimizerConfig::centered>("optimizer.centered", kRefused,
                                                "Take the squared mean of the gradient from its second moment")
        .only(is_rmsprop, kRmsprop),
    row<kOptimizer, &OptimizerConfig::lr_decay>("optimizer.lr_decay", kBits,
                                                "Step t = 0, 1, ... has the scheduled rate / (1 + lr_decay t)")
        .range(0, 1000)
        .only(is_adagrad, kAdagrad),
    row<kOptimizer, &OptimizerConfig::initial_accumulator>("optimizer.initial_accumulator", kFree,
                                                           "First sum of the squared gradients")
        .range(0, 1e30)
        .only(is_adagrad, kAdagrad)
        .also("initial_accumulator_value"),
    row<kOptimizer, &OptimizerConfig::beta2_decay>("optimizer.beta2_decay", kBits,
                                                   "New squares enter the means with weight t^-beta2_decay at step t")
        .range(0, 10)
        .only(is_adafactor, kAdafactor)
        .also("decay_rate"),
    row<kOptimizer, &OptimizerConfig::eps1>("optimizer.eps1", kBits, "Least mean of squares that divides")
        .range(1e-18, 1)
        .only(is_adafactor, kAdafactor),
    row<kOptimizer, &OptimizerConfig::eps2>("optimizer.eps2", kBits, "Least size of a parameter, to which steps relate")
        .range(0, 1)
        .above(0)
        .only(is_adafactor, kAdafactor),
    row<kOptimizer, &OptimizerConfig::update_clip>("optimizer.update_clip", kBits,
                                                   "Largest root mean square of an update before the rate")
        .range(0, 1e6)
        .above(0)
        .only(is_adafactor, kAdafactor)
        .also("clip_threshold"),
    row<kOptimizer, &OptimizerConfig::muon_learning_rate>("optimizer.muon_learning_rate", kBits,
                                                          "Largest rate of the matrices inside the blocks; same course")
        .range(0, 1000)
        .above(0)
        .like("optimizer.learning_rate")
        .only(is_muon, kMuon)
        .also("muon_lr matrix_lr"),
    row<kOptimizer, &OptimizerConfig::muon_adjust>("optimizer.muon_adjust", kBits,
                                                   "Scale of an update: 0.2 sqrt(max(rows, columns)), as large as "
                                                   "AdamW's, or sqrt(max(1, rows / columns))")
        .only(is_muon, kMuon)
        .also("adjust_lr_fn"),
    row<kOptimizer, &OptimizerConfig::muon_iterations>("optimizer.muon_iterations", kBits,
                                                       "Newton-Schulz steps that make an update orthogonal")
        .range(1, 100)
        .only(is_muon, kMuon)
        .also("ns_steps newton_schulz_steps"),
    row<kOptimizer, &OptimizerConfig::ema_decay>("optimizer.ema_decay", kBits,
                                                 "Keep an average of the weights with this decay, at step t at most "
                                                 "(1 + t) / (10 + t); 0 = none")
        .range(0, 1)
        .below(1)
        .also("ema ema_rate ema_beta"),
};

}  // namespace

std::span<const Key> optimizer_keys() { return kRows; }

}  // namespace minnow::config_detail
