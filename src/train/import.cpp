#include "minnow/train/import.hpp"

#include <fmt/format.h>

#include "minnow/base/error.hpp"
#include "minnow/config/load.hpp"
#include "minnow/io/checkpoint.hpp"
#include "minnow/io/file.hpp"
#include "minnow/io/run_lock.hpp"
#include "train/copy_weights.hpp"
#include "train/model_files.hpp"
#include "train/resume.hpp"
#include "train/train_state.hpp"

namespace minnow {

void import_model(const LoadedRun& model, const std::filesystem::path& run, const std::string& data) {
  if (holds_a_run(run)) {
    throw ConfigError(
        fmt::format("[import] the run directory must be new; {} already holds a run. Hint: --run names "
                    "another directory",
                    run.string()));
  }
  require_finite(*model.model, model.directory, "import");
  require_no_other_contents(run, "import");
  require_no_other_files(run, "import");
  Config config = model.config;
  config.data.path = data;
  // With a tokenizer it decides, unless the model has more rows than it has tokens.
  const bool decides = model.tokenizer && model.tokenizer->vocab_size() == model.model->vocab_size();
  config.model.vocab_size = decides ? 0 : model.model->vocab_size();
  validate(config);
  TrainState state;
  state.seed = config.train.seed;
  state.leaf_sequences = config.train.leaf();
  state.vocab_size = model.model->vocab_size();
  state.prompt_start = model.prompt_start.value_or(-1);
  CheckpointTexts texts;
  texts.state = state.to_json();
  texts.config = to_toml(config);
  texts.environment = environment_json();
  if (model.tokenizer) texts.tokenizer = model.tokenizer->to_json();
  const RunLock lock = RunLock::acquire(run);
  (void)save_checkpoint(run, 0, checkpoint_sources(model.model->parameters(), texts));
  write_file_atomic(run / kConfigFile, texts.config);
  if (!texts.tokenizer.empty()) write_file_atomic(run / kTokenizerFile, texts.tokenizer);
}

}  // namespace minnow
