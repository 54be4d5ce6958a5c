#include "cli/given_texts.hpp"

#include <algorithm>

#include "cli/standard_input.hpp"
#include "data/corpus_files.hpp"
#include "minnow/base/error.hpp"
#include "minnow/data/text_reader.hpp"

namespace minnow::cli {
namespace {

TextCorpus read_input_corpus(const std::string& field, bool is_jsonl) {
  note_terminal_input();
  TextReader reader({std::filesystem::path(kInputWord)},
                    {.documents = Documents::kFiles, .field = field, .input_is_jsonl = is_jsonl});
  auto all = std::make_shared<std::string>();
  std::vector<std::size_t> begins;
  for (TextPiece piece; reader.next(piece);) {
    if (piece.begins) begins.push_back(all->size());
    *all += piece.text;
  }
  TextCorpus corpus;
  corpus.fingerprint.files.push_back({"standard input", reader.consumed(), ""});  // its size tells empty from blank
  corpus.bytes = static_cast<std::int64_t>(all->size());
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::size_t end = i + 1 < begins.size() ? begins[i + 1] : all->size();
    corpus.texts.push_back(std::string_view(*all).substr(begins[i], end - begins[i]));
  }
  corpus.owners.push_back(std::move(all));
  require_text(corpus, "standard input");
  return corpus;
}

}  // namespace

void GivenTexts::check_unchanged() const {
  for (const TextCorpus& corpus : corpora) corpus.check_unchanged();
}

GivenTexts read_given_texts(const std::vector<std::string>& paths, const std::string& field, bool input_is_jsonl) {
  if (std::count(paths.begin(), paths.end(), kInputWord) > 1)
    throw ConfigError("[data] standard input (-) is there once; it is named twice");
  GivenTexts given;
  for (const std::string& path : paths) {
    given.corpora.push_back(path == kInputWord ? read_input_corpus(field, input_is_jsonl)
                                               : read_text_corpus(path, Documents::kFiles, field));
    const TextCorpus& corpus = given.corpora.back();
    given.texts.insert(given.texts.end(), corpus.texts.begin(), corpus.texts.end());
    given.bytes += corpus.bytes;
  }
  return given;
}

}  // namespace minnow::cli
