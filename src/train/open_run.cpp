#include <fmt/format.h>

#include <charconv>

#include "minnow/base/error.hpp"
#include "minnow/exchange/model_folder.hpp"
#include "minnow/io/checkpoint.hpp"
#include "minnow/io/file.hpp"
#include "minnow/io/memory.hpp"
#include "minnow/train/compute.hpp"
#include "minnow/train/run.hpp"
#include "train/checkpoint_texts.hpp"
#include "train/kept_text.hpp"
#include "train/model_files.hpp"
#include "train/open_folder.hpp"
#include "train/run_hint.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;

Checkpoint open_step(const fs::path& run, std::int64_t step) {
  const fs::path directory = checkpoint_directory(run, step);
  if (path_exists(directory)) return Checkpoint::open(directory);
  std::string known;
  for (const CheckpointInfo& info : list_checkpoints(run)) known += fmt::format(" {}", info.step);
  throw CheckpointError(fmt::format("[run] {} must have a checkpoint of step {}; it has{}", run.string(), step,
                                    known.empty() ? " none" : known));
}

Checkpoint choose(const fs::path& run, const WhichCheckpoint& which, std::vector<std::string>& warnings) {
  using Kind = WhichCheckpoint::Kind;
  if (which.kind == Kind::kStep) return open_step(run, which.step);
  const std::optional<std::int64_t> best = which.kind == Kind::kLatest ? std::nullopt : best_step(run);
  if (best) {
    const VerifyReport report = verify_checkpoint(checkpoint_directory(run, *best));
    if (report.ok()) return open_step(run, *best);
    if (which.kind == Kind::kBest) throw CheckpointError(report.text());
    warnings.push_back(fmt::format("the best checkpoint is damaged and was passed over: {}", report.text()));
  } else if (which.kind == Kind::kBest) {
    throw CheckpointError(
        fmt::format("[run] {} must have a best checkpoint; none was marked. Hint: --checkpoint latest", run.string()));
  }
  std::optional<Checkpoint> newest = open_newest_valid(run, warnings);
  if (newest) return std::move(*newest);
  throw CheckpointError(fmt::format("[run] {} must be a run directory with a checkpoint; none is there. Hint: {}",
                                    run.string(), run_hint(run)));
}

const char* weights_file(const Checkpoint& checkpoint, const Config& config, WhichWeights weights) {
  const bool averaged = weights == WhichWeights::kEma || (weights == WhichWeights::kAuto && config.eval.use_ema);
  if (!averaged) return kModelFile;
  if (checkpoint.has(kAverageFile)) return kAverageFile;
  throw CheckpointError(
      fmt::format("[run] the checkpoint must hold averaged weights; {} has no {}. Hint: train with "
                  "optimizer.ema_decay, or take the trained weights",
                  checkpoint.directory().string(), kAverageFile));
}

LoadedRun load(const fs::path& run, const Checkpoint& checkpoint, WhichWeights weights) {
  LoadedRun loaded;
  loaded.directory = run;
  loaded.step = checkpoint.step();
  ReadTexts texts = read_texts(checkpoint);
  const TrainState& state = texts.state;
  if (state.val_loss && state.val_step == state.step) loaded.val_loss = state.val_loss;
  loaded.data = state.data;
  loaded.config = std::move(texts.config.config);
  find_kept_text(run, loaded.config.data);
  loaded.tokenizer = std::move(texts.tokenizer);
  if (state.prompt_start) {
    if (*state.prompt_start >= 0) loaded.prompt_start = static_cast<std::int32_t>(*state.prompt_start);
  } else if (loaded.tokenizer && loaded.config.data.documents != DocumentKind::kStream) {
    loaded.prompt_start = loaded.tokenizer->boundary_id();  // (states before this was noted)
  }
  loaded.empty_start = loaded.prompt_start;
  loaded.model = make_language_model(loaded.config.model, state.vocab_size);
  apply_compute(loaded.config.compute, *loaded.model);
  loaded.model->set_frozen(true, spare_memory());
  load_parameters(checkpoint, weights_file(checkpoint, loaded.config, weights), loaded.model->parameters());
  return loaded;
}

}  // namespace

WhichCheckpoint WhichCheckpoint::parse(const std::string& text) {
  if (text == "auto") return {Kind::kBestOrLatest};
  if (text == "best") return {Kind::kBest};
  if (text == "latest") return {Kind::kLatest};
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), step);
  if (error == std::errc() && end == text.data() + text.size() && step >= 0) return {Kind::kStep, step};
  throw ConfigError(fmt::format("[checkpoint] the choice must be auto, best, latest or a step; got '{}'", text));
}

WhichWeights parse_weights(const std::string& text) {
  if (text == "auto") return WhichWeights::kAuto;
  if (text == "trained") return WhichWeights::kTrained;
  if (text == "ema") return WhichWeights::kEma;
  throw ConfigError(fmt::format("[weights] the choice must be auto, trained or ema; got '{}'", text));
}

LoadedRun open_run(const fs::path& directory, const WhichCheckpoint& which, WhichWeights weights) {
  if (!path_exists(directory)) {
    throw CheckpointError(fmt::format("[run] the run directory must exist; {} does not. Hint: {}", directory.string(),
                                      run_hint(directory)));
  }
  if (path_exists(directory / "manifest.json")) {  // one checkpoint was named
    const Checkpoint checkpoint = Checkpoint::open(directory);
    return load(fs::absolute(directory).lexically_normal().parent_path().parent_path(), checkpoint, weights);
  }
  if (exchange::is_model_folder(directory) && list_checkpoints(directory).empty()) return open_model_folder(directory);
  std::vector<std::string> warnings;
  LoadedRun loaded = load(directory, choose(directory, which, warnings), weights);
  loaded.warnings = std::move(warnings);
  return loaded;
}

}  // namespace minnow
