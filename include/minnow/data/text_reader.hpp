#pragma once
/// @file
/// Reads texts of any size once, from front to back, in pieces that may be encoded each by itself.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/data/corpus.hpp"

namespace minnow {

/// How a TextReader reads.
struct TextReaderOptions {
  Documents documents = Documents::kStream;
  std::string field = "text";   ///< the member of a .jsonl line that holds the text
  bool input_is_jsonl = false;  ///< standard input holds JSON Lines
  /// A document longer than this is given in several pieces, about so long.
  std::size_t piece_bytes = std::size_t{1} << 16U;
  /// Where a long document may be cut: Tokenizer::cut_before, or where characters begin when empty.
  std::function<std::size_t(std::string_view, std::size_t)> cut_before{};
};

/// A part of a document, or a whole one.
struct TextPiece {
  std::string_view text;  ///< never empty; valid until the next call
  bool begins = false;    ///< a document begins here; never in a stream
  std::size_t file = 0;   ///< which of the files
  std::int64_t line = 0;  ///< of a .jsonl file, from 1; 0 for plain text
  /// Where the piece begins in the text of the file (its mark dropped, CR LF as LF) or of the line.
  std::int64_t offset = 0;
};

/// Gives the texts of files one after the other, by the rules that TextCorpus states for bytes, line ends and
/// documents. The pieces depend on the files and options alone. Holds a few pieces, whatever the size of the files.
class TextReader {
 public:
  /// @param files  as find_text_files gives them; "-" is standard input. Opened one by one, when they are due.
  TextReader(std::vector<std::filesystem::path> files, TextReaderOptions options);
  ~TextReader();
  TextReader(const TextReader&) = delete;
  TextReader& operator=(const TextReader&) = delete;

  /// Puts the next piece into `piece`. @return false at the end of the last file.
  /// Throws: IoError for files that cannot be read; DataError, naming file and line, for lines of .jsonl without the
  /// text, for damaged compressed files, and for 256 MiB in a row that cannot be cut.
  bool next(TextPiece& piece);

  /// @return a place for messages: `a.txt, from byte 12 on` or `a.jsonl:3`.
  [[nodiscard]] std::string place_of(const TextPiece& piece) const;

  /// @return the place of the byte at a position in the piece: `a.txt, byte 12 of its text`.
  [[nodiscard]] std::string place_of(const TextPiece& piece, std::size_t at) const;

  /// @return bytes of all files taken so far, as they lie on the disk: for progress.
  [[nodiscard]] std::uint64_t consumed() const;

 private:
  struct Unit;
  bool open_unit();
  bool find_end(std::size_t& end, bool& whole);
  void fill();
  std::size_t piece_length(std::string_view rest, bool whole);

  std::vector<std::filesystem::path> files_;
  TextReaderOptions options_;
  std::unique_ptr<Unit> unit_;
  std::size_t next_file_ = 0;
  std::uint64_t consumed_before_ = 0;  // by files that are read to their end
};

/// @return the files that `path` names: itself, or for a folder what read_text_corpus describes.
/// Throws: IoError when it is missing; DataError for a folder without files of text.
[[nodiscard]] std::vector<std::filesystem::path> find_text_files(const std::filesystem::path& path);

/// @return whether a file holds JSON Lines by its name: .jsonl, .ndjson, with or without .zst.
[[nodiscard]] bool is_jsonl_name(const std::filesystem::path& path);

}  // namespace minnow
