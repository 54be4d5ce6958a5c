#include "minnow/text/bpe_tokenizer.hpp"

#include <fmt/format.h>

#include <charconv>
#include <unordered_map>

#include "minnow/base/error.hpp"
#include "text/added_tokens.hpp"
#include "text/bpe_encoder.hpp"
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
    plain = AddedTokens(model.added, false);
    marked = AddedTokens(model.added, true);
  }

  [[nodiscard]] std::optional<std::int32_t> gap_named(std::string_view name) const {
    if (!name.starts_with(kGapName)) return std::nullopt;
    std::int32_t id = -1;
    std::from_chars(name.data() + kGapName.size(), name.data() + name.size(), id);
    const bool inside = id >= 0 && static_cast<std::size_t>(id) < model.pieces.size();
    const bool gap = inside && model.pieces[static_cast<std::size_t>(id)].empty() && name_of_gap(id) == name;
    return gap ? std::optional(id) : std::nullopt;
  }

  void encode(const AddedTokens& added, std::string_view text, std::vector<std::int32_t>& into,
              UnknownCharacter unknown) const {
    if (added.empty()) {
      encoder.encode(text, into, unknown);
      return;
    }
    added.cut(
        text, [&](std::string_view part) { encoder.encode(part, into, unknown); },
        [&](std::int32_t id) { into.push_back(id); });
  }

  BpeModel model;
  std::vector<std::string> bytes;  // by id
  BpeEncoder encoder;
  std::optional<std::int32_t> boundary;
  std::vector<std::int32_t> before;  // what the post-processor puts before a text
  std::unordered_map<std::string_view, std::int32_t> ids;
  AddedTokens plain, marked;

 private:
  /// Checks what everything else relies on.
  static std::vector<std::string> bytes_of_model(const BpeModel& model) {
    std::vector<std::string> result;
    result.reserve(model.pieces.size());
    for (const std::string& piece : model.pieces) result.push_back(bytes_of_piece(piece));
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
      if (bytes.size() > 1 && !made[static_cast<std::size_t>(token.id)]) bytes = token.content;
    }
    return result;
  }
};

BpeTokenizer::BpeTokenizer(BpeModel model) : parts_(std::make_unique<const Parts>(std::move(model))) {}

BpeTokenizer::~BpeTokenizer() = default;

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
  if (parts_->encoder.has_all_bytes()) return unknown;
  const auto count = [&](std::string_view part) { unknown.characters += parts_->encoder.unknown_bytes(part); };
  if (parts_->plain.empty()) {
    count(text);
  } else {
    parts_->plain.cut(text, count, [](std::int32_t) {});
  }
  unknown.bytes = unknown.characters;
  return unknown;
}

std::size_t BpeTokenizer::cut_before(std::string_view text, std::size_t position) const {
  if (parts_->model.pattern == SplitPattern::kNone || parts_->model.add_prefix_space) return 0;
  while (position > 0 && (!always_cuts(text, position) || parts_->plain.touch(text, position))) --position;
  return position;
}

std::string_view BpeTokenizer::bytes_of(std::int32_t id) const {
  check_id(id);
  return parts_->bytes[static_cast<std::size_t>(id)];
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
