// Adapter of the kind schedule.

#include "minnow/optim/schedule.hpp"

#include "golden/adapter.hpp"

namespace minnow::golden {
namespace {

Schedule::Kind kind_of(const std::string& name) {
  static const std::map<std::string, Schedule::Kind> kinds = {
      {"constant", Schedule::Kind::kConstant},        {"constant_warmup", Schedule::Kind::kConstant},
      {"warmup_cosine", Schedule::Kind::kCosine},     {"warmup_linear", Schedule::Kind::kLinear},
      {"inverse_sqrt", Schedule::Kind::kInverseSqrt}, {"wsd_linear", Schedule::Kind::kWsdLinear},
      {"wsd_sqrt", Schedule::Kind::kWsdSqrt},         {"noam", Schedule::Kind::kNoam}};
  const auto found = kinds.find(name);
  if (found == kinds.end()) throw Unsupported("option schedule is " + name);
  return found->second;
}

Outcome learning_rates(Call& call) {
  const std::string name = call.options.text("schedule");
  Schedule schedule;
  schedule.kind = kind_of(name);
  schedule.peak = call.options.number("peak");
  schedule.min = call.options.number("min");
  schedule.warmup = call.options.integer("warmup");
  schedule.total = call.options.integer("total");
  if (name == "constant") schedule.warmup = 0;  // the case lists a warm-up that this schedule has not
  if (call.options.has("decay")) schedule.decay = call.options.integer("decay");
  if (call.options.has("d_model")) schedule.width = call.options.integer("d_model");
  const Tensor& steps = call.in("step");
  std::vector<double> rates;
  for (std::int64_t step : steps.to_vector<std::int64_t>()) rates.push_back(schedule.at(step));
  return {{{"lr", Tensor::from(rates, steps.shape()).to(call.dtype())}}};
}

}  // namespace

AdapterTable schedule_adapters() { return {{"lr_schedule", learning_rates}}; }

}  // namespace minnow::golden
