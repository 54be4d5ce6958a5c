#include "minnow/exchange/model_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "exchange/number_types.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/io/file.hpp"
#include "minnow/text/load_tokenizer.hpp"
#include "minnow/text/unread_tokenizer.hpp"

namespace minnow::exchange {
namespace {

namespace fs = std::filesystem;

constexpr const char* kForeignConfig = "config.json";
constexpr std::string_view kNames = "vocab.json";
constexpr const char* kHead = "lm_head.weight";

[[noreturn]] void refuse_folder(const fs::path& folder, const std::string& rule) {
  throw CheckpointError(fmt::format("[model folder] {}: {}", folder.string(), rule));
}

std::string shape_text(std::span<const std::int64_t> shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

/// @return the first few names and how many more there are.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kShown)
    text += fmt::format(" and {} more", grouped(static_cast<std::int64_t>(names.size() - kShown)));
  return text;
}

/// @return a message of the readers of tokenizers without who says it.
std::string fault_of(std::string_view message) {
  constexpr std::string_view kWho = "[tokenizer] ";
  return std::string(message.substr(message.starts_with(kWho) ? kWho.size() : 0));
}

std::size_t numbers_in(const TensorEntry& entry) {
  return static_cast<std::size_t>(entry.bytes()) / (dtype_bits(entry.dtype) / 8);
}

/// (rows, columns) -> (columns, rows)
void turn(std::span<const float> from, std::size_t rows, std::size_t columns, std::span<float> to) {
  constexpr std::size_t kTile = 32;  // two tiles of f32 stay in the first-level cache
  for (std::size_t top = 0; top < rows; top += kTile) {
    for (std::size_t left = 0; left < columns; left += kTile) {
      for (std::size_t i = top; i < std::min(rows, top + kTile); ++i) {
        for (std::size_t j = left; j < std::min(columns, left + kTile); ++j) to[j * rows + i] = from[i * columns + j];
      }
    }
  }
}

}  // namespace

bool is_model_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) && fs::exists(path / kForeignConfig, ignored);
}

ModelFolder ModelFolder::open(const fs::path& folder) {
  ModelFolder opened;
  const fs::path config = folder / kForeignConfig;
  std::error_code ignored;
  if (fs::is_directory(config, ignored))
    refuse_folder(folder, "config.json must be a file that describes the model; it is a directory");
  opened.config_ = read_foreign_config(read_file(config, kMaxConfigBytes + 1), config.string());
  opened.files_ = std::make_shared<const WeightFiles>(WeightFiles::open(folder));
  opened.find_tensors(folder);
  opened.decide_head();
  opened.check_tensors(folder);
  opened.read_tokenizer(folder);
  return opened;
}

void ModelFolder::find_tensors(const fs::path& folder) {
  std::set<std::string_view> types;
  for (const WeightFiles::Place& place : files_->places()) {
    ForeignName read = read_foreign_name(place.entry->name, config_.model.family);
    if (read.buffer) continue;
    if (!is_weight_type(place.entry->dtype)) {
      refuse_folder(folder, fmt::format("weights must be F32, F16, BF16 or F64; {} in {} is {}", place.entry->name,
                                        files_->file_name(place.file), dtype_name(place.entry->dtype)));
    }
    types.insert(dtype_name(place.entry->dtype));
    places_.emplace_back(std::move(read.name), place);
  }
  std::sort(places_.begin(), places_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto twice = std::adjacent_find(places_.begin(), places_.end(),
                                        [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice != places_.end()) {
    refuse_folder(folder, fmt::format("every tensor must be stored once; {} and {} are the same one",
                                      twice->second.entry->name, std::next(twice)->second.entry->name));
  }
  stored_type_ = fmt::format("{}", fmt::join(types, ", "));
}

const WeightFiles::Place* ModelFolder::find(const std::string& name) const {
  const auto found = std::lower_bound(places_.begin(), places_.end(), name,
                                      [](const auto& place, const std::string& key) { return place.first < key; });
  return found != places_.end() && found->first == name ? &found->second : nullptr;
}

bool ModelFolder::head_is_embedding() const {
  const WeightFiles::Place* head = find(kHead);
  const WeightFiles::Place* embedding = find(tensors().front().name);
  if (embedding == nullptr || head->entry->dtype != embedding->entry->dtype ||
      head->entry->shape != embedding->entry->shape) {
    return false;
  }
  std::vector<float> a(numbers_in(*head->entry)), b(a.size());
  files_->read_f32(*head, a);
  files_->read_f32(*embedding, b);
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

void ModelFolder::decide_head() {
  ModelConfig& model = config_.model;
  if (find(kHead) == nullptr) {
    model.tie_head = true;
    if (!config_.says_tied) {
      warnings_.emplace_back(
          "config.json says that the head is a matrix of its own (tie_word_embeddings), but none is stored: the "
          "embedding is taken as the head");
    }
    return;
  }
  if (!config_.says_tied) return;
  model.tie_head = head_is_embedding();
  if (model.tie_head) {
    std::erase_if(places_, [](const auto& place) { return place.first == kHead; });
  } else {
    warnings_.emplace_back(
        "config.json says that the head is the embedding (tie_word_embeddings), but another one is stored: the stored "
        "head is taken");
  }
}

void ModelFolder::check_tensors(const fs::path& folder) const {
  std::vector<std::string> missing, names;
  for (const ForeignTensor& tensor : tensors()) {
    names.push_back(tensor.name);
    const WeightFiles::Place* place = find(tensor.name);
    if (place == nullptr) {
      missing.push_back(tensor.name);
      continue;
    }
    if (place->entry->shape != tensor.shape) {
      refuse_folder(
          folder, fmt::format("{} must be {}, as config.json says; {} holds {}", tensor.name, shape_text(tensor.shape),
                              files_->file_name(place->file), shape_text(place->entry->shape)));
    }
  }
  if (!missing.empty()) {
    refuse_folder(folder,
                  fmt::format("the weights must hold every tensor of the model; missing: {}", some_of(missing)));
  }
  std::sort(names.begin(), names.end());
  std::vector<std::string> unknown;
  for (const auto& [name, place] : places_) {
    if (!std::binary_search(names.begin(), names.end(), name)) unknown.push_back(place.entry->name);
  }
  if (!unknown.empty()) {
    refuse_folder(folder, fmt::format("the weights must be those of the model that config.json describes; it has no "
                                      "place for: {}",
                                      some_of(unknown)));
  }
}

const std::shared_ptr<const Tokenizer>& ModelFolder::tokenizer() const {
  if (tokenizer_damage_.empty()) return tokenizer_;
  throw CheckpointError(
      fmt::format("[model folder] a tokenizer must be whole, or not there; {} Hint: fetch the file again; without it "
                  "texts are token ids",
                  tokenizer_damage_));
}

std::string ModelFolder::try_tokenizer(const fs::path& file) {
  try {
    tokenizer_ = load_tokenizer(file);
    return "";
  } catch (const UnreadTokenizer& error) {
    return fault_of(error.what());
  } catch (const ConfigError& error) {  // minnow was built without the library that reads it
    return fault_of(error.what());
  } catch (const DataError& error) {
    const std::string_view text = error.what();
    return tokenizer_damage_ = fault_of(text.substr(0, text.find(" Hint: ")));
  }
}

void ModelFolder::read_tokenizer(const fs::path& folder) {
  const auto holds = [&](const char* name) { return path_exists(folder / name); };
  const bool pair = holds("vocab.json") && holds("merges.txt");
  std::vector<std::string_view> names;  // each by itself tells the whole tokenizer
  if (holds("tokenizer.json")) names.push_back("tokenizer.json");
  // They imply GPT-2's pattern, which is not that of others that have such files too.
  if (pair && (names.empty() || config_.model.family == Family::kGpt2)) names.push_back(kNames);
  if (holds("tokenizer.model")) names.push_back("tokenizer.model");
  if (names.empty() && holds("vocab.txt")) names.push_back("vocab.txt");
  std::string problem;
  for (const std::string_view name : names) {
    const bool unread = !problem.empty() && tokenizer_damage_.empty();
    if (unread && name == kNames) continue;  // what it has besides names and merges is not GPT-2's
    const std::string fault = try_tokenizer(folder / name);
    if (fault.empty()) {
      tokenizer_damage_.clear();
      if (!problem.empty()) warnings_.push_back(fmt::format("{} is used as the tokenizer: {}", name, problem));
      break;
    }
    if (problem.empty()) problem = fault;
  }
  if (tokenizer_ != nullptr && tokenizer_->vocab_size() > vocab_size()) {  // fewer: a model's rows may be padded
    problem =
        fmt::format("it has {} tokens and the model {}", grouped(tokenizer_->vocab_size()), grouped(vocab_size()));
    tokenizer_ = nullptr;
  }
  if (tokenizer_ != nullptr || problem.empty() || !tokenizer_damage_.empty()) return;
  tokenizer_unused_ = problem;
  warnings_.push_back("the tokenizer is not used, so texts are token ids: " + problem);
}

void ModelFolder::read(const ForeignTensor& tensor, std::span<float> target) const {
  const WeightFiles::Place& place = *find(tensor.name);
  if (!tensor.transposed) return files_->read_f32(place, target);
  std::vector<float> stored(target.size());
  files_->read_f32(place, stored);
  turn(stored, static_cast<std::size_t>(tensor.shape[0]), static_cast<std::size_t>(tensor.shape[1]), target);
}

}  // namespace minnow::exchange
