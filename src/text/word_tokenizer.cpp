#include "minnow/text/word_tokenizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>

#include "minnow/base/error.hpp"
#include "minnow/text/utf8.hpp"
#include "text/added_tokens.hpp"
#include "text/text_frame.hpp"
#include "text/tokenizer_json.hpp"
#include "text/word_text.hpp"

namespace minnow {
namespace {

constexpr std::array<std::string_view, 5> kDocumentEnds = {kBoundaryPiece, "<|end_of_text|>", "</s>", "<eos>", "[SEP]"};

[[noreturn]] void refuse_words(const std::string& what) { throw DataError("[tokenizer] " + what); }

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// English as it is printed. Source: wordpiece.rs (cleanup) of the library `tokenizers`, which does it token by token.
void tidy(std::string& token) {
  using Change = std::array<std::string_view, 2>;
  constexpr std::array kChanges = std::to_array<Change>({{" .", "."},
                                                         {" ?", "?"},
                                                         {" !", "!"},
                                                         {" ,", ","},
                                                         {" ' ", "'"},
                                                         {" n't", "n't"},
                                                         {" 'm", "'m"},
                                                         {" do not", " don't"},
                                                         {" 's", "'s"},
                                                         {" 've", "'ve"},
                                                         {" 're", "'re"}});
  for (const Change& change : kChanges) replace_all(token, change[0], change[1]);
}

}  // namespace

class WordTokenizer::Parts {
 public:
  explicit Parts(WordModel given) : model(std::move(given)) {
    index_pieces();
    for (const AddedToken& token : model.added) add(token);
    spell();
    raw_plain = AddedTokens(raw_, false);
    raw_marked = AddedTokens(raw_, true);
    clean_plain = AddedTokens(cleaned_, false);
    clean_marked = AddedTokens(cleaned_, true);
    boundary = find_boundary();
    TextFrame frame = frame_of(model.post_processor, model.pieces.size());
    before = std::move(frame.before);
    behind = std::move(frame.behind);
  }

  void encode(bool marked, std::string_view text, std::vector<std::int32_t>& into, UnknownCharacter how) const {
    each_word(
        marked, text, [&](std::string_view word) { encode_word(word, into, how); },
        [&](std::int32_t id) { into.push_back(id); });
  }

  [[nodiscard]] UnknownText unknown_in(std::string_view text) const {
    UnknownText result;
    std::vector<std::int32_t> made;
    each_word(
        false, text,
        [&](std::string_view word) {
          made.clear();
          if (model.word_pieces ? spell_out(word, made) : look_up(word, made)) return;
          ++result.characters;
          result.bytes += static_cast<std::int64_t>(word.size());
        },
        [](std::int32_t) {});
    return result;
  }

  /// Calls `word` with each word of a text and `token` with each added token.
  void each_word(bool marked, std::string_view text, const std::function<void(std::string_view)>& word,
                 const std::function<void(std::int32_t)>& token) const {
    const auto words = [&](std::string_view part) { split_words(part, model.split, model.pattern, word); };
    const AddedTokens& cleaned_tokens = marked ? clean_marked : clean_plain;
    const auto raw = [&](std::string_view part) {
      std::string made;
      if (model.cleaning) {
        made = clean_text(part, *model.cleaning);
        part = made;
      } else if (count_invalid_utf8(part) > 0) {
        made = replace_invalid_utf8(part);
        part = made;
      }
      cleaned_tokens.empty() ? words(part) : cleaned_tokens.cut(part, words, token);
    };
    const AddedTokens& raw_tokens = marked ? raw_marked : raw_plain;
    raw_tokens.empty() ? raw(text) : raw_tokens.cut(text, raw, token);
  }

  WordModel model;
  std::vector<std::string> bytes, first_bytes;  // by id: behind other tokens, and at the beginning
  std::unordered_map<std::string_view, std::int32_t> ids;
  std::int32_t unknown = -1;
  std::optional<std::int32_t> boundary;
  std::vector<std::int32_t> before, behind;
  AddedTokens raw_plain, raw_marked, clean_plain, clean_marked;

 private:
  void index_pieces() {
    for (std::size_t id = 0; id < model.pieces.size(); ++id) {
      const std::string_view piece = model.pieces[id];
      if (piece.empty())
        refuse_words(fmt::format("a vocabulary of words must have no empty token; got one for {}.", id));
      if (!ids.emplace(piece, static_cast<std::int32_t>(id)).second) {
        refuse_words(fmt::format("every token must have a name of its own; got \"{}\" twice.", piece));
      }
      longest_ = std::max(longest_, piece.size());
      if (model.word_pieces && piece.starts_with(model.prefix)) {
        following_.emplace(piece.substr(model.prefix.size()), static_cast<std::int32_t>(id));
      }
    }
    const auto found = ids.find(model.unknown);
    if (found != ids.end()) unknown = found->second;
    if (unknown < 0 && model.word_pieces) {
      refuse_words(fmt::format("the vocabulary must have its unknown token, \"{}\".", model.unknown));
    }
  }

  void add(const AddedToken& token) {
    const bool known = token.id >= 0 && static_cast<std::size_t>(token.id) < model.pieces.size();
    if (!known || model.pieces[static_cast<std::size_t>(token.id)] != token.content) {
      refuse_words(fmt::format("an added token must be a token; got \"{}\" for id {}.", token.content, token.id));
    }
    AddedToken sought = token;
    sought.normalized = false;
    if (!token.normalized) {
      raw_.push_back(std::move(sought));
      return;
    }
    if (model.cleaning) sought.content = clean_text(token.content, *model.cleaning);
    if (!sought.content.empty()) cleaned_.push_back(std::move(sought));
  }

  /// Writes down what tokens stand for.
  void spell() {
    bytes = model.pieces;
    if (model.join != WordJoin::kFuse) {
      for (std::string& token : bytes) {
        const bool goes_on = model.join == WordJoin::kPieces && token.starts_with(model.prefix);
        goes_on ? token.erase(0, model.prefix.size()) : token.insert(0, 1, ' ');
      }
    }
    first_bytes = model.pieces;
    if (model.join == WordJoin::kPieces && model.tidy) {
      std::for_each(bytes.begin(), bytes.end(), tidy);
      std::for_each(first_bytes.begin(), first_bytes.end(), tidy);
    }
    for (const AddedToken& token : model.added) {
      if (!token.special || token.id == unknown) continue;
      bytes[static_cast<std::size_t>(token.id)].clear();
      first_bytes[static_cast<std::size_t>(token.id)].clear();
    }
  }

  [[nodiscard]] std::optional<std::int32_t> find_boundary() const {
    for (const std::string_view name : kDocumentEnds) {
      for (const AddedToken& token : model.added) {
        if (token.special && token.content == name) return token.id;
      }
    }
    return std::nullopt;
  }

  void encode_word(std::string_view word, std::vector<std::int32_t>& into, UnknownCharacter how) const {
    if (model.word_pieces ? spell_out(word, into) : look_up(word, into)) return;
    if (how == UnknownCharacter::kError || unknown < 0) throw_unknown_word(word);
    into.push_back(unknown);
  }

  bool look_up(std::string_view word, std::vector<std::int32_t>& into) const {
    const auto found = ids.find(word);
    if (found == ids.end()) return false;
    into.push_back(found->second);
    return true;
  }

  /// Takes the longest token again and again. @return false, and nothing is appended, when there is none somewhere.
  bool spell_out(std::string_view word, std::vector<std::int32_t>& into) const {
    const std::size_t before_word = into.size();
    if (static_cast<std::int64_t>(word.size()) > model.max_characters &&
        static_cast<std::int64_t>(count_characters(word)) > model.max_characters) {
      return false;
    }
    for (std::size_t begin = 0; begin < word.size();) {
      const auto& tokens = begin == 0 ? ids : following_;
      std::size_t length = std::min(word.size() - begin, longest_);
      auto found = tokens.find(word.substr(begin, length));
      while (found == tokens.end() && length > 1) found = tokens.find(word.substr(begin, --length));
      if (found == tokens.end() || length == 0) {
        into.resize(before_word);
        return false;
      }
      into.push_back(found->second);
      begin += length;
    }
    return true;
  }

  [[noreturn]] void throw_unknown_word(std::string_view word) const {
    constexpr std::size_t kShown = 40;
    std::size_t shown = std::min(word.size(), kShown);
    while (shown < word.size() && shown > 0 && (static_cast<std::uint8_t>(word[shown]) & 0xC0U) == 0x80U) --shown;
    throw DataError(fmt::format(
        "[tokenizer] every word must be in the vocabulary of {} tokens; got \"{}\"{}. Hint: {}.", model.pieces.size(),
        word.substr(0, shown), shown < word.size() ? "..." : "",
        unknown >= 0 ? fmt::format("replace what is unknown by {} (--unknown replace, or tokenizer.unknown = "
                                   "\"replace\"), or take a larger vocabulary",
                                   model.unknown)
                     : "this vocabulary has no token for unknown words"));
  }

  std::unordered_map<std::string_view, std::int32_t> following_;  // pieces that go on a word, without the prefix
  std::size_t longest_ = 0;                                       // bytes of a token
  std::vector<AddedToken> raw_, cleaned_;                         // looked for before and after cleaning
};

WordTokenizer::WordTokenizer(WordModel model) : parts_(std::make_unique<const Parts>(std::move(model))) {}

WordTokenizer::~WordTokenizer() = default;

const WordModel& WordTokenizer::model() const noexcept { return parts_->model; }

std::string_view WordTokenizer::name() const noexcept { return parts_->model.word_pieces ? "wordpiece" : "word"; }

std::int32_t WordTokenizer::vocab_size() const noexcept {
  return static_cast<std::int32_t>(parts_->model.pieces.size());
}

std::optional<std::int32_t> WordTokenizer::boundary_id() const noexcept { return parts_->boundary; }

std::optional<std::int32_t> WordTokenizer::begin_id() const noexcept {
  return parts_->before.empty() ? std::nullopt : std::optional(parts_->before.front());
}

std::optional<std::int32_t> WordTokenizer::fallback_id() const noexcept {
  return parts_->unknown < 0 ? std::nullopt : std::optional(parts_->unknown);
}

bool WordTokenizer::keeps_text() const noexcept { return parts_->model.keeps_text(); }

void WordTokenizer::encode_into(std::string_view text, std::vector<std::int32_t>& ids, UnknownCharacter unknown) const {
  parts_->encode(false, text, ids, unknown);
}

void WordTokenizer::encode_marked_into(std::string_view text, std::vector<std::int32_t>& ids,
                                       UnknownCharacter unknown) const {
  parts_->encode(true, text, ids, unknown);
}

const std::vector<std::int32_t>& WordTokenizer::before_text() const noexcept { return parts_->before; }
const std::vector<std::int32_t>& WordTokenizer::behind_text() const noexcept { return parts_->behind; }

UnknownText WordTokenizer::unknown_in(std::string_view text) const { return parts_->unknown_in(text); }

std::size_t WordTokenizer::cut_before(std::string_view text, std::size_t position) const {
  const WordModel& model = parts_->model;
  if (model.split == WordSplit::kPattern && model.pattern == SplitPattern::kNone) return 0;
  if (!parts_->clean_plain.empty()) return 0;  // where they stand shows only when the text is cleaned
  const auto cuts = [&](std::size_t at) { return cuts_words(text, at) && !parts_->raw_plain.touch(text, at); };
  while (position > 0 && !cuts(position)) --position;
  return position;
}

std::string_view WordTokenizer::bytes_of(std::int32_t id) const {
  check_id(id);
  return parts_->bytes[static_cast<std::size_t>(id)];
}

std::string_view WordTokenizer::first_bytes_of(std::int32_t id) const {
  check_id(id);
  return parts_->first_bytes[static_cast<std::size_t>(id)];
}

std::string WordTokenizer::piece_of(std::int32_t id) const {
  check_id(id);
  return parts_->model.pieces[static_cast<std::size_t>(id)];
}

std::optional<std::int32_t> WordTokenizer::id_of(std::string_view piece) const {
  const auto found = parts_->ids.find(piece);
  return found == parts_->ids.end() ? std::nullopt : std::optional(found->second);
}

std::string WordTokenizer::to_json() const { return write_word_json(parts_->model); }

}  // namespace minnow
