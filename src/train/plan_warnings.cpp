#include "train/plan_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "minnow/base/grouped.hpp"
#include "train/resume.hpp"

namespace minnow {
namespace {

using Warnings = std::vector<PlanWarning>;

constexpr double kGib = 1 << 30;

void look_at_schedule(const Config& c, Warnings& warnings) {
  const std::int64_t warmup = c.schedule.warmup_steps;
  const std::int64_t steps = c.train.max_steps;
  constexpr std::int64_t kMostOfRun = 4;  // a quarter
  if (const std::string cut = cut_schedule(c); !cut.empty()) {
    warnings.push_back({warmup >= steps ? "schedule.warmup_steps" : "schedule.decay_steps", cut});
  } else if (warmup * kMostOfRun > steps) {
    warnings.push_back(
        {"schedule.warmup_steps",
         fmt::format("the warm-up takes {} of {} steps; a tenth or less is usual", grouped(warmup), grouped(steps))});
  }
  const bool decays = c.schedule.name == ScheduleKind::kCosine || c.schedule.name == ScheduleKind::kLinear;
  if (decays && c.schedule.decay_steps > steps) {
    warnings.push_back({"schedule.decay_steps",
                        fmt::format("the run ends after {} steps, before the learning rate has come down at {}",
                                    grouped(steps), grouped(c.schedule.decay_steps))});
  }
}

void look_at_rate(const char* key, double rate, const UsualRates& usual, const Config& c, Warnings& warnings) {
  if (rate >= usual.low && rate <= usual.high) return;
  warnings.push_back(
      {key, fmt::format("a learning rate of {:g} is {} for this optimizer at width {}: usual are {:.1g} to {:.1g}",
                        rate, rate > usual.high ? "high" : "low", c.model.n_embd, usual.low, usual.high)});
}

void look_at_rates(const Config& c, Warnings& warnings) {
  const bool muon = c.optimizer.name == OptimizerKind::kMuon;
  OptimizerConfig rest = c.optimizer;  // what Muon leaves to AdamW
  if (muon) rest.name = OptimizerKind::kAdamw;
  look_at_rate("optimizer.learning_rate", c.optimizer.learning_rate, usual_rates(rest, c.model.n_embd), c, warnings);
  if (!muon || !c.optimizer.muon_learning_rate) return;
  look_at_rate("optimizer.muon_learning_rate", c.optimizer.muon_rate(), usual_rates(c.optimizer, c.model.n_embd), c,
               warnings);
}

void look_at_model(const Config& c, Warnings& warnings) {
  constexpr std::int64_t kNarrowHead = 16;
  if (c.model.head_dim() < kNarrowHead && c.model.n_head > 1) {
    std::int64_t fewer = std::max<std::int64_t>(1, c.model.n_embd / 32);
    while (c.model.n_embd % fewer != 0) --fewer;
    warnings.push_back({"model.n_head", fmt::format("{} heads of width {} are narrow: 32 to 128 is usual, so {} would "
                                                    "fit",
                                                    c.model.n_head, c.model.head_dim(), fewer)});
  }
}

void look_at_data(const Config& c, const Dataset& data, const TrainPlan& plan, Warnings& warnings) {
  const SplitFacts& facts = data.train_facts();
  const std::int64_t windows = data.train().windows();
  if (c.data.documents != DocumentKind::kStream && windows > 0) {
    const double mean = static_cast<double>(facts.targets) / static_cast<double>(windows);
    if (mean * 2 < static_cast<double>(c.model.block_size)) {
      warnings.push_back(
          {"model.block_size",
           fmt::format(
               "a window of {} holds {:.0f} tokens on the average: documents are shorter, and a step reads {:.0f}"
               "{}",
               c.model.block_size, mean, mean * static_cast<double>(c.train.batch_size),
               c.data.packing == PackingKind::kPad ? "; data.packing = \"pack\" puts several in one" : "")});
    }
  }
  if (c.train.batch_size > windows) {
    warnings.push_back(
        {"train.batch_size", fmt::format("a step reads {} sequences, and the training data have {} of this "
                                         "block size: the same text comes several times in a step",
                                         grouped(c.train.batch_size), grouped(windows))});
  }
  if (data.val().windows() == 1) {
    warnings.push_back(
        {"data.val_fraction", fmt::format("the validation split is one window of {} tokens: its loss says "
                                          "little",
                                          grouped(data.val_facts().targets))});
  }
  constexpr double kManyEpochs = 40;
  if (plan.epochs > kManyEpochs && c.model.dropout == 0) {
    warnings.push_back(
        {"train.max_steps", fmt::format("the run reads the data {:.0f} times without dropout: expect it to "
                                        "learn them by heart",
                                        plan.epochs)});
  }
}

void look_at_interval(const char* key, std::int64_t every, const char* what, const Config& c, Warnings& warnings) {
  if (every <= c.train.max_steps) return;
  warnings.push_back({key, fmt::format("every {} steps is beyond the run of {}: {} only after the last step",
                                       grouped(every), grouped(c.train.max_steps), what)});
}

void look_at_intervals(const Config& c, const Dataset& data, const TrainPlan& plan, Warnings& warnings) {
  if (data.val().windows() > 0) look_at_interval("eval.every_steps", c.eval.every_steps, "it is scored", c, warnings);
  look_at_interval("checkpoint.every_steps", c.checkpoint.every_steps, "it is saved", c, warnings);
  look_at_interval("sample.every_steps", c.sample.every_steps, "it writes", c, warnings);
  look_at_interval("log.every_steps", c.log.every_steps, "a line is logged", c, warnings);
  if (!plan.speed) return;
  const double every = static_cast<double>(c.checkpoint.every_steps > 0 ? c.checkpoint.every_steps : c.train.max_steps);
  const double lost = std::min(every, static_cast<double>(c.train.max_steps)) * plan.speed->seconds_per_step;
  constexpr double kHour = 3600;
  if (lost > kHour) {
    warnings.push_back({"checkpoint.every_steps",
                        fmt::format("{:.1f} hours lie between two checkpoints: a crash costs as much", lost / kHour)});
  }
  const double scoring = static_cast<double>(plan.evaluations_left) * plan.speed->seconds_per_evaluation;
  constexpr double kMinute = 60;
  if (scoring * 2 > plan.seconds_left && scoring > kMinute && plan.evaluations_left > 1) {
    warnings.push_back({"eval.max_windows", fmt::format("evaluations take {:.0f} % of the time",
                                                        100 * scoring / std::max(plan.seconds_left, 1e-9))});
  }
  if (c.train.max_minutes > 0 && plan.seconds_left > c.train.max_minutes * kMinute) {
    warnings.push_back({"train.max_minutes", fmt::format("the run takes about {:.0f} minutes, and stops after {:g}",
                                                         plan.seconds_left / kMinute, c.train.max_minutes)});
  }
}

void look_at_machine(const TrainPlan& plan, Warnings& warnings) {
  if (!plan.memory_fits()) {
    const bool state = plan.memory.activations < plan.memory.parameters + plan.memory.gradients + plan.memory.optimizer;
    warnings.push_back(
        {state ? "model.n_embd" : "train.accumulation_steps",
         fmt::format("the run needs about {:.2f} GiB, and {:.2f} GiB are free ({}): train would refuse it",
                     plan.memory.total() / kGib, static_cast<double>(plan.available.bytes) / kGib,
                     plan.available.source)});
  }
  if (plan.disk_bytes > static_cast<double>(plan.disk_free)) {
    warnings.push_back({"checkpoint.keep",
                        fmt::format("{} checkpoints need {:.2f} GiB of disk, and {:.2f} GiB are free", plan.checkpoints,
                                    plan.disk_bytes / kGib, static_cast<double>(plan.disk_free) / kGib)});
  }
}

}  // namespace

UsualRates usual_rates(const OptimizerConfig& optimizer, std::int64_t width) {
  constexpr double kPerWidth = 0.4;
  constexpr double kMostOfSmall = 5e-3;
  const double adam = std::min(kMostOfSmall, kPerWidth / static_cast<double>(width));
  const UsualRates like_adam{adam / 30, adam * 8};
  switch (optimizer.name) {
    case OptimizerKind::kAdamw:
    case OptimizerKind::kAdam:
    case OptimizerKind::kRmsprop:
      return like_adam;
    case OptimizerKind::kLion:
      return {like_adam.low / 10, like_adam.high / 3};
    case OptimizerKind::kSgd:
      return optimizer.momentum > 0 ? UsualRates{1e-4, 1} : UsualRates{1e-3, 3};
    case OptimizerKind::kAdagrad:
      return {1e-3, 0.3};
    case OptimizerKind::kAdafactor:  // relative to the size of the weights
      return {1e-4, 0.05};
    case OptimizerKind::kMuon:
      return optimizer.muon_adjust == MuonAdjust::kMatchRms ? like_adam : UsualRates{1e-3, 0.1};
  }
  return like_adam;
}

std::vector<PlanWarning> plan_warnings(const Config& config, const Dataset& data, const TrainPlan& plan) {
  Warnings warnings;
  look_at_machine(plan, warnings);
  look_at_model(config, warnings);
  look_at_data(config, data, plan, warnings);
  look_at_rates(config, warnings);
  look_at_schedule(config, warnings);
  look_at_intervals(config, data, plan, warnings);
  return warnings;
}

}  // namespace minnow
