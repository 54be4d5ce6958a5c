#include "cli/bench_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>

#include "cli/signals.hpp"
#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/cancel.hpp"
#include "minnow/autograd/observe.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/optim/adamw.hpp"
#include "minnow/optim/flat.hpp"
#include "minnow/tasks/batch_tensors.hpp"
#include "minnow/tensor/arena.hpp"
#include "minnow/train/compute.hpp"
#include "minnow/train/flat_parameters.hpp"

namespace minnow::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kUntimedSteps = 3;
constexpr std::int64_t kMostProfiledSteps = 100;

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

/// Adds up what operations take. The engine asks a CancelScope before every operation, forward and backward, and shows
/// an Observer each one behind forward; backward runs the recorded ones in reverse order.
class Stopwatch {
 public:
  /// What the CancelScope asks.
  bool asked() {
    const auto now = Clock::now();
    if (in_backward_) end_backward_of_one(now);
    begin_ = now;
    return stop_signal().load() != 0;
  }

  void see(const OpCall& call) {
    const auto now = Clock::now();
    std::string shapes;
    std::vector<TensorSpec> specs;
    for (const Tensor& input : call.inputs) {
      specs.push_back(input.defined() ? input.spec() : TensorSpec::absent());
      if (!shapes.empty()) shapes += ' ';
      shapes += input.defined() ? input.shape().str() : "-";
    }
    const Cost cost = call.op.cost(specs, call.attrs);
    add(std::string(call.op.doc.name), "forward", shapes, seconds_between(begin_, now), cost.flops, cost.bytes);
    if (!call.outputs.empty() && requires_grad(call.outputs[0])) {
      recorded_.push_back({std::string(call.op.doc.name), std::move(shapes), cost});
    }
  }

  void begin_backward() {
    in_backward_ = true;
    visited_ = false;
  }
  void end_backward() {
    end_backward_of_one(Clock::now());
    in_backward_ = false;
    recorded_.clear();
  }

  void add(std::string name, std::string pass, std::string inputs, double seconds, double flops, double bytes) {
    StepPart& part = parts_[{name, pass, inputs}];
    if (part.calls == 0) {
      part.name = std::move(name);
      part.pass = std::move(pass);
      part.inputs = std::move(inputs);
    }
    ++part.calls;
    part.seconds += seconds;
    part.flops += flops;
    part.bytes += bytes;
  }

  void forget() { parts_.clear(); }

  /// @return per step, the longest first.
  [[nodiscard]] std::vector<StepPart> parts(std::int64_t steps) const {
    std::vector<StepPart> sorted;
    for (const auto& [key, part] : parts_) {
      sorted.push_back(part);
      sorted.back().calls /= steps;
      for (double* sum : {&sorted.back().seconds, &sorted.back().flops, &sorted.back().bytes}) {
        *sum /= static_cast<double>(steps);
      }
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const StepPart& a, const StepPart& b) { return a.seconds > b.seconds; });
    return sorted;
  }

 private:
  struct Recorded {
    std::string name, inputs;
    Cost cost;
  };

  void end_backward_of_one(Clock::time_point now) {
    if (visited_ && !recorded_.empty()) {
      Recorded& one = recorded_.back();
      add(std::move(one.name), "backward", std::move(one.inputs), seconds_between(begin_, now), 2 * one.cost.flops,
          2 * one.cost.bytes);
      recorded_.pop_back();
    }
    visited_ = true;
  }

  std::map<std::tuple<std::string, std::string, std::string>, StepPart> parts_;
  std::vector<Recorded> recorded_;
  Clock::time_point begin_;
  bool in_backward_ = false;
  bool visited_ = false;  // an operation's backward has begun
};

/// The training step taken apart: the same passes as TrainStep's with one leaf.
class ProfiledStep {
 public:
  ProfiledStep(const Workload& work, const ComputeConfig& compute)
      : model_(make_language_model(workload_model(work), work.vocabulary)),
        optimizer_(workload_optimizer()),
        batch_(workload_batch(work)),
        flat_((apply_compute(compute, *model_), model_->parameters().initialize(0), model_->parameters())),
        gradients_(Tensor::zeros({flat_.count()})),
        adamw_(flat_.layout(),
               {.beta1 = optimizer_.beta1, .beta2 = optimizer_.beta2, .weight_decay = optimizer_.weight_decay}) {
    flat_.collect_gradients_in(gradients_);
  }

  /// Throws: Cancelled when a signal asked to stop.
  void run(Stopwatch& watch) {
    const auto numbers = static_cast<double>(flat_.count());
    constexpr double kBytes = sizeof(float);
    timed(watch, "zero gradients", 0, kBytes * numbers, [&] { gradients_.fill(0); });
    run_passes(watch);
    double norm = 0;
    timed(watch, "norm of gradients", 2 * numbers, kBytes * numbers,
          [&] { norm = global_norm(std::span(&gradients_, 1)); });
    // reads weight, gradient and both means, writes all but the gradient
    timed(watch, "adamw", 0, 7 * kBytes * numbers, [&] {
      adamw_.step(flat_.values(), gradients_, optimizer_.learning_rate, clip_factor(norm, optimizer_.grad_clip));
    });
  }

  [[nodiscard]] std::int64_t parameters() const { return flat_.count(); }

 private:
  void run_passes(Stopwatch& watch) {
    const StepArena::Step plan(arena_, 1);
    const Observer observer([&](const OpCall& call) { watch.see(call); });
    const std::function<bool()> ask = [&] { return watch.asked(); };
    const CancelScope cancel(ask);
    const BatchTensors in = batch_tensors(batch_, 0, batch_.rows);
    const ForwardMode mode{.training = true, .seed = 1};
    try {
      const Tensor loss = model_->loss(in.tokens, in.targets, static_cast<double>(batch_.counted_in_step), mode);
      watch.begin_backward();
      backward(loss);
      watch.end_backward();
    } catch (...) {
      clear_tape();  // its tensors lie in the arena
      throw;
    }
  }

  template <class Work>
  void timed(Stopwatch& watch, const char* name, double flops, double bytes, const Work& work) {
    const auto begin = Clock::now();
    work();
    watch.add(name, "update", gradients_.shape().str(), seconds_between(begin, Clock::now()), flops, bytes);
  }

  std::unique_ptr<LanguageModel> model_;
  OptimizerConfig optimizer_;
  Batch batch_;
  FlatParameters flat_;
  Tensor gradients_;
  AdamW adamw_;
  StepArena arena_;
};

}  // namespace

std::optional<StepProfile> profile_step(const Workload& work, const ComputeConfig& compute) {
  ProfiledStep step(work, compute);
  Stopwatch watch;
  const std::int64_t steps = std::min(work.steps, kMostProfiledSteps);
  StepProfile profile;
  profile.parameters = step.parameters();
  try {
    for (int i = 0; i < kUntimedSteps; ++i) step.run(watch);
    watch.forget();
    const auto begin = Clock::now();
    for (std::int64_t i = 0; i < steps; ++i) step.run(watch);
    profile.seconds = seconds_between(begin, Clock::now()) / static_cast<double>(steps);
  } catch (const Cancelled&) {
    return std::nullopt;
  }
  profile.parts = watch.parts(steps);
  return profile;
}

}  // namespace minnow::cli
