#include "minnow/train/plan.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "minnow/exchange/foreign_config.hpp"
#include "minnow/io/checkpoint.hpp"
#include "minnow/io/file.hpp"
#include "minnow/io/manifest.hpp"
#include "minnow/kernels/gemm.hpp"
#include "minnow/optim/schedule.hpp"
#include "minnow/tasks/language_modeling.hpp"
#include "minnow/train/compute.hpp"
#include "minnow/train/train_step.hpp"
#include "train/model_files.hpp"
#include "train/plan_warnings.hpp"
#include "train/resume.hpp"

namespace minnow {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

double as_double(std::int64_t value) { return static_cast<double>(value); }

/// Counts what a file would have, and where its sections lie.
class CountingSink final : public ByteSink {
 public:
  explicit CountingSink(std::string name) { record_.name = std::move(name); }
  using ByteSink::write;
  void write(std::span<const std::byte> bytes) override {
    if (record_.sections.empty()) section("(content)");
    record_.bytes += bytes.size();
    record_.sections.back().end = record_.bytes;
  }
  void section(std::string_view name) override {
    record_.sections.push_back({std::string(name), record_.bytes, record_.bytes, kDigest});
  }
  [[nodiscard]] FileRecord record() {
    record_.sha256 = kDigest;
    return record_;
  }

 private:
  inline static const std::string kDigest = std::string(64, '0');
  FileRecord record_;
};

/// Bytes of a checkpoint with its manifest, as a save would write it.
double counted_checkpoint(const TrainStep& step, const CheckpointTexts& texts) {
  Manifest manifest;
  for (const FileSource& file : checkpoint_sources(step, texts)) {
    CountingSink sink(file.name);
    file.writer(sink);
    manifest.files.push_back(sink.record());
  }
  return static_cast<double>(manifest.total_bytes() + manifest_text(manifest).size());
}

/// @return the existing folder that `path` is or would be in.
std::filesystem::path existing_parent(std::filesystem::path path) {
  path = std::filesystem::absolute(path).lexically_normal();
  while (!path_exists(path) && path.has_parent_path() && path != path.parent_path()) path = path.parent_path();
  return path;
}

/// @return how often something happens in the steps behind `done`: every so many, and after the last one.
std::int64_t times(std::int64_t every, std::int64_t done, std::int64_t last) {
  if (done >= last) return 0;
  if (every <= 0) return 1;
  return last / every - done / every + (last % every == 0 ? 0 : 1);
}

/// Makes the plan of one run, part by part.
class Planner {
 public:
  explicit Planner(const PlanOptions& options)
      : options_(options),
        config_(options.config.config),
        data_(Dataset::open(dataset_options(config_, options.tokenizer))) {}

  TrainPlan make() {
    if (path_exists(options_.run_dir)) {
      require_no_other_contents(options_.run_dir, "train");
      require_no_other_files(options_.run_dir, "train");
    }
    count();
    if (plan_.memory_fits()) {
      with_model();
    } else {
      set_disk(plan_.memory.parameters + plan_.memory.optimizer);
    }
    set_time();
    plan_.warnings = plan_warnings(config_, data_, plan_);
    return std::move(plan_);
  }

 private:
  void count() {
    plan_.vocab_size = data_.vocab_size();
    plan_.block_size = config_.model.block_size;
    plan_.parts = parameter_parts(config_.model, plan_.vocab_size);
    plan_.parameters = count_parameters(config_.model, plan_.vocab_size);
    plan_.train_tokens = data_.train_facts().tokens;
    plan_.val_tokens = data_.val_facts().tokens;
    const double data_bytes = as_double(data_.memory_bytes());
    plan_.memory = estimate_memory(config_, plan_.vocab_size, data_.val().windows(), data_bytes);
    plan_.available = available_memory();
    plan_.why_not_out = exchange::why_not_foreign(config_.model);
    if (plan_.why_not_out.empty()) plan_.exports_as = exchange::architecture_of(config_.model.family);
    plan_.max_steps = config_.train.max_steps;
    const auto done = path_exists(options_.run_dir) ? latest_step(options_.run_dir) : std::nullopt;
    plan_.steps_done = std::min(done.value_or(0), plan_.max_steps);
    const SplitFacts& facts = data_.train_facts();
    const bool stream = config_.data.documents == DocumentKind::kStream;
    const double window = stream ? as_double(config_.model.block_size)
                                 : as_double(facts.targets) / as_double(std::max<std::int64_t>(1, facts.windows));
    plan_.tokens_per_step = as_double(config_.train.batch_size) * window;
    plan_.tokens = plan_.tokens_per_step * as_double(plan_.max_steps);
    plan_.tokens_per_parameter = plan_.tokens / plan_.parameters;
    plan_.epochs = data_.train().epochs(plan_.max_steps);
    if (data_.val().windows() > 0)
      plan_.evaluations_left = times(config_.eval.every_steps, plan_.steps_done, plan_.max_steps);
  }

  void with_model() {
    const auto model = make_language_model(config_.model, data_.vocab_size());
    apply_compute(config_.compute, *model);
    kernels::prepare_gemm();
    TrainStep step(*model, {.optimizer = config_.optimizer,
                            .leaf_sequences = config_.train.leaf(),
                            .seed = static_cast<std::uint64_t>(config_.train.seed)});
    CheckpointTexts texts;
    const std::string tokenizer = data_.tokenizer() ? data_.tokenizer()->to_json() : "";
    require_room(existing_parent(options_.run_dir), step, tokenizer.size(), plan_.steps_done > 0);
    texts.state = state_text();
    texts.config = to_toml(options_.config);
    texts.environment = environment_json();
    texts.tokenizer = tokenizer;
    set_disk(counted_checkpoint(step, texts));
    plan_.checkpoint_exact = true;
    if (options_.measure_seconds <= 0) return;
    model->parameters().initialize(static_cast<std::uint64_t>(config_.train.seed));
    measure(*model, step);
  }

  /// A state.json with as many digits as that of a run has.
  [[nodiscard]] std::string state_text() const {
    constexpr double kAnyLoss = 1.2345678901234567;
    TrainState state;
    state.step = state.optimizer_steps = state.logged_step = state.best_step = state.val_step = plan_.max_steps;
    state.tokens = static_cast<std::int64_t>(plan_.tokens);
    if (data_.val().windows() > 0) state.val_loss = state.best_val_loss = kAnyLoss;
    state.best_windows = scored_windows(data_.val().windows(), config_.eval.max_windows);
    state.loss = state.grad_norm = kAnyLoss;
    state.lr = schedule_of(config_).at(plan_.max_steps);
    state.seed = config_.train.seed;
    state.leaf_sequences = config_.train.leaf();
    state.vocab_size = data_.vocab_size();
    state.data = data_.fingerprint();
    return state.to_json();
  }

  void set_disk(double checkpoint) {
    plan_.checkpoint_bytes = checkpoint;
    const auto present = path_exists(options_.run_dir) ? list_checkpoints(options_.run_dir).size() : 0;
    const std::int64_t kept = config_.checkpoint.keep + (config_.checkpoint.keep_best ? 1 : 0);
    const std::int64_t made = times(config_.checkpoint.every_steps, 0, plan_.max_steps);
    plan_.checkpoints = std::min(made, kept + 1);  // a new one is whole before an old one goes
    const std::int64_t further = plan_.checkpoints - static_cast<std::int64_t>(present);
    plan_.disk_bytes = checkpoint * as_double(std::max<std::int64_t>(further, 0));
    plan_.disk_free = free_disk_bytes(existing_parent(options_.run_dir));
  }

  [[nodiscard]] bool interrupted() const { return options_.interrupted && options_.interrupted(); }

  /// @return seconds of one step.
  double time_step(TrainStep& step, std::int64_t number) {
    const auto begin = Clock::now();
    const double rate = schedule_of(config_).at(number);
    (void)step.run(data_.train().make_batch(number), number, rate, [this] { return interrupted(); });
    return since(begin);
  }

  void measure(LanguageModel& model, TrainStep& step) {
    constexpr std::size_t kLeastSteps = 3;
    constexpr double kPatience = 4;  // of steps that are longer than the time given
    const auto begin = Clock::now();
    const double first = time_step(step, 0);  // it plans the memory of the others
    if (interrupted()) return;
    std::vector<double> seconds;
    std::int64_t number = 1;
    const double limit = options_.measure_seconds;
    while (since(begin) < limit || (seconds.size() < kLeastSteps && since(begin) < kPatience * limit)) {
      const double took = time_step(step, number++);
      if (interrupted()) break;
      seconds.push_back(took);
    }
    if (seconds.empty()) seconds.push_back(first);
    std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2), seconds.end());
    PlanSpeed speed;
    speed.steps = static_cast<std::int64_t>(seconds.size());
    speed.seconds_per_step = std::max(seconds[seconds.size() / 2], 1e-9);  // a clock may stand still
    speed.tokens_per_s = plan_.tokens_per_step / speed.seconds_per_step;
    if (plan_.evaluations_left > 0 && !interrupted()) {
      const double whole = time_evaluation(model);
      const Index windows = data_.val().windows();
      const double part = as_double(scored_windows(windows, config_.eval.max_windows)) / as_double(windows);
      speed.seconds_per_evaluation = whole * part;
      speed.seconds_of_last_evaluation = part < 1 ? whole * (1 + part) : whole;
    }
    plan_.speed = speed;
  }

  /// The first batches of an evaluation, the first of all left out where there are others.
  double time_evaluation(LanguageModel& model) {
    const std::int64_t rows = config_.eval.batch_size > 0 ? config_.eval.batch_size : config_.train.micro_batch();
    const double limit = options_.measure_seconds / 4;
    auto begin = Clock::now();
    std::int64_t first = 0, done = 0, total = 1, batches = 0;
    double seconds = 0;
    (void)evaluate(
        model, data_, rows, [&] { return batches > 2 && (seconds >= limit || interrupted()); },
        [&](Index now, Index all) {
          if (++batches == 2 && now < all) begin = Clock::now(), first = now;
          done = now, total = all;
          seconds = since(begin);
        });
    return done > first ? seconds * as_double(total) / as_double(done - first) : 0;
  }

  void set_time() {
    if (!plan_.speed) return;
    const auto time = [&](std::int64_t done) {
      const std::int64_t evaluations =
          data_.val().windows() > 0 ? times(config_.eval.every_steps, done, plan_.max_steps) : 0;
      return as_double(plan_.max_steps - done) * plan_.speed->seconds_per_step +
             (evaluations > 0 ? as_double(evaluations - 1) * plan_.speed->seconds_per_evaluation +
                                    plan_.speed->seconds_of_last_evaluation
                              : 0);
    };
    plan_.seconds_total = time(0);
    plan_.seconds_left = time(plan_.steps_done);
  }

  const PlanOptions& options_;
  const Config& config_;
  Dataset data_;
  TrainPlan plan_;
};

}  // namespace

bool TrainPlan::memory_fits() const { return memory.total() - memory.process <= static_cast<double>(available.bytes); }

std::vector<ParameterPart> parameter_parts(const ModelConfig& m, std::int64_t vocab_size) {
  const double width = as_double(m.n_embd);
  const double vocab = as_double(vocab_size);
  const double layers = as_double(m.n_layer);
  const double hidden = as_double(m.hidden_width());
  const double narrow = as_double(m.kv_heads() * m.head_dim());
  const double norm = width * (m.bias && m.norm == NormLayer::kLayer ? 2 : 1);
  const double inner = m.gated() ? 2 : 1;  // layers that lead to the hidden width
  std::vector<ParameterPart> parts;
  parts.push_back({"embedding", vocab * width});
  if (m.position == PositionKind::kLearned) parts.push_back({"positions", as_double(m.block_size) * width});
  parts.push_back(
      {"attention", layers * (2 * width * (width + narrow) + (m.attention_has_bias() ? 2 * (width + narrow) : 0))});
  parts.push_back({"mlp", layers * ((inner + 1) * width * hidden + (m.mlp_has_bias() ? inner * hidden + width : 0))});
  parts.push_back({"norms", layers * 2 * norm + (m.norm_position == NormPosition::kPre ? norm : 0)});
  const double head = (m.tie_head ? 0 : vocab * width) + (m.head_bias ? vocab : 0);
  if (head > 0) parts.push_back({"head", head});
  return parts;
}

TrainPlan make_plan(const PlanOptions& options) { return Planner(options).make(); }

}  // namespace minnow
