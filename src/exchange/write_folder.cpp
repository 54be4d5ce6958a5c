#include "minnow/exchange/write_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "minnow/base/error.hpp"
#include "minnow/exchange/foreign_config.hpp"
#include "minnow/exchange/foreign_tensors.hpp"
#include "minnow/io/file.hpp"
#include "minnow/io/safetensors.hpp"
#include "minnow/text/bpe_tokenizer.hpp"
#include "minnow/text/sentencepiece_tokenizer.hpp"

namespace minnow::exchange {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

/// (rows, columns) -> (columns, rows)
std::vector<float> turned(std::span<const float> from, std::size_t rows, std::size_t columns) {
  std::vector<float> to(from.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
  }
  return to;
}

/// Rows of each head from the order of pairs (0, 1), (2, 3), ... into that of halves: first all first ones of a pair.
std::vector<float> halved(std::span<const float> from, std::size_t head_rows, std::size_t columns) {
  std::vector<float> to(from.size());
  const std::size_t half = head_rows / 2;
  for (std::size_t row = 0; row < from.size() / columns; ++row) {
    const std::size_t head = row / head_rows, inside = row % head_rows;
    const std::size_t source = head * head_rows + (inside < half ? 2 * inside : 2 * (inside - half) + 1);
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(source * columns), columns,
                to.begin() + static_cast<std::ptrdiff_t>(row * columns));
  }
  return to;
}

/// Makes the numbers of each tensor of the file; those that need no change are the model's own.
class TensorMaker {
 public:
  explicit TensorMaker(const ModelToWrite& what) : model_(what.model) {
    for (const NamedNumbers& one : what.parameters) values_[one.name] = one.values;
  }

  std::span<const float> numbers(const ForeignTensor& tensor) {
    std::size_t count = 1;
    for (const std::int64_t size : tensor.shape) count *= static_cast<std::size_t>(size);
    const auto found = values_.find(tensor.name);
    if (found == values_.end()) return keep(std::vector<float>(count, 0.0F));  // a bias that the model does not have
    const std::span<const float> own = found->second;
    if (own.size() != count) {
      throw CheckpointError(
          fmt::format("[export] {} must have {} numbers; the model has {}", tensor.name, count, own.size()));
    }
    const auto size = [&](std::size_t axis) { return static_cast<std::size_t>(tensor.shape[axis]); };
    if (tensor.transposed) return keep(turned(own, size(1), size(0)));
    const bool turns =
        tensor.name.find("q_proj") != std::string::npos || tensor.name.find("k_proj") != std::string::npos;
    if (turns && model_.rope_style == RopeStyle::kInterleaved) {
      return keep(halved(own, static_cast<std::size_t>(model_.head_dim()), tensor.shape.size() > 1 ? size(1) : 1));
    }
    return own;
  }

 private:
  std::span<const float> keep(std::vector<float> made) { return made_.emplace_back(std::move(made)); }

  const ModelConfig& model_;
  std::map<std::string, std::span<const float>, std::less<>> values_;
  std::vector<std::vector<float>> made_;
};

/// GPT2LMHeadModel has every bias.
ModelConfig with_biases(ModelConfig model) {
  if (model.family != Family::kGpt2) return model;
  model.bias = true;
  model.attn_bias = model.mlp_bias = std::nullopt;
  return model;
}

/// @param tokens  ids of the tokenizer; those from there to `rows` pad the model and are never to be written
std::string generation_json(const SampleConfig& sample, TextMarks marks, std::int64_t tokens, std::int64_t rows) {
  OrderedJson json = {{"do_sample", sample.temperature > 0}};
  if (sample.temperature > 0) {
    json["temperature"] = sample.temperature;
    json["top_k"] = sample.top_k;  // absent it would be 50
  }
  json["max_new_tokens"] = sample.max_tokens;
  if (marks.begin >= 0) json["bos_token_id"] = marks.begin;
  if (marks.end >= 0) json["eos_token_id"] = json["pad_token_id"] = marks.end;
  if (tokens < rows) {
    std::vector<std::int64_t> padding(static_cast<std::size_t>(rows - tokens));
    std::iota(padding.begin(), padding.end(), tokens);
    json["suppress_tokens"] = padding;
  }
  return json.dump(2) + "\n";
}

/// @return what begins and ends a text: as prompts begin, as the tokenizer says, or both its boundary.
TextMarks marks_of(const ModelToWrite& what) {
  if (what.tokenizer == nullptr) return {};
  const auto end = what.tokenizer->boundary_id();
  const auto begin = what.prompt_start ? what.prompt_start : what.tokenizer->begin_id();
  return {.begin = begin ? *begin : end.value_or(-1), .end = end.value_or(-1)};
}

std::string tokenizer_config_json(const ModelToWrite& what, TextMarks marks) {
  const Tokenizer& tokenizer = *what.tokenizer;
  OrderedJson json = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                      {"model_max_length", what.model.block_size},
                      {"add_prefix_space", false},
                      {"clean_up_tokenization_spaces", false}};
  if (const auto* const sentences = dynamic_cast<const SentencePieceTokenizer*>(&tokenizer)) {
    json["tokenizer_class"] = "LlamaTokenizer";
    json["add_prefix_space"] = sentences->adds_blank();
    json["legacy"] = false;
    json["add_bos_token"] = what.prompt_start.has_value();
    json["add_eos_token"] = false;
    if (const auto unknown = tokenizer.fallback_id()) json["unk_token"] = tokenizer.piece_of(*unknown);
  }
  if (const auto* const pairs = dynamic_cast<const BpeTokenizer*>(&tokenizer); pairs && pairs->model().characters) {
    json["add_prefix_space"] = pairs->model().characters->prefix != BpeCharacters::Prefix::kNever;
  }
  if (marks.begin >= 0) json["bos_token"] = tokenizer.piece_of(static_cast<std::int32_t>(marks.begin));
  if (marks.end >= 0) json["eos_token"] = tokenizer.piece_of(static_cast<std::int32_t>(marks.end));
  return json.dump(2) + "\n";
}

/// Where minnow begins prompts with a token, transformers shall, too. The line stands
/// once in the text: inside of strings line feeds are escaped. (Parsed and written anew, large vocabularies take
/// seconds.)
std::string tokenizer_json(const Tokenizer& tokenizer, std::optional<std::int32_t> start) {
  std::string text = tokenizer.to_json();
  constexpr std::string_view kNone = "\n  \"post_processor\": null,\n";
  const std::size_t at = text.find(kNone);
  if (!start || at == std::string::npos) return text;
  const std::string piece = tokenizer.piece_of(*start);
  const OrderedJson special = {{"SpecialToken", {{"id", piece}, {"type_id", 0}}}};
  const auto sequence = [](const char* id, int type) {
    return OrderedJson{{"Sequence", {{"id", id}, {"type_id", type}}}};
  };
  const OrderedJson begins = {{"type", "TemplateProcessing"},
                              {"single", {special, sequence("A", 0)}},
                              {"pair", {special, sequence("A", 0), sequence("B", 1)}},
                              {"special_tokens", {{piece, {{"id", piece}, {"ids", {*start}}, {"tokens", {piece}}}}}}};
  return text.replace(at, kNone.size(), fmt::format("\n  \"post_processor\": {},\n", begins.dump()));
}

/// @return the folder, or the one on the way to it that is there already.
fs::path existing_part(const fs::path& folder) {
  std::error_code ignored;
  fs::path at = fs::absolute(folder);
  while (at != at.parent_path() && !fs::exists(at, ignored)) at = at.parent_path();
  return at;
}

/// Another model's files must neither be replaced nor stay beside these.
void require_empty(const fs::path& folder) {
  if (!path_exists(folder)) return;
  std::error_code error;
  if (fs::is_directory(folder, error) && fs::is_empty(folder, error) && !error) return;
  throw ConfigError(fmt::format("[export] the folder must be new or empty; {} is not. Hint: --out names another one",
                                folder.string()));
}

}  // namespace

std::vector<std::string> write_model_folder(const fs::path& folder, const ModelToWrite& what) {
  const TextMarks marks = marks_of(what);
  const std::int64_t tokens = what.tokenizer != nullptr ? what.tokenizer->vocab_size() : what.vocab_size;
  std::vector<std::pair<std::string, std::string>> texts;  // all are made, and may be refused, before one is written
  texts.emplace_back("config.json", write_foreign_config(what.model, what.vocab_size, marks));
  texts.emplace_back("generation_config.json", generation_json(what.sample, marks, tokens, what.vocab_size));
  if (what.tokenizer != nullptr) {
    const auto* const sentences = dynamic_cast<const SentencePieceTokenizer*>(what.tokenizer);
    if (sentences != nullptr) texts.emplace_back("tokenizer.model", sentences->model());
    if (sentences == nullptr) texts.emplace_back("tokenizer.json", tokenizer_json(*what.tokenizer, what.prompt_start));
    texts.emplace_back("tokenizer_config.json", tokenizer_config_json(what, marks));
  }
  TensorMaker maker(what);
  std::vector<TensorSource> tensors;
  for (const ForeignTensor& tensor : foreign_tensors(with_biases(what.model), what.vocab_size)) {
    tensors.push_back({tensor.name, FileDtype::kF32, tensor.shape, std::as_bytes(maker.numbers(tensor))});
  }
  require_empty(folder);
  require_free_disk(existing_part(folder), safetensors_file_bytes(tensors));
  make_directories(folder);
  write_safetensors_file(folder / "model.safetensors", tensors);
  std::vector<std::string> names = {"model.safetensors"};
  for (const auto& [name, text] : texts) {
    write_file_atomic(folder / name, text);
    names.push_back(name);
  }
  return names;
}

}  // namespace minnow::exchange
