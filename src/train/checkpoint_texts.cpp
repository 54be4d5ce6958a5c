#include "train/checkpoint_texts.hpp"

#include <fmt/format.h>

#include "minnow/base/error.hpp"
#include "minnow/models/decoder.hpp"
#include "train/model_files.hpp"

namespace minnow {
namespace {

[[noreturn]] void refuse(const Checkpoint& checkpoint, const std::string& rule) {
  throw CheckpointError(
      fmt::format("[checkpoint] {}; checkpoint {}. Hint: its files are not of one run: use another "
                  "checkpoint",
                  rule, checkpoint.directory().string()));
}

/// What is a usage or data error in a user's file is a damaged checkpoint here.
template <class Read>
auto as_checkpoint(const Read& read) {
  try {
    return read();
  } catch (const CheckpointError&) {
    throw;
  } catch (const IoError&) {
    throw;
  } catch (const Error& error) {
    throw CheckpointError(fmt::format("[checkpoint] its files must be those of a run; {}", error.what()));
  }
}

void check(const Checkpoint& checkpoint, const ReadTexts& texts) {
  if (texts.state.step != checkpoint.step()) {
    refuse(checkpoint, fmt::format("the step of {} must be that of the manifest, {}; got {}", kStateFile,
                                   checkpoint.step(), texts.state.step));
  }
  const auto& model = texts.config.config.model;
  // Rows that no token has are there on purpose where the configuration says how many.
  const bool padded = texts.tokenizer && model.vocab_size == texts.state.vocab_size &&
                      texts.tokenizer->vocab_size() < texts.state.vocab_size;
  if (texts.tokenizer && texts.tokenizer->vocab_size() != texts.state.vocab_size && !padded) {
    refuse(checkpoint, fmt::format("the vocabulary of {} must have the {} tokens that {} names; got {}", kTokenizerFile,
                                   texts.state.vocab_size, kStateFile, texts.tokenizer->vocab_size()));
  }
  const SafetensorsHeader header = checkpoint.header(kModelFile);
  const std::string embedding(embedding_name(model.family));
  const TensorEntry* rows = header.find(embedding);  // before a model of any size is made
  if (rows == nullptr || rows->shape.size() != 2 || rows->shape[0] != texts.state.vocab_size ||
      rows->shape[1] != model.n_embd) {
    refuse(checkpoint, fmt::format("{} in {} must be ({}, {}), as {} and {} say", embedding, kModelFile,
                                   texts.state.vocab_size, model.n_embd, kStateFile, kConfigFile));
  }
}

}  // namespace

ReadTexts read_texts(const Checkpoint& checkpoint) {
  const auto name = [&](const char* file) { return (checkpoint.directory() / file).string(); };
  ReadTexts texts;
  texts.state = TrainState::from_json(checkpoint.read(kStateFile), name(kStateFile));
  texts.config = as_checkpoint([&] { return load_config(checkpoint.read(kConfigFile), name(kConfigFile)); });
  if (checkpoint.has(kTokenizerFile)) {
    texts.tokenizer = as_checkpoint([&]() -> std::shared_ptr<const Tokenizer> {
      return Tokenizer::from_json(checkpoint.read(kTokenizerFile), name(kTokenizerFile));
    });
  }
  check(checkpoint, texts);
  return texts;
}

}  // namespace minnow
