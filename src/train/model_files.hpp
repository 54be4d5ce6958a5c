#pragma once
/// @file
/// Writes and reads the files of a checkpoint: model.safetensors, optimizer.safetensors, ema.safetensors, state.json
/// and the two files that make it complete by itself, config.toml and tokenizer.json.

#include <vector>

#include "minnow/io/checkpoint.hpp"
#include "minnow/train/train_step.hpp"
#include "train/train_state.hpp"

namespace minnow {

inline constexpr const char* kModelFile = "model.safetensors";
inline constexpr const char* kOptimizerFile = "optimizer.safetensors";
inline constexpr const char* kAverageFile = "ema.safetensors";  ///< with optimizer.ema_decay
inline constexpr const char* kStateFile = "state.json";
inline constexpr const char* kConfigFile = "config.toml";
inline constexpr const char* kTokenizerFile = "tokenizer.json";
inline constexpr const char* kEnvironmentFile = "environment.json";

/// What a checkpoint is made of besides the tensors.
struct CheckpointTexts {
  std::string state;
  std::string config;
  std::string tokenizer;    ///< empty: no tokenizer
  std::string environment;  ///< libraries and settings that the bits depend on
};

/// @return the sources of a checkpoint's files; they refer to the tensors of `step`, which must live until they are
/// written.
[[nodiscard]] std::vector<FileSource> checkpoint_sources(const TrainStep& step, const CheckpointTexts& texts);

/// The same for a model that was not trained here: without the state of an optimizer, so that nothing resumes from it.
[[nodiscard]] std::vector<FileSource> checkpoint_sources(const ParameterList& parameters, const CheckpointTexts& texts);

/// Refuses a run whose checkpoints cannot be written: a new one is whole before an old one goes, so a new run needs
/// room for two, and no file may be larger than the limit of this process (ulimit -f).
/// @param folder  that is there, on the disk of the run
/// Throws: IoError.
void require_room(const std::filesystem::path& folder, const TrainStep& step, std::size_t tokenizer_bytes,
                  bool resumes);

/// Reads tensors by name into the given views. Throws: CheckpointError naming tensors that are missing, too many or of
/// another shape or type.
void load_tensors(const Checkpoint& checkpoint, const char* file, const std::vector<TrainStep::NamedTensor>& into);

/// Holds loaded moments against what optimizers can make: first ones are finite, second ones neither NaN nor negative
/// (they may be infinite: a square can overflow).
/// @param where the file, for the message. Throws: CheckpointError naming the tensor and the index.
void require_moments(const std::vector<TrainStep::NamedTensor>& moments, const std::string& where);

/// As load_tensors, into the parameters of a model that is not trained. @param file kModelFile or kAverageFile
void load_parameters(const Checkpoint& checkpoint, const char* file, ParameterList& into);

/// @return JSON of what the bits depend on besides the state: version, BLAS and its kernels.
[[nodiscard]] std::string environment_json();

/// @return what differs between two environments in a way that changes bits, one line each.
[[nodiscard]] std::vector<std::string> compare_environments(const std::string& before, const std::string& now);

}  // namespace minnow
