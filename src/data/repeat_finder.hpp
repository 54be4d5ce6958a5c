#pragma once
/// @file
/// Finds documents and long lines that were there before.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/hash_sample.hpp"
#include "minnow/data/text_reader.hpp"

namespace minnow {

/// Takes texts piece by piece and remembers a hash of each document and long line.
class RepeatFinder {
 public:
  /// What was there before.
  struct Repeats {
    std::int64_t count = 0, bytes = 0;
    bool estimated = false;  ///< from a part
    std::vector<std::string> places;
  };
  using Place = std::function<std::string()>;

  RepeatFinder();

  void begin_file();
  /// A piece of a text whose lines are looked at too. The piece's `begins` ends the document before.
  void add(std::string_view text, const TextPiece& piece, const Place& place);
  /// A piece of a document that is a line.
  void add_line_document(std::string_view text, bool begins, const Place& place);
  /// The document at hand is over.
  void end_document();

  /// @return whether the document that ended last is known to have been there before.
  [[nodiscard]] bool last_was_repeated() const { return last_was_repeated_; }
  [[nodiscard]] std::int64_t lines() const { return lines_; }
  [[nodiscard]] Repeats documents() const { return result(documents_); }
  [[nodiscard]] Repeats long_lines() const { return result(long_lines_); }

 private:
  struct Nothing {};
  struct Seen {
    HashSample<Nothing> sample;
    Repeats repeats;  // of the sample, each with the rate of its time
  };

  static Repeats result(const Seen& seen);
  /// @return whether it was there before.
  static bool judge(Seen& seen, std::uint64_t hash, std::int64_t bytes, const Place& place);
  void end_line();

  Seen documents_, long_lines_;
  std::string line_;            // what is there of the present line
  bool line_too_long_ = false;  // it is not looked at
  std::int64_t lines_ = 0, line_in_file_ = 0;
  std::uint64_t document_hash_ = 0;
  std::int64_t document_bytes_ = 0;
  bool last_was_repeated_ = false;
  std::string document_place_, file_place_;
};

}  // namespace minnow
