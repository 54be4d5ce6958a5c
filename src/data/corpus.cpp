#include "minnow/data/corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <system_error>

#include "data/corpus_files.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/mapped_file.hpp"
#include "minnow/base/sha256.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
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

/// @return a copy with CR LF as LF.
std::string without_crlf(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  std::size_t begin = 0;
  for (std::size_t found = text.find("\r\n"); found != std::string_view::npos; found = text.find("\r\n", begin)) {
    result.append(text, begin, found - begin);
    begin = found + 1;  // the LF starts the next stretch
  }
  return result.append(text, begin);
}

void add_lines(std::string_view text, std::vector<std::string_view>& lines) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// Adds the text of one file, by the rules that TextCorpus states.
void add_text(TextCorpus& corpus, std::string_view text, Documents documents) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.find("\r\n") != std::string_view::npos) {
    auto copy = std::make_shared<const std::string>(without_crlf(text));
    text = *copy;
    corpus.owners.push_back(std::move(copy));
    ++corpus.crlf_files;
  }
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

std::vector<fs::path> list_files(const fs::path& folder, std::string_view extension) {
  std::vector<fs::path> files;
  std::error_code code;
  fs::recursive_directory_iterator entry(folder, code);
  if (code) throw_io(folder, code);
  while (entry != fs::recursive_directory_iterator()) {
    const fs::path path = entry->path();
    const std::string name = path.filename().string();
    if (name.starts_with('.') || (extension == ".txt" && fs::exists(path / "metrics.jsonl", code))) {
      entry.disable_recursion_pending();
    } else if (name.ends_with(extension) && !entry->is_directory(code)) {
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

TextCorpus read_text_files(const fs::path& path, Documents documents) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (!fs::exists(status)) throw_io(path, code ? code : std::make_error_code(std::errc::no_such_file_or_directory));
  std::vector<fs::path> files{path};
  if (fs::is_directory(status)) {
    files = list_files(path, ".txt");
    if (files.empty()) {
      throw DataError(
          fmt::format("[data] a folder of text must hold .txt files; {} has none. Hint: rename the files, or give "
                      "one file as data.path.",
                      path.string()));
    }
  }
  TextCorpus corpus;
  for (const fs::path& name : files) {
    auto file = std::make_shared<const MappedFile>(MappedFile::open(name, "data"));
    corpus.fingerprint.files.push_back({name.string(), file->size(), sha256_hex(file->bytes())});
    add_text(corpus, file->text(), documents);
    corpus.files.push_back(std::move(file));
  }
  return corpus;
}

void TextCorpus::check_unchanged() const {
  for (const auto& file : files) file->check_unchanged();
}

TextCorpus read_text_corpus(const fs::path& path, Documents documents) {
  TextCorpus corpus = read_text_files(path, documents);
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
