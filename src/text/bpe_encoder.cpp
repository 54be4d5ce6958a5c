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

/// @return where the text can be cut, each at most at a multiple of kEncoderPart; its size at last.
std::vector<std::size_t> cuts_of(std::string_view text, SplitPattern pattern) {
  std::vector<std::size_t> cuts;
  if (pattern != SplitPattern::kNone) {
    for (std::size_t target = kEncoderPart; target < text.size(); target += kEncoderPart) {
      std::size_t cut = target;
      while (cut > target - kEncoderPart && !always_cuts(text, cut)) --cut;
      if (cut > target - kEncoderPart) cuts.push_back(cut);
    }
  }
  cuts.push_back(text.size());
  return cuts;
}

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
    : pattern_(model.pattern),
      add_prefix_space_(model.add_prefix_space),
      pairs_(model.merges.size()),
      given_(model.pieces.size()) {
  // Of a merge that is there twice the last one counts, as in the library.
  for (std::size_t rank = model.merges.size(); rank-- > 0;) {
    const BpeMerge& merge = model.merges[rank];
    pairs_.insert(merge.left, merge.right, static_cast<std::uint32_t>(rank), merge.result);
    given_[static_cast<std::size_t>(merge.result)] = true;
  }
  std::vector<bool> special(model.pieces.size());
  for (const AddedToken& token : model.added) special[static_cast<std::size_t>(token.id)] = token.special;
  std::fill(std::begin(byte_ids_), std::end(byte_ids_), -1);
  for (std::size_t id = 0; id < bytes.size(); ++id) {
    // A name that is not the one of its bytes was never made of bytes.
    if (bytes[id].empty() || piece_of_bytes(bytes[id]) != model.pieces[id]) continue;
    if (bytes[id].size() == 1) {
      byte_ids_[static_cast<std::uint8_t>(bytes[id][0])] = static_cast<std::int32_t>(id);
      given_[id] = true;
    } else if (model.ignore_merges && !special[id]) {
      whole_.emplace(bytes[id], static_cast<std::int32_t>(id));
      given_[id] = true;
    }
  }
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
  if (const auto found = whole_.find(piece); found != whole_.end()) {
    tokens.push_back(found->second);
  } else {
    for (const char byte : piece) {
      const std::int32_t id = byte_ids_[static_cast<std::uint8_t>(byte)];
      known = known && id >= 0;
      if (id >= 0) tokens.push_back(id);
    }
    if (tokens.size() > 1) tokens.resize(merge_tokens(pairs_, tokens, scratch.merge));
  }
  ids.insert(ids.end(), tokens.begin(), tokens.end());
  if (slot != nullptr && known && tokens.size() <= PieceCache::kMaxIds) slot->keep(piece, tokens);
  return known;
}

std::size_t BpeEncoder::encode_part(std::string_view text, std::vector<std::int32_t>& ids, Scratch& scratch) const {
  std::size_t unknown = std::string_view::npos;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = piece_end(pattern_, text, begin);
    if (end - begin > kLongestPiece) {
      throw DataError("[tokenizer] a text that is not split must be shorter than 2 GiB. Hint: give it in parts.");
    }
    const std::string_view piece = text.substr(begin, end - begin);
    if (!encode_piece(piece, ids, scratch) && unknown == std::string_view::npos) {
      const auto lacks = [&](char byte) { return byte_ids_[static_cast<std::uint8_t>(byte)] < 0; };
      unknown = begin + static_cast<std::size_t>(std::find_if(piece.begin(), piece.end(), lacks) - piece.begin());
    }
    begin = end;
  }
  return unknown;
}

bool BpeEncoder::has_all_bytes() const {
  return std::none_of(std::begin(byte_ids_), std::end(byte_ids_), [](std::int32_t id) { return id < 0; });
}

std::int64_t BpeEncoder::unknown_bytes(std::string_view text) const {
  return std::count_if(text.begin(), text.end(),
                       [this](char byte) { return byte_ids_[static_cast<std::uint8_t>(byte)] < 0; });
}

void BpeEncoder::check_known(std::string_view text, std::size_t first_unknown, UnknownCharacter unknown) const {
  if (first_unknown == std::string_view::npos || unknown == UnknownCharacter::kReplace) return;
  throw DataError(
      fmt::format("[tokenizer] text must be of bytes that the vocabulary has; got the byte 0x{:02X} at byte {}. Hint: "
                  "tokenizer.unknown = \"replace\" leaves such bytes out.",
                  static_cast<std::uint8_t>(text[first_unknown]), first_unknown));
}

void BpeEncoder::encode_on_all_threads(std::string_view text, std::vector<std::int32_t>& ids,
                                       UnknownCharacter unknown) const {
  const std::vector<std::size_t> cuts = cuts_of(text, pattern_);
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
  check_known(text, *std::min_element(unknowns.begin(), unknowns.end()), unknown);
}

void BpeEncoder::encode(std::string_view text, std::vector<std::int32_t>& ids, UnknownCharacter unknown) const {
  if (text.empty()) return;
  std::string prefixed;
  if (add_prefix_space_ && text.front() != ' ') text = prefixed.append(" ").append(text);
  if (text.size() >= 2 * kEncoderPart) {
    encode_on_all_threads(text, ids, unknown);
    return;
  }
  Loan scratch(*this);
  check_known(text, encode_part(text, ids, *scratch), unknown);
}

}  // namespace minnow
