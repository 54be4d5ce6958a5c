#include "minnow/train/train_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/cancel.hpp"
#include "minnow/base/beat.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/base/parallel.hpp"
#include "minnow/config/choices.hpp"
#include "minnow/dist/tree_sum.hpp"
#include "minnow/kernels/optimizer_steps.hpp"
#include "minnow/optim/flat.hpp"
#include "minnow/tasks/batch_tensors.hpp"
#include "minnow/tensor/arena.hpp"
#include "minnow/train/flat_parameters.hpp"
#include "minnow/train/profile.hpp"
#include "train/make_optimizer.hpp"
#include "train/team_notes.hpp"

namespace minnow {
namespace {

constexpr Index kSwapsPerChunk = 1 << 16;
constexpr double kLargestSquarable = 1e19;  // its square is below f32's largest number, 3.4e38

/// Tells the profiler, if there is one, that a step begins and ends.
class ProfiledStep {
 public:
  ProfiledStep(Profiler* profiler, Index tokens) : profiler_(profiler), tokens_(static_cast<double>(tokens)) {
    if (profiler_ != nullptr) profiler_->begin_step();
  }
  ~ProfiledStep() {
    if (profiler_ != nullptr) profiler_->end_step(tokens_);
  }
  ProfiledStep(const ProfiledStep&) = delete;
  ProfiledStep& operator=(const ProfiledStep&) = delete;

 private:
  Profiler* profiler_;
  double tokens_;
};

}  // namespace

struct TrainStep::Parts {
  LanguageModel& model;
  TrainStepOptions options;
  FlatParameters flat;
  std::unique_ptr<Optimizer> optimizer;
  Tensor average;  // (count), with optimizer.ema_decay
  TreeSum sum;
  StepArena arena;
  BeatSize beat{threads()};
  ChoiceNotes choice_notes;
  std::map<Index, Index> longest;  // by rows of a leaf that has sequences: the length its memory plan was made for

  Parts(LanguageModel& m, const TrainStepOptions& o)
      : model(m),
        options(o),
        flat(m.parameters()),
        optimizer(make_optimizer(o.optimizer, flat.layout(), flat.dtype())),
        average(o.optimizer.ema_decay > 0 ? Tensor::zeros({flat.count()}, flat.dtype()) : Tensor()),
        sum(flat.count(), flat.dtype()) {}

  /// Moves the average towards the weights. Early steps weigh more, or the first weights would stay in it for long.
  void move_average() {
    const auto steps = static_cast<double>(optimizer->steps());
    const double decay = std::min(options.optimizer.ema_decay, (1 + steps) / (10 + steps));
    if (flat.dtype() == DType::f64) {
      kernels::average_step(average.mutable_data<double>(), flat.values().data<double>(), flat.count(), decay);
    } else {
      kernels::average_step(average.mutable_data<float>(), flat.values().data<float>(), flat.count(), decay);
    }
  }

  [[nodiscard]] std::vector<NamedTensor> named(const Tensor& buffer) const {
    std::vector<NamedTensor> all;
    for (const auto& slice : flat.slices()) all.push_back({slice.name, FlatParameters::view(buffer, slice)});
    return all;
  }

  /// Forward and backward of rows [first, first + rows); their gradients go into the next leaf of the sum.
  void run_leaf(const Batch& batch, Index first, Index rows, std::int64_t step) {
    const auto lengths =
        std::span(batch.lengths).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows));
    const bool sequences = has_sequences(batch);
    if (sequences && std::all_of(lengths.begin(), lengths.end(), [](auto length) { return length == 0; })) {
      sum.next_leaf().fill(0);
      sum.push(0);
      return;
    }
    if (sequences) plan_for(rows, batch.length, step);
    flat.collect_gradients_in(sum.next_leaf(), GradientBuffer::kUnwritten);
    double loss = 0;
    {
      const StopwatchScope watch(options.profiler);
      if (options.profiler != nullptr) options.profiler->begin_leaf();
      loss = pass(batch, first, rows, sequences, step);
    }
    timed("sum of leaves", 0, 0, [&] { sum.push(loss); });
  }

  /// @return false when `stop` asked to end.
  bool run_leaves(const Batch& batch, std::int64_t step, const std::function<bool()>& stop) {
    for (Index first = 0; first < batch.rows; first += options.leaf_sequences) {
      try {
        const CancelScope cancel(stop);
        run_leaf(batch, first, std::min(options.leaf_sequences, batch.rows - first), step);
      } catch (const Cancelled&) {
        return false;
      }
    }
    return true;
  }

  /// Sequences have another number of tokens in each step. The memory is planned once, by a pass over as many as can
  /// come whose gradients are thrown away; all steps find their places there.
  void plan_for(Index rows, Index length, std::int64_t step) {
    Index& planned = longest[rows];
    if (length <= planned) return;
    planned = length;
    const auto count = static_cast<std::size_t>(rows * length);
    Batch most;
    most.rows = rows;
    most.length = length;
    most.tokens.assign(count, 0);
    most.targets.assign(count, 0);
    most.lengths.assign(static_cast<std::size_t>(rows), static_cast<std::int32_t>(length));
    most.pieces = most.lengths;
    most.counted = most.counted_in_step = rows * length;
    flat.collect_gradients_in(sum.next_leaf(), GradientBuffer::kUnwritten);
    (void)pass(most, 0, rows, true, step);
  }

  /// @return the loss of rows [first, first + rows); their gradients are written where they are collected.
  double pass(const Batch& batch, Index first, Index rows, bool sequences, std::int64_t step) {
    constexpr std::uint64_t kSequences = 1ULL << 63U;
    const auto length = static_cast<std::uint64_t>(sequences ? longest[rows] : batch.length);
    const StepArena::Step plan(arena, (sequences ? kSequences : 0) | static_cast<std::uint64_t>(rows) << 32U | length,
                               sequences ? StepArena::Step::Fit::kAtMost : StepArena::Step::Fit::kExact);
    ForwardMode mode{.training = true, .seed = options.seed, .step = static_cast<std::uint64_t>(step)};
    const BatchTensors in = batch_tensors(batch, first, rows);
    in.describe(mode);
    try {
      const Tensor loss = model.loss(in.tokens, in.targets, static_cast<double>(batch.counted_in_step), mode);
      backward(loss);
      flat.finish_gradients();
      return loss.item();
    } catch (...) {
      clear_tape();  // its tensors lie in the arena of this leaf
      throw;
    }
  }

  /// Tells what the newest step led to. Before the next one, whose time it is not.
  void tell_choice() {
    const std::string note = choice_notes.after_step(beat);
    if (!note.empty() && options.on_choice) options.on_choice(note);
  }

  /// Runs a part of the step that is no operation, under the eyes of the profiler where there is one.
  /// @param flops, passes per parameter: arithmetic, and how often a number is read or written
  template <class Work>
  void timed(std::string_view name, double flops, double passes, const Work& work) {
    if (options.profiler == nullptr) return work();
    const auto numbers = static_cast<double>(flat.count());
    const auto size = static_cast<double>(size_of(flat.dtype()));
    options.profiler->timed(name, flat.values().shape().str(), flops * numbers, passes * numbers * size, work);
  }

  /// @return how often an optimizer step reads or writes a number, per parameter: it reads weight, gradient and state,
  /// and writes weight and state.
  [[nodiscard]] double optimizer_passes() const {
    double state = 0;
    for (const auto& one : optimizer->state()) state += static_cast<double>(one.tensor.numel());
    return 3 + 2 * state / static_cast<double>(std::max<Index>(1, flat.count()));
  }

  /// @return what is wrong with the gradients, naming the first parameter that is not finite; empty when nothing is.
  std::string find_problem(const Tensor& gradients, double loss) {
    std::vector<kernels::NonFinite> scratch(static_cast<std::size_t>(kernels::flat_chunks(flat.count())));
    const kernels::NonFinite found =
        gradients.dtype() == DType::f64
            ? kernels::count_non_finite(gradients.data<double>(), flat.count(), scratch.data())
            : kernels::count_non_finite(gradients.data<float>(), flat.count(), scratch.data());
    if (found.count > 0) {
      return fmt::format("the gradient of {} has a value that is not finite ({} such values in all)",
                         flat.name_at(found.first), grouped(found.count));
    }
    return std::isfinite(loss) ? "" : "the loss is not finite";
  }
};

TrainStep::TrainStep(LanguageModel& model, const TrainStepOptions& options)
    : parts_(std::make_unique<Parts>(model, options)) {}
TrainStep::~TrainStep() = default;

std::optional<StepResult> TrainStep::run(const Batch& batch, std::int64_t step, double learning_rate,
                                         const std::function<bool()>& stop) {
  Parts& p = *parts_;
  StepResult result;
  result.counted = batch.counted_in_step;
  if (batch.counted_in_step == 0) {
    result.problem = "no target of the batch counts";
    return result;
  }
  p.tell_choice();
  BeatScope beat(p.beat);
  const ProfiledStep profiled(p.options.profiler, result.counted);
  p.sum.reset();
  if (!p.run_leaves(batch, step, stop)) {
    beat.forget();
    return std::nullopt;
  }
  Tensor gradients;
  p.timed("sum of leaves", 0, 0, [&] { gradients = p.sum.finish(); });
  result.loss = p.sum.loss();
  p.timed("norm of gradients", 2, 1, [&] { result.grad_norm = global_norm(std::span(&gradients, 1)); });
  if (!std::isfinite(result.grad_norm) || !std::isfinite(result.loss)) {
    result.problem = p.find_problem(gradients, result.loss);
    return result;
  }
  const double clip = p.options.optimizer.grad_clip;
  const double scale = clip > 0 ? clip_factor(result.grad_norm, clip) : 1.0;
  if (gradients.dtype() == DType::f32 && result.grad_norm * scale > kLargestSquarable) {
    // The second moment would become infinite and hold its parameter still from then on.
    result.problem = fmt::format("the square of the gradient, whose norm is {:.3g}, does not fit the optimizer's state",
                                 result.grad_norm);
    return result;
  }
  const double passes = p.options.profiler != nullptr ? p.optimizer_passes() : 0;
  const std::string_view name = kChoiceNames<OptimizerKind>[static_cast<std::size_t>(p.options.optimizer.name)];
  p.timed(name, 0, passes, [&] { p.optimizer->step(p.flat.values(), gradients, learning_rate, scale); });
  if (p.average.defined()) p.timed("average of weights", 0, 3, [&] { p.move_average(); });
  result.applied = true;
  return result;
}

std::vector<TrainStep::NamedTensor> TrainStep::parameters() const {
  std::vector<NamedTensor> named;
  for (const auto& slice : parts_->flat.slices()) named.push_back({slice.name, slice.parameter});
  return named;
}

std::vector<TrainStep::NamedTensor> TrainStep::optimizer_state() const {
  std::vector<NamedTensor> named;
  for (auto& one : parts_->optimizer->state()) named.push_back({std::move(one.name), one.tensor});
  return named;
}

std::vector<TrainStep::NamedTensor> TrainStep::averaged_parameters() const {
  return parts_->average.defined() ? parts_->named(parts_->average) : std::vector<NamedTensor>{};
}

void TrainStep::restart_average() {
  if (parts_->average.defined()) parts_->average.copy_from(parts_->flat.values());
}

void TrainStep::swap_average() {
  if (!parts_->average.defined()) return;
  const auto exchange = [&]<class T>(T) {
    T* average = parts_->average.mutable_data<T>();
    T* weights = parts_->flat.values().mutable_data<T>();
    parallel_ranges(parts_->flat.count(), kSwapsPerChunk, [=](Index begin, Index end, Index) {
      std::swap_ranges(average + begin, average + end, weights + begin);
    });
  };
  parts_->flat.dtype() == DType::f64 ? exchange(double{}) : exchange(float{});
}

int TrainStep::threads_used() const { return parts_->beat.chosen(); }
std::int64_t TrainStep::optimizer_steps() const { return parts_->optimizer->steps(); }
void TrainStep::set_optimizer_steps(std::int64_t steps) { parts_->optimizer->set_steps(steps); }

}  // namespace minnow
