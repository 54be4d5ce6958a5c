/// @file
/// The rows of [train], and of [schedule] and all tables after it.

#include "config/key_row.hpp"
#include "config/key_table.hpp"

namespace minnow::config_detail {
namespace {

using enum ResumeEffect;

constexpr auto kTrain = &Config::train;
constexpr auto kSchedule = &Config::schedule;
constexpr auto kEval = &Config::eval;
constexpr auto kCheckpoint = &Config::checkpoint;
constexpr auto kSample = &Config::sample;
constexpr auto kChat = &Config::chat;
constexpr auto kLog = &Config::log;
constexpr auto kCompute = &Config::compute;
constexpr auto kRun = &Config::run;

bool decays_to_min(const Config& config) {
  return config.schedule.name != ScheduleKind::kConstant && config.schedule.name != ScheduleKind::kInverseSqrt;
}
bool is_wsd(const Config& config) { return config.schedule.name == ScheduleKind::kWsd; }
bool averages(const Config& config) { return config.optimizer.ema_decay > 0; }
bool samples(const Config& config) { return config.sample.every_steps > 0; }

constexpr std::string_view kDecays = "schedule.name is linear, cosine or wsd";
constexpr std::string_view kSamples = "sample.every_steps > 0";

constexpr Key kRows[] = {
    row<kTrain, &TrainConfig::max_steps>("train.max_steps", kBits, "Optimizer steps in all")
        .range(1, kMaxSteps)
        .in("steps")
        .also("max_iters num_steps total_steps steps num_train_steps max_iterations iterations"),
    row<kTrain, &TrainConfig::batch_size>("train.batch_size", kBits, "Sequences per optimizer step: the global batch")
        .range(1, kMaxCount)
        .in("sequences")
        .also("per_device_train_batch_size train_batch_size global_batch_size"),
    row<kTrain, &TrainConfig::accumulation_steps>("train.accumulation_steps", kBits,
                                                  "Micro-batches that the batch is cut into; must divide batch_size")
        .range(1, kMaxCount)
        .also("gradient_accumulation_steps grad_accum grad_accum_steps accumulate"),
    row<kTrain, &TrainConfig::leaf_sequences>(
        "train.leaf_sequences", kBits,
        "Sequences whose gradients are summed first; must divide the micro-batch; 0 = a micro-batch")
        .range(0, kMaxCount)
        .in("sequences"),
    row<kTrain, &TrainConfig::seed>("train.seed", kBits, "Start of all random numbers")
        .range(0, kMaxSeed)
        .also("random_seed"),
    row<kTrain, &TrainConfig::max_minutes>("train.max_minutes", kFree, "Stop, saved, after this time; 0 = no limit")
        .range(0, 1e8)
        .in("minutes")
        .also("time_limit max_time"),
    row<kTrain, &TrainConfig::early_stop_evals>("train.early_stop_evals", kFree,
                                                "Stop after so many evaluations without a new best; 0 = never")
        .range(0, kMaxCount)
        .in("evaluations")
        .also("patience early_stopping_patience"),
    row<kTrain, &TrainConfig::max_bad_steps>("train.max_bad_steps", kFree,
                                             "Give up (exit 6) after so many skipped NaN or Inf steps in a row")
        .range(1, kMaxCount)
        .in("steps"),
};

constexpr Key kLaterRows[] = {
    row<kSchedule, &ScheduleConfig::name>("schedule.name", kBits, "Course of the learning rate after the warm-up")
        .also("lr_scheduler_type lr_scheduler lr_schedule"),
    row<kSchedule, &ScheduleConfig::warmup_steps>(
        "schedule.warmup_steps", kBits,
        "Steps over which the rate rises; step t = 0, 1, ... has learning_rate (t+1)/(warmup_steps+1)")
        .range(0, kMaxSteps)
        .in("steps")
        .also("warmup_iters warmup num_warmup_steps"),
    row<kSchedule, &ScheduleConfig::decay_steps>(
        "schedule.decay_steps", kBits,
        "Step at which min_lr is reached, 0 = max_steps; wsd: length of the last decay, 0 = a tenth of max_steps")
        .range(0, kMaxSteps)
        .in("steps")
        .when(decays_to_min, kDecays)
        .also("lr_decay_iters decay_iters cooldown_steps"),
    row<kSchedule, &ScheduleConfig::min_lr>("schedule.min_lr", kBits, "Learning rate at the end of the decay")
        .range(0, 1000)
        .when(decays_to_min, kDecays)
        .also("min_learning_rate final_lr end_lr"),
    row<kSchedule, &ScheduleConfig::wsd_shape>("schedule.wsd_shape", kBits, "Form of the last decay of wsd")
        .when(is_wsd, "schedule.name = \"wsd\""),

    row<kEval, &EvalConfig::every_steps>("eval.every_steps", kFree,
                                         "Evaluate on the validation split; 0 = only at the end")
        .range(0, kMaxSteps)
        .in("steps")
        .also("eval_interval eval_steps eval_every"),
    row<kEval, &EvalConfig::max_windows>("eval.max_windows", kFree,
                                         "Windows of an evaluation during training, the same each time, evenly spread; "
                                         "0 = the whole split, as at the end of training always")
        .range(0, kMaxCount)
        .in("windows")
        .also("eval_iters max_eval_samples eval_windows max_eval_windows"),
    row<kEval, &EvalConfig::batch_size>("eval.batch_size", kFree,
                                        "Sequences at once; changes no result; 0 = a micro-batch")
        .range(0, kMaxCount)
        .in("sequences")
        .also("per_device_eval_batch_size eval_batch_size"),
    row<kEval, &EvalConfig::use_ema>("eval.use_ema", kFree,
                                     "Evaluate and sample with the averaged weights instead of the trained ones")
        .only(averages, "optimizer.ema_decay > 0")
        .also("ema_eval"),

    row<kCheckpoint, &CheckpointConfig::every_steps>("checkpoint.every_steps", kFree,
                                                     "Save all state; 0 = only at the end")
        .range(0, kMaxSteps)
        .in("steps")
        .also("save_steps save_interval checkpoint_interval save_every"),
    row<kCheckpoint, &CheckpointConfig::keep>("checkpoint.keep", kFree, "Newest checkpoints that stay")
        .range(1, kMaxCount)
        .in("checkpoints")
        .also("save_total_limit keep_last"),
    row<kCheckpoint, &CheckpointConfig::keep_best>("checkpoint.keep_best", kFree,
                                                   "Keep the one with the lowest validation loss as well")
        .also("load_best_model_at_end save_best"),

    row<kSample, &SampleConfig::every_steps>("sample.every_steps", kFree, "Write text during training; 0 = never")
        .range(0, kMaxSteps)
        .in("steps"),
    row<kSample, &SampleConfig::prompt>("sample.prompt", kFree, "How the text begins")
        .when(samples, kSamples)
        .also("start"),
    row<kSample, &SampleConfig::max_tokens>("sample.max_tokens", kFree, "Length of each text")
        .range(1, kMaxCount)
        .in("tokens")
        .when(samples, kSamples)
        .also("max_new_tokens max_length"),
    row<kSample, &SampleConfig::temperature>("sample.temperature", kFree,
                                             "Below 1 safer, above 1 wilder; 0 = always the likeliest token")
        .range(0, 100)
        .when(samples, kSamples)
        .also("temp"),
    row<kSample, &SampleConfig::top_k>("sample.top_k", kFree, "Choose among the k likeliest tokens; 0 = among all")
        .range(0, 1e8)
        .in("tokens")
        .when(samples, kSamples),
    row<kSample, &SampleConfig::count>("sample.count", kFree, "Texts each time")
        .range(1, 1000)
        .in("texts")
        .when(samples, kSamples)
        .also("num_samples num_return_sequences"),

    row<kChat, &ChatConfig::user>("chat.user", kFree, "Text in front of what a person says, in dialogues"),
    row<kChat, &ChatConfig::assistant>("chat.assistant", kFree,
                                       "Text between what a person says and the answer; empty = no dialogues"),
    row<kChat, &ChatConfig::stop>("chat.stop", kFree, "Text that ends an answer; empty = what chat.user says"),

    row<kLog, &LogConfig::every_steps>("log.every_steps", kFree, "Write a line of metrics")
        .range(1, kMaxSteps)
        .in("steps")
        .also("log_interval logging_steps log_every"),

    row<kCompute, &ComputeConfig::threads>(
        "compute.threads", kFree,
        "Most threads, fewer beside busy programs; changes no result; 0 = all processors the process may use")
        .range(0, 4096)
        .in("threads")
        .also("num_threads n_threads num_workers"),
    row<kCompute, &ComputeConfig::gemm>("compute.gemm", kBits,
                                        "Who multiplies matrices; auto = minnow with AVX-512, else OpenBLAS")
        .also("backend blas"),
    row<kCompute, &ComputeConfig::precision>("compute.precision", kBits,
                                             "Type of the factors of matrix products; all else is f32")
        .also("dtype amp autocast bf16 fp16 mixed_precision"),

    row<kRun, &RunConfig::dir>("run.dir", kFree, "Folder of the run; empty = runs/<name of the configuration file>")
        .path()
        .also("out_dir output_dir run_dir"),
};

}  // namespace

std::span<const Key> train_keys() { return kRows; }
std::span<const Key> run_keys() { return kLaterRows; }

}  // namespace minnow::config_detail
