#pragma once
/// @file
/// Turns text between added tokens into ids.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "minnow/text/bpe_model.hpp"
#include "minnow/text/tokenizer.hpp"
#include "text/bpe_merger.hpp"
#include "text/character_symbols.hpp"
#include "text/pair_table.hpp"
#include "text/piece_cache.hpp"

namespace minnow {

/// The tables of one model. Safe from several threads: each call takes a working memory of its own.
class BpeEncoder {
 public:
  /// @param bytes  what each id stands for; must outlive this, as the model must.
  BpeEncoder(const BpeModel& model, const std::vector<std::string>& bytes);

  /// Appends the ids of a text that holds no added token.
  /// Throws: DataError for a byte or character that the vocabulary lacks, unless `unknown` says to leave it out.
  /// @param prefix  whether a blank goes before it.
  void encode(std::string_view text, std::vector<std::int32_t>& ids, UnknownCharacter unknown, bool prefix) const;

  /// @return whether every text is known.
  [[nodiscard]] bool has_all() const;
  /// @return what the vocabulary lacks of a text that holds no added token: bytes, or characters.
  [[nodiscard]] UnknownText unknown_in(std::string_view text) const;

  /// @return whether encoding what stands on the two sides of a position gives the ids of the whole.
  [[nodiscard]] bool cuts(std::string_view text, std::size_t position) const;

  /// @return whether merging, or a piece as a whole, can give this id.
  [[nodiscard]] bool can_give(std::int32_t id) const { return given_[static_cast<std::size_t>(id)]; }

 private:
  struct Scratch {
    PieceCache cache;
    MergeScratch merge;
    std::vector<std::int32_t> tokens;
  };
  class Loan;

  /// @return where the first byte (or character) stands that the vocabulary lacks; npos: nowhere.
  std::size_t encode_part(std::string_view text, std::vector<std::int32_t>& ids, Scratch& scratch) const;
  std::size_t encode_on_all_threads(std::string_view text, std::vector<std::int32_t>& ids) const;
  bool encode_piece(std::string_view piece, std::vector<std::int32_t>& ids, Scratch& scratch) const;
  [[nodiscard]] const std::int32_t* whole_token(std::string_view piece) const;
  bool append_symbols(std::string_view piece, std::vector<std::int32_t>& symbols) const;
  [[nodiscard]] std::size_t first_unknown_in(std::string_view piece) const;
  [[nodiscard]] std::vector<std::size_t> cuts_of(std::string_view text) const;
  [[noreturn]] void refuse_unknown(std::string_view text, std::size_t position) const;

  SplitPattern pattern_;
  std::optional<CharacterSymbols> characters_;  // nothing: symbols are bytes
  PairTable pairs_;
  std::int32_t byte_ids_[256];
  std::unordered_map<std::string_view, std::int32_t> whole_;  // pieces that are tokens whatever the merges say
  std::vector<bool> given_;
  mutable std::mutex mutex_;  // guards idle_
  mutable std::vector<std::unique_ptr<Scratch>> idle_;
};

}  // namespace minnow
