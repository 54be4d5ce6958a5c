#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "minnow/base/error.hpp"
#include "minnow/text/utf8.hpp"
#include "minnow/text/word_model.hpp"
#include "text/word_text.hpp"

namespace minnow {
namespace {

constexpr std::array<std::string_view, 5> kMarks = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};

bool has_capital(std::string_view token) {
  return std::any_of(token.begin(), token.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

// Source: transformers, BertTokenizer.
std::string bert_frame(const std::vector<std::string>& pieces) {
  const auto id_of = [&](std::string_view name) {
    const auto found = std::find(pieces.begin(), pieces.end(), name);
    return found == pieces.end() ? -1 : static_cast<std::int32_t>(found - pieces.begin());
  };
  const std::int32_t begin = id_of("[CLS]"), end = id_of("[SEP]");
  if (begin < 0 || end < 0) return "null";
  using Json = nlohmann::json;  // sorted, as what was read is
  const auto special = [](const char* id, int type) { return Json{{"SpecialToken", {{"id", id}, {"type_id", type}}}}; };
  const auto sequence = [](const char* id, int type) { return Json{{"Sequence", {{"id", id}, {"type_id", type}}}}; };
  const auto token = [](const char* id, std::int32_t number) {
    return Json{{"id", id}, {"ids", Json::array({number})}, {"tokens", Json::array({id})}};
  };
  const Json frame = {
      {"type", "TemplateProcessing"},
      {"single", {special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0)}},
      {"pair", {special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0), sequence("B", 1), special("[SEP]", 1)}},
      {"special_tokens", {{"[CLS]", token("[CLS]", begin)}, {"[SEP]", token("[SEP]", end)}}}};
  return frame.dump();
}

WordModel read_vocab_txt(std::string_view text, std::optional<bool> lowercase, std::string_view source) {
  const auto fail = [&](const std::string& what) { throw DataError(fmt::format("[tokenizer] {}: {}", source, what)); };
  WordModel model;
  std::unordered_map<std::string_view, std::int32_t> ids;
  bool capitals = false;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t number = model.pieces.size() + 1;
    if (line.empty() || count_invalid_utf8(line) > 0) {
      fail(fmt::format("line {} must be a token in UTF-8; got {}.", number, line.empty() ? "none" : "other bytes"));
    }
    if (!ids.emplace(line, static_cast<std::int32_t>(number - 1)).second) {
      fail(fmt::format("line {} must be a new token; got \"{}\" again.", number, line));
    }
    const bool mark = std::find(kMarks.begin(), kMarks.end(), line) != kMarks.end();
    if (mark) model.added.push_back({.id = static_cast<std::int32_t>(number - 1), .content = std::string(line)});
    capitals = capitals || (!(line.starts_with('[') && line.ends_with(']')) && has_capital(line));
    model.pieces.emplace_back(line);
  }
  if (!ids.contains("[UNK]")) fail("must have the token [UNK], as BERT's vocab.txt; it has none.");
  model.cleaning.emplace();
  model.cleaning->lowercase = model.cleaning->strip_accents = lowercase.value_or(!capitals);
  model.post_processor = bert_frame(model.pieces);
  return model;
}

std::string write_vocab_txt(const WordModel& model) {
  std::string text;
  for (const std::string& piece : model.pieces) {
    if (piece.empty() || piece.find_first_of("\r\n") != std::string::npos) {
      throw DataError(fmt::format("[tokenizer] vocab.txt must have a token a line; got \"{}\".", piece));
    }
    text += piece;
    text += '\n';
  }
  return text;
}

}  // namespace minnow
