#pragma once
/// @file
/// Reads text files into documents: where they lie, what separates them, what is taken away from them.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/base/mapped_file.hpp"
#include "minnow/data/fingerprint.hpp"

namespace minnow {

/// What one document is.
enum class Documents {
  kStream,  ///< none: all text is one stream (the files of a folder one after the other; behind each text of a .jsonl
            ///< file comes a line feed)
  kLines,   ///< each line that is not empty
  kFiles,   ///< each file that is not empty, each text of a .jsonl file
};

/// The text of a data set. Rules for every file: a byte order mark at its start is dropped; CR LF counts as LF (as in
/// Python's text mode; a lone CR is kept); line ends belong to no document when documents are lines. Bytes are
/// otherwise kept, valid UTF-8 or not: what becomes of ill-formed bytes is the tokenizer's rule.
struct TextCorpus {
  std::vector<std::string_view> texts;  ///< the documents; documents = stream: one view per file or .jsonl line
  DataFingerprint fingerprint;          ///< of the files as they lie on disk
  std::int64_t bytes = 0;               ///< of all texts
  std::int64_t crlf_files = 0;          ///< files in which CR LF was read as LF
  std::vector<std::shared_ptr<const void>> owners;       ///< keeps what `texts` looks into alive
  std::vector<std::shared_ptr<const MappedFile>> files;  ///< likewise, of files

  /// To be called when all texts were read. Throws: IoError when a file was cut or written to meanwhile.
  void check_unchanged() const;
};

/// Reads one file, or all files of text in a folder and its sub-folders in the order of their paths (byte order, the
/// same on every machine; hidden files and folders, and runs of minnow, are left out, symbolic links to folders are not
/// followed). Files of text: .txt, .jsonl and .ndjson (JSON Lines: an object a line, whose member `field` is a text of
/// its own), and these compressed by zstd (.txt.zst, ...). A single file may have any name; what does not end in one of
/// these is plain text.
/// Throws: IoError when something is missing or unreadable; DataError for a folder without such files, for .jsonl lines
/// without the text (with file and line), for damaged compressed files, and when the text is empty or all white space.
[[nodiscard]] TextCorpus read_text_corpus(const std::filesystem::path& path, Documents documents,
                                          const std::string& field = "text");

/// @return a corpus of a text made in memory. `name` stands for the path.
/// Throws: DataError when the text is empty or all white space.
[[nodiscard]] TextCorpus make_text_corpus(std::string text, std::string_view name, Documents documents);

/// @return files of `folder` whose name ends in `extension` (".txt"), as described at read_text_corpus.
/// Throws: IoError when the folder cannot be read; DataError after 1 000 000 files.
[[nodiscard]] std::vector<std::filesystem::path> list_files(const std::filesystem::path& folder,
                                                            std::string_view extension);
/// The same for several endings.
[[nodiscard]] std::vector<std::filesystem::path> list_files(const std::filesystem::path& folder,
                                                            std::span<const std::string_view> extensions);

}  // namespace minnow
