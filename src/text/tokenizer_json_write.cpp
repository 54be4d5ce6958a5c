#include <algorithm>
#include <nlohmann/json.hpp>

#include "minnow/text/utf8.hpp"
#include "text/tokenizer_json.hpp"

namespace minnow {
namespace {

// Keeps the order in which keys are set: the vocabulary is then written by id.
using Json = nlohmann::ordered_json;

Json byte_level(bool add_prefix_space, bool use_regex) {
  return {
      {"type", "ByteLevel"}, {"add_prefix_space", add_prefix_space}, {"trim_offsets", true}, {"use_regex", use_regex}};
}

Json added_token(const AddedToken& token) {
  return {{"id", token.id},          {"content", token.content}, {"single_word", token.single_word},
          {"lstrip", token.lstrip},  {"rstrip", token.rstrip},   {"normalized", token.normalized},
          {"special", token.special}};
}

/// nlohmann's ordered object looks for an existing key at every insertion: quadratic in the vocabulary. Its underlying
/// vector takes the pairs directly.
Json vocabulary(const std::vector<std::string>& pieces) {
  Json::object_t entries;
  entries.reserve(pieces.size());
  std::int32_t id = 0;
  for (const std::string& piece : pieces) {
    if (!piece.empty()) {
      static_cast<std::vector<std::pair<const std::string, Json>>&>(entries).emplace_back(piece, Json(id));
    }
    ++id;
  }
  return entries;
}

/// The nine keys, with an empty model.
Json frame() {
  Json root;
  root["version"] = "1.0";
  root["truncation"] = nullptr;
  root["padding"] = nullptr;
  root["added_tokens"] = Json::array();
  root["normalizer"] = nullptr;
  root["pre_tokenizer"] = nullptr;
  root["post_processor"] = nullptr;
  root["decoder"] = nullptr;
  Json& model = root["model"];
  model["type"] = "BPE";
  model["dropout"] = nullptr;
  model["unk_token"] = nullptr;
  model["continuing_subword_prefix"] = nullptr;
  model["end_of_word_suffix"] = nullptr;
  model["fuse_unk"] = false;
  model["byte_fallback"] = false;
  model["ignore_merges"] = false;
  model["vocab"] = Json::object();
  model["merges"] = Json::array();
  return root;
}

Json split_json(SplitPattern pattern) {
  return {
      {"type", "Split"}, {"pattern", {{"Regex", split_regex(pattern)}}}, {"behavior", "Isolated"}, {"invert", false}};
}

Json pre_tokenizer_of(const BpeModel& model) {
  const bool gpt2 = model.pattern == SplitPattern::kGpt2;
  Json bytes = byte_level(model.add_prefix_space, gpt2);
  if (gpt2 || model.pattern == SplitPattern::kNone) return bytes;
  return {{"type", "Sequence"}, {"pretokenizers", Json::array({split_json(model.pattern), std::move(bytes)})}};
}

Json word_split_json(const WordModel& model) {
  switch (model.split) {
    case WordSplit::kBert:
      return {{"type", "BertPreTokenizer"}};
    case WordSplit::kWhitespace:
      return {{"type", "Whitespace"}};
    case WordSplit::kBlanks:
      return {{"type", "WhitespaceSplit"}};
    case WordSplit::kPattern:
      break;
  }
  return model.pattern == SplitPattern::kNone ? Json() : split_json(model.pattern);
}

/// As strings, which every reader knows, unless a name has a blank in it.
Json merges_of(const BpeModel& model) {
  const auto name = [&](std::int32_t id) -> const std::string& { return model.pieces[static_cast<std::size_t>(id)]; };
  const bool strings = std::none_of(model.merges.begin(), model.merges.end(), [&](const BpeMerge& merge) {
    return name(merge.result).find(' ') != std::string::npos;
  });
  Json::array_t rows;
  rows.reserve(model.merges.size());
  for (const BpeMerge& merge : model.merges) {
    const std::string &left = name(merge.left), &right = name(merge.right);
    rows.push_back(strings ? Json(std::string(left).append(" ").append(right)) : Json::array({left, right}));
  }
  return rows;
}

void write_characters(const BpeModel& model, Json& root) {
  const BpeCharacters& characters = *model.characters;
  root["normalizer"] = Json::parse(characters.normalizer);
  root["pre_tokenizer"] = Json::parse(characters.pre_tokenizer);
  root["decoder"] = Json::parse(characters.decoder);
  Json& pairs = root["model"];
  if (characters.unknown >= 0) pairs["unk_token"] = model.pieces[static_cast<std::size_t>(characters.unknown)];
  pairs["fuse_unk"] = characters.fuse_unknown;
  pairs["byte_fallback"] = characters.byte_fallback;
}

}  // namespace

std::string write_tokenizer_json(const TokenizerFile& file) {
  const bool bytes = file.kind == VocabularyKind::kByte;
  Json root = frame();
  if (file.boundary >= 0) {
    root["added_tokens"].push_back(
        added_token({.id = file.boundary, .content = file.pieces[static_cast<std::size_t>(file.boundary)]}));
  }
  if (bytes) root["pre_tokenizer"] = byte_level(false, true);
  root["decoder"] = bytes ? byte_level(false, true) : Json{{"type", "Fuse"}};
  root["model"]["vocab"] = vocabulary(file.pieces);
  return root.dump(2) + "\n";
}

std::string write_bpe_json(const BpeModel& model) {
  Json root = frame();
  for (const AddedToken& token : model.added) root["added_tokens"].push_back(added_token(token));
  root["pre_tokenizer"] = pre_tokenizer_of(model);
  root["post_processor"] = Json::parse(model.post_processor);
  root["decoder"] = byte_level(false, true);
  if (model.characters) write_characters(model, root);
  root["model"]["ignore_merges"] = model.ignore_merges;
  root["model"]["vocab"] = vocabulary(model.pieces);
  root["model"]["merges"] = merges_of(model);
  return root.dump(2) + "\n";
}

std::string write_word_json(const WordModel& model) {
  Json root = frame();
  for (const AddedToken& token : model.added) root["added_tokens"].push_back(added_token(token));
  if (const auto& cleaning = model.cleaning) {
    root["normalizer"] = {{"type", "BertNormalizer"},
                          {"clean_text", cleaning->clean_text},
                          {"handle_chinese_chars", cleaning->handle_chinese_chars},
                          {"strip_accents", cleaning->strip_accents},
                          {"lowercase", cleaning->lowercase}};
  }
  root["pre_tokenizer"] = word_split_json(model);
  root["post_processor"] = Json::parse(model.post_processor);
  if (model.join == WordJoin::kFuse) root["decoder"] = {{"type", "Fuse"}};
  if (model.join == WordJoin::kPieces) {
    root["decoder"] = {{"type", "WordPiece"}, {"prefix", model.prefix}, {"cleanup", model.tidy}};
  }
  Json words = {{"type", model.word_pieces ? "WordPiece" : "WordLevel"}, {"unk_token", model.unknown}};
  if (model.word_pieces) {
    words["continuing_subword_prefix"] = model.prefix;
    words["max_input_chars_per_word"] = model.max_characters;
  }
  words["vocab"] = vocabulary(model.pieces);
  root["model"] = std::move(words);
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
