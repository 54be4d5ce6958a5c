#include "cli/tokenizer_view.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/terminal.hpp"
#include "minnow/text/bpe_tokenizer.hpp"
#include "minnow/text/utf8.hpp"
#include "minnow/text/word_tokenizer.hpp"

namespace minnow::cli {
namespace {

/// @return a token as a line of text can show it.
/// @param first  nothing stands before it.
std::string visible_piece(const Tokenizer& tokenizer, std::int32_t id, bool first) {
  const std::string_view bytes = first ? tokenizer.first_bytes_of(id) : tokenizer.bytes_of(id);
  if (bytes.empty()) return printable(tokenizer.piece_of(id));
  std::string text;
  for (const char c : printable(bytes)) {
    if (c == '\n') {
      text += "\xE2\x86\xB5";  // a line end is seen as an arrow, and kept
    } else if (c == '\t') {
      text += "\\t";
      continue;
    }
    text += c;
  }
  return text;
}

nlohmann::ordered_json added_json(const std::vector<AddedToken>& tokens) {
  auto added = nlohmann::ordered_json::array();
  for (const AddedToken& token : tokens) {
    added.push_back({{"id", token.id}, {"content", token.content}, {"special", token.special}});
  }
  return added;
}

}  // namespace

std::string described(const Tokenizer& tokenizer) {
  if (tokenizer.name() == "bpe") return "byte pairs";
  if (tokenizer.name() == "wordpiece") return "pieces of words";
  if (tokenizer.name() == "sentencepiece") return "SentencePiece";
  return std::string(tokenizer.name()) + "-level";
}

nlohmann::ordered_json tokenizer_facts(const Tokenizer& tokenizer) {
  nlohmann::ordered_json facts = {{"kind", tokenizer.name()}, {"tokens", tokenizer.vocab_size()}};
  const auto boundary = tokenizer.boundary_id();
  facts["keeps_text"] = tokenizer.keeps_text();
  facts["boundary"] = boundary ? nlohmann::ordered_json(*boundary) : nlohmann::ordered_json();
  if (const auto* const bpe = dynamic_cast<const BpeTokenizer*>(&tokenizer)) {
    const BpeModel& model = bpe->model();
    facts["merges"] = model.merges.size();
    facts["characters"] = model.characters.has_value();
    facts["pattern"] = split_name(model.pattern);
    facts["add_prefix_space"] = model.add_prefix_space;
    facts["gaps"] = std::count(model.pieces.begin(), model.pieces.end(), "");
    facts["added"] = added_json(model.added);
  }
  if (const auto* const words = dynamic_cast<const WordTokenizer*>(&tokenizer)) {
    facts["unknown"] = words->model().unknown;
    facts["lowercase"] = words->model().cleaning && words->model().cleaning->lowercase;
    facts["added"] = added_json(words->model().added);
  }
  std::int32_t longest = 0;
  for (std::int32_t id = 1; id < tokenizer.vocab_size(); ++id) {
    if (tokenizer.bytes_of(id).size() > tokenizer.bytes_of(longest).size()) longest = id;
  }
  facts["longest"] = {
      {"id", longest}, {"piece", tokenizer.piece_of(longest)}, {"bytes", tokenizer.bytes_of(longest).size()}};
  return facts;
}

double TextUse::bytes_per_token() const {
  return tokens == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(tokens);
}

TextUse use_of(const Tokenizer& tokenizer, std::span<const std::string_view> texts, bool timed) {
  using Clock = std::chrono::steady_clock;
  constexpr double kTimedSeconds = 0.5;
  const auto begin = Clock::now();
  const auto since = [](Clock::time_point from) { return std::chrono::duration<double>(Clock::now() - from).count(); };
  const auto encode = [&](auto&& take) {
    for (const std::string_view text : texts) take(tokenizer.encode(text, UnknownCharacter::kReplace));
  };
  TextUse use;
  std::vector<bool> seen(static_cast<std::size_t>(tokenizer.vocab_size()));
  encode([&](const std::vector<std::int32_t>& ids) {
    for (const std::int32_t id : ids) seen[static_cast<std::size_t>(id)] = true;
    use.tokens += static_cast<std::int64_t>(ids.size());
  });
  use.seconds = since(begin);
  while (timed && since(begin) < kTimedSeconds) {
    const auto again = Clock::now();
    encode([](const std::vector<std::int32_t>&) {});
    use.seconds = std::min(use.seconds, since(again));
  }
  for (const std::string_view text : texts) {
    use.bytes += static_cast<std::int64_t>(text.size());
    use.characters += static_cast<std::int64_t>(count_characters(text));
  }
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) {
    if (seen[static_cast<std::size_t>(id)]) {
      ++use.used;
    } else if (!tokenizer.bytes_of(id).empty()) {
      use.unused_ids.push_back(id);
    }
  }
  use.unused = static_cast<std::int64_t>(use.unused_ids.size());
  return use;
}

std::string shown_pieces(const Tokenizer& tokenizer, std::span<const std::int32_t> ids, bool color) {
  static constexpr std::array kColours = {Style::kGreen, Style::kYellow, Style::kBlue, Style::kRed};
  std::string text;
  std::size_t number = 0;
  bool begins = true;
  for (const std::int32_t id : ids) {
    const std::string piece = visible_piece(tokenizer, id, begins);
    begins = begins && tokenizer.bytes_of(id).empty();
    text += color ? styled(piece, kColours[number++ % kColours.size()], true) : "[" + piece + "]";
  }
  return text + "\n";
}

}  // namespace minnow::cli
