#include "text/bpe_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "minnow/base/error.hpp"
#include "minnow/base/parallel.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow {
namespace {

// What one thread encodes at a time; texts of two parts and more go to all threads.
constexpr std::size_t kEncoderPart = 1U << 16;
// Positions are 32 bits wide.
constexpr std::size_t kLongestPiece = (std::size_t{1} << 31U) - 2;

}  // namespace

/// A working memory, given back at the end.
class BpeEncoder::Loan {
 public:
  explicit Loan(const BpeEncoder& encoder) : encoder_(encoder) {
    const std::scoped_lock lock(encoder_.mutex_);
    if (encoder_.idle_.empty()) {
      scratch_ = std::make_unique<Scratch>();
    } else {
      scratch_ = std::move(encoder_.idle_.back());
      encoder_.idle_.pop_back();
    }
  }
  ~Loan() {
    const std::scoped_lock lock(encoder_.mutex_);
    encoder_.idle_.push_back(std::move(scratch_));
  }
  Loan(Loan&&) = delete;
  Loan& operator=(Loan&&) = delete;
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;

  Scratch& operator*() { return *scratch_; }

 private:
  const BpeEncoder& encoder_;
  std::unique_ptr<Scratch> scratch_;
};

BpeEncoder::BpeEncoder(const BpeModel& model, const std::vector<std::string>& bytes)
    : pattern_(model.pattern), pairs_(model.merges.size()), given_(model.pieces.size()) {
  // Of a merge that is there twice the last one counts, as in the library.
  for (std::size_t rank = model.merges.size(); rank-- > 0;) {
    const BpeMerge& merge = model.merges[rank];
    pairs_.insert(merge.left, merge.right, static_cast<std::uint32_t>(rank), merge.result);
    given_[static_cast<std::size_t>(merge.result)] = true;
  }
  std::vector<bool> special(model.pieces.size());
  for (const AddedToken& token : model.added) special[static_cast<std::size_t>(token.id)] = token.special;
  std::fill(std::begin(byte_ids_), std::end(byte_ids_), -1);
  if (model.characters) characters_.emplace(model);
  for (std::size_t id = 0; id < bytes.size(); ++id) {
    if (bytes[id].empty()) continue;
    given_[id] = given_[id] || (characters_ && characters_->gives(static_cast<std::int32_t>(id)));
    // A name that is not the one of its bytes was never made of bytes.
    if (!characters_ && piece_of_bytes(bytes[id]) != model.pieces[id]) continue;
    if (!characters_ && bytes[id].size() == 1) {
      byte_ids_[static_cast<std::uint8_t>(bytes[id][0])] = static_cast<std::int32_t>(id);
      given_[id] = true;
    } else if (model.ignore_merges && !special[id]) {
      whole_.emplace(characters_ ? model.pieces[id] : bytes[id], static_cast<std::int32_t>(id));
      given_[id] = true;
    }
  }
}

bool BpeEncoder::append_symbols(std::string_view piece, std::vector<std::int32_t>& symbols) const {
  if (characters_) return characters_->append(piece, symbols);
  bool known = true;
  for (const char byte : piece) {
    const std::int32_t id = byte_ids_[static_cast<std::uint8_t>(byte)];
    known = known && id >= 0;
    if (id >= 0) symbols.push_back(id);
  }
  return known;
}

const std::int32_t* BpeEncoder::whole_token(std::string_view piece) const {
  if (whole_.empty()) return nullptr;
  const auto found = characters_ ? whole_.find(with_signs(piece)) : whole_.find(piece);
  return found == whole_.end() ? nullptr : &found->second;
}

bool BpeEncoder::encode_piece(std::string_view piece, std::vector<std::int32_t>& ids, Scratch& scratch) const {
  PieceCache::Slot* slot = nullptr;
  if (piece.size() <= PieceCache::kMaxBytes) {
    slot = &scratch.cache.slot(piece);
    if (slot->holds(piece)) {
      ids.insert(ids.end(), slot->ids.begin(), slot->ids.begin() + slot->count);
      return true;
    }
  }
  std::vector<std::int32_t>& tokens = scratch.tokens;
  tokens.clear();
  bool known = true;
  if (const std::int32_t* const whole = whole_token(piece); whole != nullptr) {
    tokens.push_back(*whole);
  } else {
    known = append_symbols(piece, tokens);
    if (tokens.size() > 1) tokens.resize(merge_tokens(pairs_, tokens, scratch.merge));
  }
  ids.insert(ids.end(), tokens.begin(), tokens.end());
  if (slot != nullptr && known && tokens.size() <= PieceCache::kMaxIds) slot->keep(piece, tokens);
  return known;
}

std::size_t BpeEncoder::encode_part(std::string_view text, std::vector<std::int32_t>& ids, Scratch& scratch) const {
  std::size_t unknown = std::string_view::npos;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = characters_ ? characters_->piece_end(text, begin) : piece_end(pattern_, text, begin);
    if (end - begin > kLongestPiece) {
      throw DataError("[tokenizer] a text that is not split must be shorter than 2 GiB. Hint: give it in parts.");
    }
    const std::string_view piece = text.substr(begin, end - begin);
    if (!encode_piece(piece, ids, scratch) && unknown == std::string_view::npos) {
      unknown = begin + first_unknown_in(piece);
    }
    begin = end;
  }
  return unknown;
}

std::size_t BpeEncoder::first_unknown_in(std::string_view piece) const {
  if (characters_) return characters_->first_unknown(piece);
  const auto lacks = [&](char byte) { return byte_ids_[static_cast<std::uint8_t>(byte)] < 0; };
  return static_cast<std::size_t>(std::find_if(piece.begin(), piece.end(), lacks) - piece.begin());
}

bool BpeEncoder::has_all() const {
  if (characters_) return characters_->has_all();
  return std::none_of(std::begin(byte_ids_), std::end(byte_ids_), [](std::int32_t id) { return id < 0; });
}

UnknownText BpeEncoder::unknown_in(std::string_view text) const {
  if (characters_) return characters_->unknown_in(text);
  const std::int64_t lacking = std::count_if(
      text.begin(), text.end(), [this](char byte) { return byte_ids_[static_cast<std::uint8_t>(byte)] < 0; });
  return {.characters = lacking, .bytes = lacking};
}

bool BpeEncoder::cuts(std::string_view text, std::size_t position) const {
  if (characters_) return characters_->cuts(text, position);
  return pattern_ != SplitPattern::kNone && always_cuts(text, position);
}

/// @return where the text can be cut, each at most at a multiple of kEncoderPart; its size at last.
std::vector<std::size_t> BpeEncoder::cuts_of(std::string_view text) const {
  std::vector<std::size_t> cuts_found;
  if (characters_ || pattern_ != SplitPattern::kNone) {
    for (std::size_t target = kEncoderPart; target < text.size(); target += kEncoderPart) {
      std::size_t cut = target;
      while (cut > target - kEncoderPart && !cuts(text, cut)) --cut;
      if (cut > target - kEncoderPart) cuts_found.push_back(cut);
    }
  }
  cuts_found.push_back(text.size());
  return cuts_found;
}

void BpeEncoder::refuse_unknown(std::string_view text, std::size_t position) const {
  const Utf8Step step = read_utf8(text, position);
  if (characters_ && step.valid) {
    throw DataError(
        fmt::format("[tokenizer] text must be of characters that the vocabulary has; got {} at byte {}. Hint: replace "
                    "what is unknown (--unknown replace, or tokenizer.unknown = \"replace\").",
                    describe_character(step.code_point), position));
  }
  throw DataError(
      fmt::format("[tokenizer] text must be of bytes that the vocabulary has; got the byte 0x{:02X} at byte {}. Hint: "
                  "tokenizer.unknown = \"replace\" leaves such bytes out.",
                  static_cast<std::uint8_t>(text[position]), position));
}

std::size_t BpeEncoder::encode_on_all_threads(std::string_view text, std::vector<std::int32_t>& ids) const {
  const std::vector<std::size_t> cuts = cuts_of(text);
  std::vector<std::vector<std::int32_t>> parts(cuts.size());
  std::vector<std::size_t> unknowns(cuts.size());
  parallel_chunks(static_cast<Index>(cuts.size()), [&](Index chunk) {
    const auto k = static_cast<std::size_t>(chunk);
    const std::size_t begin = k == 0 ? 0 : cuts[k - 1];
    Loan scratch(*this);
    parts[k].reserve((cuts[k] - begin) / 3);
    unknowns[k] = encode_part(text.substr(begin, cuts[k] - begin), parts[k], *scratch);
    if (unknowns[k] != std::string_view::npos) unknowns[k] += begin;
  });
  std::size_t total = ids.size();
  for (const auto& part : parts) total += part.size();
  ids.reserve(total);
  for (const auto& part : parts) ids.insert(ids.end(), part.begin(), part.end());
  return *std::min_element(unknowns.begin(), unknowns.end());
}

void BpeEncoder::encode(std::string_view text, std::vector<std::int32_t>& ids, UnknownCharacter unknown,
                        bool prefix) const {
  if (text.empty()) return;
  std::string prefixed;
  if (prefix) text = prefixed.append(" ").append(text);
  std::size_t first_unknown = 0;
  if (text.size() >= 2 * kEncoderPart) {
    first_unknown = encode_on_all_threads(text, ids);
  } else {
    Loan scratch(*this);
    first_unknown = encode_part(text, ids, *scratch);
  }
  if (first_unknown == std::string_view::npos || unknown == UnknownCharacter::kReplace) return;
  const std::size_t added = prefix ? 1 : 0;
  refuse_unknown(text.substr(added), first_unknown - std::min(first_unknown, added));
}

}  // namespace minnow
