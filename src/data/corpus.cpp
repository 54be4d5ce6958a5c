#include "minnow/data/corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <system_error>

#include "data/byte_stream.hpp"
#include "data/corpus_files.hpp"
#include "data/jsonl.hpp"
#include "data/text_bytes.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/mapped_file.hpp"
#include "minnow/base/sha256.hpp"
#include "minnow/data/text_reader.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> kTextExtensions = {".txt",    ".txt.zst",   ".jsonl",
                                                             ".ndjson", ".jsonl.zst", ".ndjson.zst"};
constexpr std::size_t kMaxFiles = 1'000'000;

/// data/fetched is where scripts/get_data puts what the shipped configurations name.
std::string hint_for(const fs::path& path, const std::error_code& code) {
  if (code != std::errc::no_such_file_or_directory) return "see its permissions";
  if (path.parent_path().filename() == "fetched")
    return fmt::format("`scripts/get_data {}` brings it", path.stem().string());
  return "relative paths start at the working directory";
}

[[noreturn]] void throw_io(const fs::path& path, const std::error_code& code) {
  throw IoError(fmt::format("[data] the text (data.path) must be readable; got \"{}\" for {}. Hint: {}", code.message(),
                            path.string(), hint_for(path, code)));
}

void add_lines(std::string_view text, std::vector<std::string_view>& lines) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// Adds a text without byte order mark and CR LF.
void add_clean(TextCorpus& corpus, std::string_view text, Documents documents) {
  const std::size_t first = corpus.texts.size();
  if (documents == Documents::kLines) {
    add_lines(text, corpus.texts);
  } else if (!text.empty()) {
    corpus.texts.push_back(text);
  }
  for (std::size_t i = first; i < corpus.texts.size(); ++i) {
    corpus.bytes += static_cast<std::int64_t>(corpus.texts[i].size());
  }
}

/// Adds the text of one file, by the rules that TextCorpus states.
void add_text(TextCorpus& corpus, std::string_view text, Documents documents) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.find("\r\n") != std::string_view::npos) {
    auto copy = std::make_shared<std::string>(text);
    drop_crlf(*copy);
    text = *copy;
    corpus.owners.push_back(std::move(copy));
    ++corpus.crlf_files;
  }
  add_clean(corpus, text, documents);
}

/// @return the bytes that a mapped file spells, decompressed where its name says so.
std::unique_ptr<ByteStream> bytes_of_file(const MappedFile& file) {
  auto bytes = stream_of(file.bytes());
  const std::string name = file.path().string();
  return name.ends_with(".zst") ? decompressed(std::move(bytes), name) : std::move(bytes);
}

/// Adds the texts of a .jsonl file: in a stream each is followed by a line feed, else each is a file of its own.
void add_records(TextCorpus& corpus, const MappedFile& file, Documents documents, const std::string& field) {
  JsonlReader reader(bytes_of_file(file), file.path().string(), field);
  auto all = std::make_shared<std::string>();
  std::vector<std::size_t> ends;
  bool crlf = false;
  for (std::string text; reader.next(text);) {
    crlf = drop_crlf(text) || crlf;
    *all += text;
    if (documents == Documents::kStream) *all += '\n';
    ends.push_back(all->size());
  }
  all->shrink_to_fit();
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    add_clean(corpus, std::string_view(*all).substr(begin, end - begin), documents);
    begin = end;
  }
  corpus.crlf_files += crlf ? 1 : 0;
  corpus.owners.push_back(std::move(all));
}

/// Adds a text that lies compressed.
void add_compressed(TextCorpus& corpus, const MappedFile& file, Documents documents) {
  const auto stream = bytes_of_file(file);
  auto all = std::make_shared<std::string>();
  constexpr std::size_t kChunk = 1U << 20;
  for (std::size_t got = 1; got > 0;) {
    const std::size_t before = all->size();
    all->resize(before + kChunk);
    got = stream->read(std::span(*all).subspan(before));
    all->resize(before + got);
  }
  all->shrink_to_fit();
  add_text(corpus, *all, documents);
  corpus.owners.push_back(std::move(all));
}

bool is_blank(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Step step = read_utf8(text, i);
    if (!is_white_space(step.code_point)) return false;
    i += step.length;
  }
  return true;
}

}  // namespace

void require_text(const TextCorpus& corpus, std::string_view name) {
  const bool blank = std::all_of(corpus.texts.begin(), corpus.texts.end(), is_blank);
  if (!blank) return;
  throw DataError(
      fmt::format("[data] text must hold something to learn from; {} is {}. Hint: check that it is the file you meant.",
                  name, corpus.fingerprint.bytes() == 0 ? "empty" : "blank (white space only)"));
}

std::vector<fs::path> list_files(const fs::path& folder, std::span<const std::string_view> extensions) {
  std::vector<fs::path> files;
  std::error_code code;
  fs::recursive_directory_iterator entry(folder, code);
  if (code) throw_io(folder, code);
  const auto wanted = [&](const std::string& name) {
    return std::any_of(extensions.begin(), extensions.end(), [&](std::string_view end) { return name.ends_with(end); });
  };
  while (entry != fs::recursive_directory_iterator()) {
    const fs::path path = entry->path();
    const std::string name = path.filename().string();
    if (name.starts_with('.') || (wanted(".txt") && fs::exists(path / "metrics.jsonl", code))) {
      entry.disable_recursion_pending();
    } else if (wanted(name) && !entry->is_directory(code)) {
      files.push_back(path);
    }
    if (files.size() > kMaxFiles) {
      throw DataError(
          fmt::format("[data] a folder must hold at most {} files; {} has more.", kMaxFiles, folder.string()));
    }
    entry.increment(code);
    if (code) throw_io(path, code);
  }
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) { return a.native() < b.native(); });
  return files;
}

std::vector<fs::path> list_files(const fs::path& folder, std::string_view extension) {
  return list_files(folder, std::span(&extension, 1));
}

bool is_jsonl_name(const fs::path& path) {
  const std::string name = path.filename().string();
  const auto ends = [&](std::string_view end) { return name.ends_with(end); };
  return ends(".jsonl") || ends(".ndjson") || ends(".jsonl.zst") || ends(".ndjson.zst");
}

std::vector<fs::path> list_text_files(const fs::path& folder) { return list_files(folder, kTextExtensions); }

std::vector<fs::path> find_text_files(const fs::path& path) {
  if (path == kStandardInput) return {path};
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (!fs::exists(status)) throw_io(path, code ? code : std::make_error_code(std::errc::no_such_file_or_directory));
  if (!fs::is_directory(status)) return {path};
  std::vector<fs::path> files = list_text_files(path);
  if (files.empty()) {
    throw DataError(
        fmt::format("[data] a folder of text must hold .txt or .jsonl files (or these as .zst); {} has none. Hint: "
                    "rename the files, or give one file as data.path.",
                    path.string()));
  }
  return files;
}

TextCorpus read_text_files(const fs::path& path, Documents documents, const std::string& field) {
  TextCorpus corpus;
  for (const fs::path& name : find_text_files(path)) {
    auto file = std::make_shared<const MappedFile>(MappedFile::open(name, "data"));
    corpus.fingerprint.files.push_back({name.string(), file->size(), sha256_hex(file->bytes())});
    if (is_jsonl_name(name)) {
      add_records(corpus, *file, documents, field);
    } else if (name.string().ends_with(".zst")) {
      add_compressed(corpus, *file, documents);
    } else {
      add_text(corpus, file->text(), documents);
    }
    corpus.files.push_back(std::move(file));
  }
  return corpus;
}

void TextCorpus::check_unchanged() const {
  for (const auto& file : files) file->check_unchanged();
}

TextCorpus read_text_corpus(const fs::path& path, Documents documents, const std::string& field) {
  TextCorpus corpus = read_text_files(path, documents, field);
  require_text(corpus, path.string());
  return corpus;
}

TextCorpus make_text_corpus(std::string text, std::string_view name, Documents documents) {
  TextCorpus corpus;
  auto owned = std::make_shared<const std::string>(std::move(text));
  corpus.fingerprint.files.push_back({std::string(name), owned->size(), sha256_hex(std::string_view(*owned))});
  add_text(corpus, *owned, documents);
  corpus.owners.push_back(std::move(owned));
  require_text(corpus, name);
  return corpus;
}

}  // namespace minnow
