#include "minnow/text/bpe_tokenizer.hpp"

#include <fmt/format.h>

#include <charconv>
#include <unordered_map>

#include "minnow/base/error.hpp"
#include "text/added_tokens.hpp"
#include "text/bpe_encoder.hpp"
#include "text/character_symbols.hpp"
#include "text/text_frame.hpp"
#include "text/tokenizer_json.hpp"

namespace minnow {
namespace {

constexpr std::string_view kEnds[] = {kBoundaryPiece, "<|end_of_text|>", "</s>", "<eos>"};

std::optional<std::int32_t> boundary_of(const std::vector<AddedToken>& added) {
  std::vector<const AddedToken*> special;
  for (const AddedToken& token : added) {
    if (token.special) special.push_back(&token);
  }
  for (const std::string_view name : kEnds) {
    for (const AddedToken* token : special) {
      if (token->content == name) return token->id;
    }
  }
  return special.size() == 1 ? std::optional(special.front()->id) : std::nullopt;
}

constexpr std::string_view kGapName = "<|no token ";

std::string name_of_gap(std::int32_t id) { return fmt::format("{}{}|>", kGapName, id); }

[[noreturn]] void refuse_model(const std::string& what) { throw DataError("[tokenizer] " + what); }

bool is_token(const BpeModel& model, std::int32_t id) {
  return id >= 0 && static_cast<std::size_t>(id) < model.pieces.size() &&
         !model.pieces[static_cast<std::size_t>(id)].empty();
}

}  // namespace

class BpeTokenizer::Parts {
 public:
  explicit Parts(BpeModel given)
      : model(std::move(given)),
        bytes(bytes_of_model(model)),
        encoder(model, bytes),
        among_signs(tokens_among_signs(model)),
        boundary(boundary_of(model.added)),
        before(frame_of(model.post_processor, model.pieces.size()).before) {
    for (std::size_t id = 0; id < model.pieces.size(); ++id) {
      if (model.pieces[id].empty()) continue;
      if (model.pieces[id].starts_with(kGapName)) {
        refuse_model(fmt::format("no token may be named as gaps are; got \"{}\".", model.pieces[id]));
      }
      if (!ids.emplace(model.pieces[id], static_cast<std::int32_t>(id)).second) {
        refuse_model(fmt::format("every token must have a name of its own; got \"{}\" twice.", model.pieces[id]));
      }
    }
    for (const AddedToken& token : model.added) {
      // What merging gives must come back as text, whatever else it is.
      if (token.special && !encoder.can_give(token.id)) bytes[static_cast<std::size_t>(token.id)].clear();
    }
    for (const AddedToken& token : model.added) {
      if (!token.normalized || !looks_among_signs(model)) in_text.push_back(token);
    }
    // The library decodes these as it looks for them.
    for (const AddedToken& token : among_signs) {
      if (!token.special) bytes[static_cast<std::size_t>(token.id)] = with_blanks(token.content);
    }
    plain = {AddedTokens(in_text, false), AddedTokens(among_signs, false)};
    marked = {AddedTokens(in_text, true), AddedTokens(among_signs, true)};
  }

  /// Finds added tokens: in the text, then in what a normalizer makes of the rest.
  struct Finder {
    AddedTokens in_text, among_signs;
  };

  [[nodiscard]] std::optional<std::int32_t> gap_named(std::string_view name) const {
    if (!name.starts_with(kGapName)) return std::nullopt;
    std::int32_t id = -1;
    std::from_chars(name.data() + kGapName.size(), name.data() + name.size(), id);
    const bool inside = id >= 0 && static_cast<std::size_t>(id) < model.pieces.size();
    const bool gap = inside && model.pieces[static_cast<std::size_t>(id)].empty() && name_of_gap(id) == name;
    return gap ? std::optional(id) : std::nullopt;
  }

  /// Calls `plain_text` with each stretch between added tokens, and whether a blank goes before it, and `id` with each.
  template <class PlainText, class Id>
  void cut(const Finder& finder, std::string_view text, const PlainText& plain_text, const Id& id) const {
    const auto stretch = [&](std::string_view part) {
      const bool prefix = prefixes(part, part.data() == text.data());
      if (finder.among_signs.empty()) return plain_text(part, prefix);
      const std::string normal = (prefix ? std::string(kBlankSign) : "") + with_signs(part);
      finder.among_signs.cut(
          normal, [&](std::string_view rest) { plain_text(rest, false); }, id);
    };
    if (text.empty()) return;
    if (finder.in_text.empty()) return stretch(text);
    finder.in_text.cut(text, stretch, id);
  }

  void encode(const Finder& finder, std::string_view text, std::vector<std::int32_t>& into,
              UnknownCharacter unknown) const {
    cut(
        finder, text, [&](std::string_view part, bool prefix) { encoder.encode(part, into, unknown, prefix); },
        [&](std::int32_t id) { into.push_back(id); });
  }

  BpeModel model;
  std::vector<std::string> bytes;  // by id
  BpeEncoder encoder;
  std::vector<AddedToken> in_text, among_signs;  // by where they are looked for
  std::optional<std::int32_t> boundary;
  std::vector<std::int32_t> before;  // what the post-processor puts before a text
  std::unordered_map<std::string_view, std::int32_t> ids;
  Finder plain, marked;

 private:
  [[nodiscard]] bool prefixes(std::string_view part, bool at_start) const {
    if (!model.characters) return model.add_prefix_space && part.front() != ' ';
    switch (model.characters->prefix) {
      case BpeCharacters::Prefix::kNever:
        return false;
      case BpeCharacters::Prefix::kAlways:
        return true;
      case BpeCharacters::Prefix::kUnlessThere:
        return !begins_blank(part);
      case BpeCharacters::Prefix::kUnlessThereAtStart:
        return at_start && !begins_blank(part);
    }
    return false;
  }

  static bool looks_among_signs(const BpeModel& model) { return model.characters && model.characters->normalizes; }

  /// The library normalizes these tokens, too.
  static std::vector<AddedToken> tokens_among_signs(const BpeModel& model) {
    std::vector<AddedToken> tokens;
    if (!looks_among_signs(model)) return tokens;
    for (AddedToken token : model.added) {
      if (!token.normalized) continue;
      token.content = with_signs(token.content);
      if (model.characters->prefix == BpeCharacters::Prefix::kAlways) token.content.insert(0, kBlankSign);
      tokens.push_back(std::move(token));
    }
    return tokens;
  }

  /// @return what a token of a vocabulary of characters decodes to.
  static std::string text_of_piece(const BpeCharacters& characters, const std::string& piece) {
    const int byte = characters.byte_names ? byte_of_name(piece) : -1;
    return byte < 0 ? with_blanks(piece) : std::string(1, static_cast<char>(byte));
  }

  /// Checks what everything else relies on.
  static std::vector<std::string> bytes_of_model(const BpeModel& model) {
    std::vector<std::string> result;
    result.reserve(model.pieces.size());
    for (const std::string& piece : model.pieces) {
      result.push_back(model.characters ? text_of_piece(*model.characters, piece) : bytes_of_piece(piece));
    }
    for (const BpeMerge& merge : model.merges) {
      const bool known = is_token(model, merge.left) && is_token(model, merge.right) && is_token(model, merge.result);
      const auto name = [&](std::int32_t id) -> const std::string& {
        return model.pieces[static_cast<std::size_t>(id)];
      };
      if (!known || name(merge.left) + name(merge.right) != name(merge.result)) {
        refuse_model(fmt::format("a merge must make a token of two; got {} and {} to {}.", merge.left, merge.right,
                                 merge.result));
      }
    }
    if (model.add_prefix_space && model.pattern != SplitPattern::kGpt2 && model.pattern != SplitPattern::kNone) {
      refuse_model(fmt::format("add_prefix_space must be false with the pattern {}.", split_name(model.pattern)));
    }
    std::vector<bool> made(model.pieces.size());
    for (const BpeMerge& merge : model.merges) made[static_cast<std::size_t>(merge.result)] = true;
    for (const AddedToken& token : model.added) {
      if (!is_token(model, token.id) || model.pieces[static_cast<std::size_t>(token.id)] != token.content) {
        refuse_model(fmt::format("an added token must be a token; got \"{}\" for id {}.", token.content, token.id));
      }
      // What merging gives stays what it is made of.
      std::string& bytes = result[static_cast<std::size_t>(token.id)];
      if (!model.characters && bytes.size() > 1 && !made[static_cast<std::size_t>(token.id)]) bytes = token.content;
    }
    return result;
  }
};

BpeTokenizer::BpeTokenizer(BpeModel model) : parts_(std::make_unique<const Parts>(std::move(model))) {}

BpeTokenizer::~BpeTokenizer() = default;

std::optional<std::int32_t> BpeTokenizer::fallback_id() const noexcept {
  const auto& characters = parts_->model.characters;
  return characters && characters->unknown >= 0 ? std::optional(characters->unknown) : std::nullopt;
}

std::optional<std::int32_t> BpeTokenizer::begin_id() const noexcept {
  return parts_->before.empty() ? std::nullopt : std::optional(parts_->before.front());
}

const BpeModel& BpeTokenizer::model() const noexcept { return parts_->model; }

std::int32_t BpeTokenizer::vocab_size() const noexcept {
  return static_cast<std::int32_t>(parts_->model.pieces.size());
}

std::optional<std::int32_t> BpeTokenizer::boundary_id() const noexcept { return parts_->boundary; }

void BpeTokenizer::encode_into(std::string_view text, std::vector<std::int32_t>& ids, UnknownCharacter unknown) const {
  parts_->encode(parts_->plain, text, ids, unknown);
}

void BpeTokenizer::encode_marked_into(std::string_view text, std::vector<std::int32_t>& ids,
                                      UnknownCharacter unknown) const {
  parts_->encode(parts_->marked, text, ids, unknown);
}

UnknownText BpeTokenizer::unknown_in(std::string_view text) const {
  UnknownText unknown;
  if (parts_->encoder.has_all()) return unknown;
  parts_->cut(
      parts_->plain, text, [&](std::string_view part, bool) { unknown += parts_->encoder.unknown_in(part); },
      [](std::int32_t) {});
  return unknown;
}

std::size_t BpeTokenizer::cut_before(std::string_view text, std::size_t position) const {
  const BpeModel& model = parts_->model;
  const bool prefixed =
      model.characters ? model.characters->prefix != BpeCharacters::Prefix::kNever : model.add_prefix_space;
  if (prefixed || !parts_->plain.among_signs.empty()) return 0;
  if (!model.characters && model.pattern == SplitPattern::kNone) return 0;
  const auto fits = [&](std::size_t at) {
    return parts_->encoder.cuts(text, at) && !parts_->plain.in_text.touch(text, at);
  };
  while (position > 0 && !fits(position)) --position;
  return position;
}

std::string_view BpeTokenizer::bytes_of(std::int32_t id) const {
  check_id(id);
  return parts_->bytes[static_cast<std::size_t>(id)];
}

std::string_view BpeTokenizer::first_bytes_of(std::int32_t id) const {
  const std::string_view bytes = bytes_of(id);
  const bool drops = parts_->model.characters && parts_->model.characters->drops_blank && bytes.starts_with(' ');
  return bytes.substr(drops ? 1 : 0);
}

std::string BpeTokenizer::piece_of(std::int32_t id) const {
  check_id(id);
  const std::string& piece = parts_->model.pieces[static_cast<std::size_t>(id)];
  return piece.empty() ? name_of_gap(id) : piece;
}

std::optional<std::int32_t> BpeTokenizer::id_of(std::string_view piece) const {
  if (const auto found = parts_->ids.find(piece); found != parts_->ids.end()) return found->second;
  return parts_->gap_named(piece);
}

std::string BpeTokenizer::to_json() const { return write_bpe_json(parts_->model); }

}  // namespace minnow
