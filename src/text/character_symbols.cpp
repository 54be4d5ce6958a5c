#include "text/character_symbols.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace minnow {
namespace {

constexpr char32_t kSignCodePoint = 0x2581;
// Merges stand behind those that make their halves, so that one pass is enough; files of another order are not cut.
constexpr int kMostPasses = 4;

/// @return where the character before `position` (> 0) begins.
std::size_t character_before(std::string_view text, std::size_t position) {
  for (std::size_t length = std::min<std::size_t>(4, position); length > 1; --length) {
    const Utf8Step step = read_utf8(text, position - length);
    if (step.valid && step.length == length) return position - length;
  }
  return position - 1;
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string made;
  made.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const bool here = text.substr(at, from.size()) == from;
    made += here ? to : text.substr(at, 1);
    at += here ? from.size() : 1;
  }
  return made;
}

/// The symbols that tokens begin and end with. A token that may be made of several is kMany.
class Ends {
 public:
  static constexpr std::int32_t kNone = -1, kMany = -2;

  explicit Ends(std::size_t tokens) : first(tokens, kNone), last(tokens, kNone) {}

  void put(std::int32_t id, std::int32_t first_symbol, std::int32_t last_symbol) {
    changed_ = join(first[at(id)], first_symbol) || changed_;
    changed_ = join(last[at(id)], last_symbol) || changed_;
  }
  /// @return whether anything changed since the last call.
  bool settle() { return std::exchange(changed_, false); }
  static std::size_t at(std::int32_t id) { return static_cast<std::size_t>(id); }

  std::vector<std::int32_t> first, last;

 private:
  static bool join(std::int32_t& old, std::int32_t found) {
    const std::int32_t now = old == kNone || found == old ? found : kMany;
    return found != kNone && std::exchange(old, now) != now;
  }

  bool changed_ = false;
};

}  // namespace

std::string with_blanks(std::string_view text) { return replaced(text, kBlankSign, " "); }

std::string with_signs(std::string_view text) { return replaced(text, " ", kBlankSign); }

bool begins_blank(std::string_view text) { return text.starts_with(' ') || text.starts_with(kBlankSign); }

int byte_of_name(std::string_view name) {
  if (name.size() != 6 || !name.starts_with("<0x") || name[5] != '>') return -1;
  int byte = -1;
  const char* const end = name.data() + 5;
  const auto read = std::from_chars(name.data() + 3, end, byte, 16);
  return read.ec == std::errc() && read.ptr == end && byte >= 0 ? byte : -1;
}

CharacterSymbols::CharacterSymbols(const BpeModel& model)
    : model_(model), symbols_(model.pieces.size()), joins_(model.pieces.size()) {
  number_symbols();
  // A piece that is a token as a whole must not be cut.
  cuts_ = model.characters->splits || (sign_ >= 0 && !model.ignore_merges);
  if (cuts_ && !model.characters->splits) find_joins();
}

void CharacterSymbols::number_symbols() {
  byte_ids_.fill(-1);
  std::vector<bool> special(model_.pieces.size());
  for (const AddedToken& token : model_.added) special[static_cast<std::size_t>(token.id)] = token.special;
  for (std::size_t id = 0; id < model_.pieces.size(); ++id) {
    const std::string& piece = model_.pieces[id];
    if (piece.empty()) continue;
    const int byte = byte_of_name(piece);
    if (byte >= 0 && model_.characters->byte_fallback && fmt::format("<0x{:02X}>", byte) == piece) {
      byte_ids_[static_cast<std::size_t>(byte)] = static_cast<std::int32_t>(id);
      symbols_[id] = true;
    }
    const Utf8Step step = read_utf8(piece, 0);
    if (!step.valid || step.length != piece.size() || special[id]) continue;
    if (step.code_point >= ids_.size()) ids_.resize(step.code_point + 1, -1);
    ids_[step.code_point] = static_cast<std::int32_t>(id);
    symbols_[id] = true;
  }
  sign_ = id_of(kSignCodePoint);
  if (ids_.size() > ' ') ids_[' '] = sign_;
  has_all_ = std::none_of(byte_ids_.begin(), byte_ids_.end(), [](std::int32_t id) { return id < 0; });
}

void CharacterSymbols::find_joins() {
  Ends ends(model_.pieces.size());
  const std::int32_t unknown = model_.characters->unknown;
  for (std::int32_t id = 0; id < static_cast<std::int32_t>(model_.pieces.size()); ++id) {
    if (gives(id) || id == unknown) ends.put(id, id, id);
  }
  int passes = 0;
  for (; ends.settle() && passes < kMostPasses; ++passes) {
    for (const BpeMerge& merge : model_.merges) {
      if (ends.first[Ends::at(merge.left)] == Ends::kNone || ends.first[Ends::at(merge.right)] == Ends::kNone) continue;
      ends.put(merge.result, ends.first[Ends::at(merge.left)], ends.last[Ends::at(merge.right)]);
    }
  }
  cuts_ = passes < kMostPasses;
  others_join_ = unknown < 0 && !has_all_;  // left out: what stood before it may be anything
  for (const BpeMerge& merge : model_.merges) {
    const std::int32_t left = ends.last[Ends::at(merge.left)], right = ends.first[Ends::at(merge.right)];
    if (right != sign_ && right != Ends::kMany) continue;
    if (left == Ends::kMany) cuts_ = false;
    if (left < 0) continue;
    joins_[Ends::at(left)] = true;
    const bool byte = std::find(byte_ids_.begin(), byte_ids_.end(), left) != byte_ids_.end();
    others_join_ = others_join_ || byte || left == unknown;
  }
}

std::int32_t CharacterSymbols::id_of(char32_t character) const {
  return character < ids_.size() ? ids_[character] : -1;
}

bool CharacterSymbols::have_bytes(std::string_view bytes) const {
  return std::all_of(bytes.begin(), bytes.end(),
                     [&](char byte) { return byte_ids_[static_cast<std::uint8_t>(byte)] >= 0; });
}

CharacterSymbols::Found CharacterSymbols::find(std::string_view text, std::size_t position) const {
  Found found;
  found.step = read_utf8(text, position);
  found.bytes = text.substr(position, found.step.length);
  if (found.step.valid) {
    found.id = id_of(found.step.code_point);
    if (found.id >= 0) return found;
    if (found.step.code_point == ' ') found.bytes = kBlankSign;
  }
  found.by_bytes = have_bytes(found.bytes);
  if (!found.step.valid && !found.by_bytes) {
    constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
    found.id = id_of(kReplacementCharacter);
    found.bytes = kReplacement;
    found.by_bytes = found.id < 0 && have_bytes(kReplacement);
    found.replaced = found.known();
  }
  return found;
}

bool CharacterSymbols::cuts(std::string_view text, std::size_t position) const {
  if (!cuts_ || !begins_blank(text.substr(position))) return false;
  if (model_.characters->splits) return true;
  const Found before = find(text, character_before(text, position));
  return before.id >= 0 ? !joins_[static_cast<std::size_t>(before.id)] : !others_join_;
}

std::size_t CharacterSymbols::piece_end(std::string_view text, std::size_t begin) const {
  if (!cuts_) return text.size();
  for (std::size_t at = begin + 1; at < text.size(); ++at) {
    if ((text[at] == ' ' || text[at] == kBlankSign[0]) && cuts(text, at)) return at;
  }
  return text.size();
}

bool CharacterSymbols::append(std::string_view piece, std::vector<std::int32_t>& symbols) const {
  const std::int32_t unknown = model_.characters->unknown;
  bool known = true, waits = false;  // an unknown token waits for the next known character, bytes go before it
  for (std::size_t at = 0; at < piece.size();) {
    const Found found = find(piece, at);
    at += found.step.length;
    if (found.id >= 0) {
      if (std::exchange(waits, false)) symbols.push_back(unknown);
      symbols.push_back(found.id);
    } else if (found.by_bytes) {
      for (const char byte : found.bytes) symbols.push_back(byte_ids_[static_cast<std::uint8_t>(byte)]);
    } else {
      known = false;
      if (waits && !model_.characters->fuse_unknown) symbols.push_back(unknown);
      waits = unknown >= 0;
    }
  }
  if (waits) symbols.push_back(unknown);
  return known;
}

std::size_t CharacterSymbols::first_unknown(std::string_view text) const {
  for (std::size_t at = 0; at < text.size();) {
    const Found found = find(text, at);
    if (!found.known()) return at;
    at += found.step.length;
  }
  return std::string_view::npos;
}

UnknownText CharacterSymbols::unknown_in(std::string_view text) const {
  UnknownText unknown;
  if (has_all_) return unknown;
  for (std::size_t at = 0; at < text.size();) {
    const Found found = find(text, at);
    at += found.step.length;
    unknown.characters += found.known() ? 0 : 1;
    unknown.ill_formed += found.replaced ? 1 : 0;
    unknown.bytes += found.known() && !found.replaced ? 0 : static_cast<std::int64_t>(found.step.length);
  }
  return unknown;
}

}  // namespace minnow
