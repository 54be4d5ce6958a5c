#include "train/open_folder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "minnow/base/error.hpp"
#include "minnow/config/choices.hpp"
#include "minnow/exchange/model_folder.hpp"
#include "minnow/io/memory.hpp"
#include "minnow/train/compute.hpp"

namespace minnow {
namespace {

/// Weights and the table of rotary angles must fit before either is made.
void require_room_for(const exchange::ModelFolder& folder, const std::filesystem::path& path) {
  double numbers = static_cast<double>(folder.model().block_size) * static_cast<double>(folder.model().rotary_width());
  for (const exchange::ForeignTensor& tensor : folder.tensors()) {
    double count = 1;
    for (const std::int64_t size : tensor.shape) count *= static_cast<double>(size);
    numbers += count;
  }
  const AvailableMemory memory = available_memory();
  const double bytes = numbers * sizeof(float);
  if (bytes <= static_cast<double>(memory.bytes)) return;
  throw MemoryError(
      fmt::format("[memory] the model of {} must fit into the memory in f32; it needs {:.1f} GiB, and "
                  "{:.1f} are there ({})",
                  path.string(), bytes / 0x1p30, static_cast<double>(memory.bytes) / 0x1p30, memory.source));
}

}  // namespace

Config config_of_folder(const ModelConfig& model, const Tokenizer* tokenizer) {
  Config config;
  config.model = model;
  config.tokenizer.type = TokenizerKind::kNone;
  if (tokenizer != nullptr) {
    const auto& names = kChoiceNames<TokenizerKind>;
    const auto kind = std::find(names.begin(), names.end(), tokenizer->name());
    if (kind != names.end()) config.tokenizer.type = static_cast<TokenizerKind>(kind - names.begin());
  }
  return config;
}

LoadedRun open_model_folder(const std::filesystem::path& path) {
  const exchange::ModelFolder folder = exchange::ModelFolder::open(path);
  require_room_for(folder, path);
  LoadedRun loaded;
  loaded.directory = path;
  loaded.tokenizer = folder.tokenizer();
  loaded.tokenizer_unused = folder.tokenizer_unused();
  if (loaded.tokenizer) {  // as transformers: what the tokenizer adds, and of nothing at all the boundary
    loaded.prompt_start = loaded.tokenizer->begin_id();
    loaded.empty_start = loaded.prompt_start ? loaded.prompt_start : loaded.tokenizer->boundary_id();
  }
  loaded.config = config_of_folder(folder.model(), loaded.tokenizer.get());
  // Not learned, so a configuration must say where it is from.
  if (loaded.config.tokenizer.type == TokenizerKind::kSentencePiece) loaded.config.tokenizer.path = path.string();
  loaded.warnings = folder.warnings();
  loaded.model = make_language_model(loaded.config.model, folder.vocab_size());
  apply_compute(loaded.config.compute, *loaded.model);
  loaded.model->set_frozen(true, spare_memory());
  const std::vector<Parameter>& parameters = loaded.model->parameters().all();
  const std::vector<exchange::ForeignTensor> tensors = folder.tensors();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Tensor into = parameters[i].tensor;
    folder.read(tensors.at(i), {into.mutable_data<float>(), static_cast<std::size_t>(into.numel())});
  }
  return loaded;
}

}  // namespace minnow
