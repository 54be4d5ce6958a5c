#include "data/text_block.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "minnow/base/error.hpp"
#include "minnow/base/parallel.hpp"

namespace minnow {
namespace {

constexpr std::size_t kBlockBytes = 4U << 20;  // of text, encoded at once
constexpr std::size_t kGroupBytes = 1U << 16;  // of text, for one task of a thread

}  // namespace

bool TextBlock::read(TextReader& reader) {
  text_.clear();
  pieces_.clear();
  groups_ = 0;
  std::size_t in_group = 0;
  TextPiece piece;
  while (text_.size() < kBlockBytes && reader.next(piece)) {
    if (in_group >= kGroupBytes) {
      ++groups_;
      in_group = 0;
    }
    pieces_.push_back({text_.size(), piece.text.size(), groups_, piece, 0, 0, {}});
    text_ += piece.text;
    in_group += piece.text.size();
  }
  if (!pieces_.empty()) ++groups_;
  return !pieces_.empty();
}

void TextBlock::encode(const Tokenizer& tokenizer, UnknownCharacter unknown, const TextReader& reader) {
  std::vector<std::string> errors(groups_);  // the first one is told, whatever the threads do
  ids_.resize(std::max(ids_.size(), groups_));
  std::vector<std::size_t> first(groups_ + 1, pieces_.size());
  for (std::size_t i = pieces_.size(); i-- > 0;) first[pieces_[i].group] = i;
  parallel_chunks(static_cast<Index>(groups_), [&](Index chunk) {
    const auto group = static_cast<std::size_t>(chunk);
    std::vector<std::int32_t>& ids = ids_[group];
    ids.clear();
    for (std::size_t i = first[group]; i < first[group + 1]; ++i) {
      pieces_[i].first_id = ids.size();
      try {
        tokenizer.encode_into(text(pieces_[i]), ids, unknown);
      } catch (const DataError& error) {
        errors[group] = fmt::format("{} (In {}.)", error.what(), reader.place_of(pieces_[i].place));
        return;
      }
      pieces_[i].unknown = tokenizer.unknown_in(text(pieces_[i]));
      pieces_[i].ids = ids.size() - pieces_[i].first_id;
    }
  });
  for (const std::string& error : errors) {
    if (!error.empty()) throw DataError(error);
  }
}

}  // namespace minnow
