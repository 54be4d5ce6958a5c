#include "minnow/data/corpus.hpp"

#include <gtest/gtest.h>

#include "data/data_files.hpp"

namespace minnow {
namespace {

using test::DataFolder;
using test::error_of;
using Texts = std::vector<std::string_view>;

std::string read_error(const std::string& path, Documents documents = Documents::kStream) {
  return error_of([&] { static_cast<void>(read_text_corpus(path, documents)); });
}

TEST(Corpus, OneFileIsAStream) {
  const DataFolder folder;
  const TextCorpus corpus = read_text_corpus(folder.write("a.txt", "one\ntwo\n"), Documents::kStream);
  EXPECT_EQ(corpus.texts, (Texts{"one\ntwo\n"}));
  EXPECT_EQ(corpus.bytes, 8);
  ASSERT_EQ(corpus.fingerprint.files.size(), 1U);
  EXPECT_EQ(corpus.fingerprint.files[0].bytes, 8U);
  // printf 'one\ntwo\n' | sha256sum
  EXPECT_EQ(corpus.fingerprint.files[0].sha256, "c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8");
}

TEST(Corpus, LinesAreDocumentsAndEmptyOnesAreNot) {
  const DataFolder folder;
  EXPECT_EQ(read_text_corpus(folder.write("a.txt", "one\n\ntwo"), Documents::kLines).texts, (Texts{"one", "two"}));
  EXPECT_EQ(read_text_corpus(folder.write("b.txt", "\none\ntwo\n"), Documents::kLines).texts, (Texts{"one", "two"}));
}

TEST(Corpus, CrLfIsLfAndTheByteOrderMarkGoes) {
  const DataFolder folder;
  const std::string path = folder.write("a.txt", "\xEF\xBB\xBFone\r\n\r\ntwo\r\r\nx\r");
  const TextCorpus stream = read_text_corpus(path, Documents::kStream);
  EXPECT_EQ(stream.texts, (Texts{"one\n\ntwo\r\nx\r"}));
  EXPECT_EQ(stream.crlf_files, 1);
  EXPECT_EQ(read_text_corpus(path, Documents::kLines).texts, (Texts{"one", "two\r", "x\r"}));
}

TEST(Corpus, FoldersAreReadByPathAndDeep) {
  const DataFolder folder;
  folder.write("b.txt", "B");
  folder.write("a/z.txt", "AZ");
  folder.write("a/b/c.txt", "ABC");
  folder.write("ignored.md", "no");
  folder.write(".hidden/x.txt", "no");
  folder.write(".x.txt", "no");
  folder.write("empty.txt", "");
  const TextCorpus corpus = read_text_corpus(folder.path(), Documents::kFiles);
  EXPECT_EQ(corpus.texts, (Texts{"ABC", "AZ", "B"}));
  EXPECT_EQ(corpus.fingerprint.files.size(), 4U);
}

TEST(Corpus, FaultsAreNamed) {
  const DataFolder folder;
  EXPECT_EQ(read_error(folder.path("missing.txt")).substr(0, 2), "5:");
  EXPECT_NE(read_error(folder.path("missing.txt")).find("No such file"), std::string::npos);
  EXPECT_NE(read_error(folder.path()).find("3: [data] a folder of text must hold .txt or .jsonl files"),
            std::string::npos);
  EXPECT_NE(read_error(folder.write("e.txt", "")).find("is empty"), std::string::npos);
  EXPECT_NE(read_error(folder.write("w.txt", " \n\t\r\n\xC2\xA0")).find("is blank"), std::string::npos);
  EXPECT_NE(read_error(folder.write("n.txt", "\n\n"), Documents::kLines).find("is blank"), std::string::npos);
  std::filesystem::create_symlink(folder.path("loop"), folder.path("loop"));
  EXPECT_EQ(read_error(folder.path("loop")).substr(0, 2), "5:");
}

TEST(Corpus, FingerprintComparesContentAndNotNames) {
  const DataFolder folder;
  const auto print = [&](const std::string& name, const std::string& text) {
    return read_text_corpus(folder.write(name, text), Documents::kStream).fingerprint;
  };
  const DataFingerprint first = print("a.txt", "hello");
  check_same_data(first, print("b.txt", "hello"));
  EXPECT_EQ(first.digest(), print("b.txt", "hello").digest());
  EXPECT_NE(first.digest(), print("b.txt", "hellp").digest());
  EXPECT_NE(error_of([&] { check_same_data(first, print("c.txt", "hello!")); }).find("has 6 bytes, was 5 bytes"),
            std::string::npos);
  EXPECT_NE(error_of([&] { check_same_data(first, DataFingerprint{}); }).find("got 0 files, were 1"),
            std::string::npos);
}

}  // namespace
}  // namespace minnow
