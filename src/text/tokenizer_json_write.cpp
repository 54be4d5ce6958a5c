#include <nlohmann/json.hpp>

#include "minnow/text/utf8.hpp"
#include "text/tokenizer_json.hpp"

namespace minnow {
namespace {

// Keeps the order in which keys are set: the vocabulary is then written by id.
using Json = nlohmann::ordered_json;

Json byte_level() {
  return {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}};
}

Json special_token(const std::string& piece, std::int32_t id) {
  return {{"id", id},        {"content", piece},    {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

/// nlohmann's ordered object looks for an existing key at every insertion: quadratic in the vocabulary. Its underlying
/// vector takes the pairs directly.
Json vocabulary(const std::vector<std::string>& pieces) {
  Json::object_t entries;
  entries.reserve(pieces.size());
  std::int32_t id = 0;
  for (const std::string& piece : pieces) {
    static_cast<std::vector<std::pair<const std::string, Json>>&>(entries).emplace_back(piece, Json(id++));
  }
  return entries;
}

}  // namespace

std::string write_tokenizer_json(const TokenizerFile& file) {
  const bool bytes = file.kind == VocabularyKind::kByte;
  Json added = Json::array();
  if (file.boundary >= 0) {
    added.push_back(special_token(file.pieces[static_cast<std::size_t>(file.boundary)], file.boundary));
  }
  Json root;
  root["version"] = "1.0";
  root["truncation"] = nullptr;
  root["padding"] = nullptr;
  root["added_tokens"] = std::move(added);
  root["normalizer"] = nullptr;
  root["pre_tokenizer"] = bytes ? byte_level() : Json(nullptr);
  root["post_processor"] = nullptr;
  root["decoder"] = bytes ? byte_level() : Json{{"type", "Fuse"}};
  Json& model = root["model"];
  model["type"] = "BPE";
  model["dropout"] = nullptr;
  model["unk_token"] = nullptr;
  model["continuing_subword_prefix"] = nullptr;
  model["end_of_word_suffix"] = nullptr;
  model["fuse_unk"] = false;
  model["byte_fallback"] = false;
  model["ignore_merges"] = false;
  model["vocab"] = vocabulary(file.pieces);
  model["merges"] = Json::array();
  return root.dump(2) + "\n";
}

char32_t byte_stand_in(std::uint8_t byte) {
  const auto printable = [](unsigned value) {
    return (value >= 33 && value <= 126) || (value >= 161 && value <= 172) || value >= 174;
  };
  if (printable(byte)) return byte;
  char32_t next = 0x100;
  for (unsigned value = 0; value < byte; ++value) next += printable(value) ? 0 : 1;
  return next;
}

}  // namespace minnow
