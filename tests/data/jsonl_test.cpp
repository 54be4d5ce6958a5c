#include "data/jsonl.hpp"

#include <gtest/gtest.h>
#include <zstd.h>

#include "data/data_files.hpp"
#include "minnow/data/corpus.hpp"
#include "minnow/data/text_reader.hpp"

namespace minnow {
namespace {

using test::DataFolder;
using test::error_of;

std::string compressed(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

std::vector<std::string> texts_of(const std::string& path, Documents documents = Documents::kFiles,
                                  const std::string& field = "text") {
  const TextCorpus corpus = read_text_corpus(path, documents, field);
  return {corpus.texts.begin(), corpus.texts.end()};
}

/// The documents of the reader that holds little, put together again.
std::vector<std::string> read_in_pieces(const std::string& path, Documents documents, std::size_t piece_bytes) {
  TextReader reader(find_text_files(path), {.documents = documents, .piece_bytes = piece_bytes});
  std::vector<std::string> texts;
  for (TextPiece piece; reader.next(piece);) {
    if (piece.begins || texts.empty()) texts.emplace_back();
    texts.back() += piece.text;
  }
  return texts;
}

TEST(Jsonl, TakesTheFieldOfEachLine) {
  const DataFolder folder;
  const std::string path = folder.write("a.jsonl",
                                        "\xEF\xBB\xBF{\"id\": 1, \"text\": \"one\\ntwo\"}\r\n\n  \n{\"meta\": "
                                        "{\"text\": \"no\"}, \"text\": \"three \\u00e9\"}\n"
                                        "{\"text\": \"\"}\n{\"text\":\"last\"}");
  EXPECT_EQ(texts_of(path), (std::vector<std::string>{"one\ntwo", "three é", "last"}));
  EXPECT_EQ(texts_of(path, Documents::kLines), (std::vector<std::string>{"one", "two", "three é", "last"}));
  EXPECT_EQ(texts_of(path, Documents::kStream), (std::vector<std::string>{"one\ntwo\n", "three é\n", "\n", "last\n"}));
}

TEST(Jsonl, TakesAnotherField) {
  const DataFolder folder;
  const std::string path = folder.write("a.jsonl", "{\"text\": 1, \"body\": \"one\"}\n");
  EXPECT_EQ(texts_of(path, Documents::kFiles, "body"), (std::vector<std::string>{"one"}));
}

struct BadLine {
  const char* line;
  const char* message;
};

class BadLines : public ::testing::TestWithParam<BadLine> {};

TEST_P(BadLines, NameFileAndLine) {
  const DataFolder folder;
  const std::string path = folder.write("a.jsonl", std::string("{\"text\": \"fine\"}\n\n") + GetParam().line + "\n");
  const std::string error = error_of([&] { texts_of(path); });
  EXPECT_NE(error.find("3: [data] " + path + ":3: "), std::string::npos) << error;
  EXPECT_NE(error.find(GetParam().message), std::string::npos) << error;
}

INSTANTIATE_TEST_SUITE_P(
    Jsonl, BadLines,
    ::testing::Values(BadLine{"{\"text\": \"a\"", "each line must be JSON"}, BadLine{"hello", "each line must be JSON"},
                      BadLine{"{\"text\": \"a\"} x", "each line must be JSON"},
                      BadLine{"{\"text\": \"\\ud800\"}", "each line must be JSON"},
                      BadLine{"{\"text\": \"\xff\"}", "each line must be JSON"},
                      BadLine{"[\"text\"]", "must be a JSON object; got a list"},
                      BadLine{"\"text\"", "must be a JSON object; got a text"},
                      BadLine{"12", "must be a JSON object; got a number"},
                      BadLine{"null", "must be a JSON object; got null"},
                      BadLine{"{\"text\": 12}", "the member \"text\" must be a text; got a number"},
                      BadLine{"{\"text\": null}", "the member \"text\" must be a text; got null"},
                      BadLine{"{\"text\": {}}", "the member \"text\" must be a text; got an object"},
                      BadLine{"{\"text\": [\"a\"]}", "the member \"text\" must be a text; got a list"},
                      BadLine{"{\"text\": \"a\", \"text\": \"b\"}", "got \"text\" twice"},
                      BadLine{"{\"body\": \"a\", \"id\": 1}", "got an object with \"body\", \"id\""},
                      BadLine{"{}", "got an object without members"}));

TEST(Jsonl, RefusesDeepNesting) {
  const std::string deep = "{\"text\": \"a\", \"more\": " + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  const std::string error = error_of([&] { (void)text_of_json_line(deep, "text", "here:1"); });
  EXPECT_EQ(error, "3: [data] here:1: JSON must be nested at most 64 deep; got more.");
}

TEST(Jsonl, RefusesALineWithoutEnd) {
  const std::string endless = "{\"text\": \"" + std::string(kMaxJsonLine + (2U << 20), 'a');
  JsonlReader reader(stream_of(std::as_bytes(std::span(endless))), "long.jsonl", "text");
  std::string text;
  const std::string error = error_of([&] { reader.next(text); });
  EXPECT_NE(error.find("3: [data] long.jsonl:1: a line must have at most 67'108'864 bytes"), std::string::npos)
      << error;
}

TEST(Zstd, ReadsFramesOneAfterTheOther) {
  const DataFolder folder;
  const std::string path = folder.write(
      "a.jsonl.zst", compressed("{\"text\": \"one\"}\n{\"te") + compressed("") + compressed("xt\": \"two\"}\n"));
  EXPECT_EQ(texts_of(path), (std::vector<std::string>{"one", "two"}));
  const std::string text = folder.write("b.txt.zst", compressed("\xEF\xBB\xBFone\r\ntwo\n"));
  EXPECT_EQ(texts_of(text), (std::vector<std::string>{"one\ntwo\n"}));
}

TEST(Zstd, RefusesDamage) {
  const DataFolder folder;
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "line " + std::to_string(i * 7919) + "\n";
  const std::string whole = compressed(text);
  const std::string cut = folder.write("cut.txt.zst", whole.substr(0, whole.size() / 2));
  EXPECT_NE(error_of([&] { texts_of(cut); }).find("ends inside a frame"), std::string::npos);
  const std::string plain = folder.write("plain.txt.zst", "no frame at all, just text");
  EXPECT_NE(error_of([&] { texts_of(plain); }).find("compressed text must be sound"), std::string::npos);
  const std::string more = folder.write("more.txt.zst", whole + "rest");
  EXPECT_EQ(error_of([&] { texts_of(more); }).substr(0, 3), "3: ");
}

TEST(Zstd, RefusesABomb) {
  const DataFolder folder;
  const std::string bomb = folder.write("bomb.txt.zst", compressed(std::string(256U << 20, 'a')));
  EXPECT_NE(error_of([&] { texts_of(bomb); }).find("at most 2000 bytes for each of its own"), std::string::npos);
}

TEST(TextReader, GivesWhatTheCorpusHas) {
  const DataFolder folder;
  std::string text = "\xEF\xBB\xBF";
  for (int i = 0; i < 3000; ++i)
    text += "Zeile " + std::to_string(i) + (i % 3 == 0 ? " äöü\r\n" : i % 7 == 0 ? "\n\n" : "\n");
  folder.write("c/a.txt", text + std::string(5000, 'x') + "\n\nend");
  folder.write("c/b.jsonl", "{\"text\": \"one\\r\\ntwo\"}\n{\"text\": \"\"}\n{\"text\": \"three\"}\n");
  folder.write("c/d.txt", "");
  folder.write("c/z/e.txt", "\r");
  folder.write("c/.hidden.txt", "no");
  for (const Documents documents : {Documents::kLines, Documents::kFiles}) {
    const std::vector<std::string> wanted = texts_of(folder.path("c"), documents);
    for (const std::size_t piece : {7U, 100U, 65536U}) {
      EXPECT_EQ(read_in_pieces(folder.path("c"), documents, piece), wanted) << piece;
    }
  }
  std::string stream;
  for (const std::string& one : texts_of(folder.path("c"), Documents::kStream)) stream += one;
  for (const std::size_t piece : {7U, 65536U}) {
    EXPECT_EQ(read_in_pieces(folder.path("c"), Documents::kStream, piece), (std::vector<std::string>{stream}));
  }
}

TEST(TextReader, SaysWhereAPieceIs) {
  const DataFolder folder;
  const std::string text = folder.write("a.txt", "one\ntwo\n");
  const std::string lines = folder.write("b.jsonl", "\n{\"text\": \"three\"}\n");
  TextReader reader({text, lines}, {.documents = Documents::kLines});
  std::vector<std::string> places;
  for (TextPiece piece; reader.next(piece);) places.push_back(reader.place_of(piece));
  EXPECT_EQ(places, (std::vector<std::string>{text + ", from byte 0 of its text on",
                                              text + ", from byte 4 of its text on", lines + ":2"}));
}

}  // namespace
}  // namespace minnow
