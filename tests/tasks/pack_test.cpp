#include "minnow/tasks/pack.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "minnow/base/error.hpp"
#include "minnow/base/parallel.hpp"
#include "minnow/data/dataset.hpp"
#include "minnow/data/packed.hpp"
#include "minnow/data/text_reader.hpp"
#include "minnow/io/file.hpp"
#include "minnow/text/byte_tokenizer.hpp"
#include "minnow/text/char_tokenizer.hpp"
#include "support/sanitizers.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;

class PackTest : public ::testing::Test {
 protected:
  PackTest() {
    std::string pattern = (fs::temp_directory_path() / "minnow_pack_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~PackTest() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  std::string write(const std::string& name, const std::string& content) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return (folder_ / name).string();
  }

  PackOptions options(const std::string& input, const std::string& out) const {
    PackOptions options;
    options.files = find_text_files(input);
    options.tokenizer = std::make_shared<ByteTokenizer>(true);
    options.folder = folder_ / out;
    options.shard_tokens = 1000;
    return options;
  }

  std::string content(const std::string& out) const {
    std::string all;
    for (std::int64_t i = 0; path_exists(folder_ / out / shard_name(i)); ++i)
      all += read_file(folder_ / out / shard_name(i));
    return all;
  }

  fs::path folder_;
};

std::string some_text(int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i) text += "line " + std::to_string(i % 1000 * 7919 % 1000) + " of a text\n";
  return text;
}

std::string error_text(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return std::to_string(static_cast<int>(error.exit_code())) + ": " + error.what();
  }
  return "no error";
}

std::vector<std::int32_t> all_tokens(const TokenStore& store) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(store.size()));
  store.copy(0, store.size(), ids.data());
  return ids;
}

TEST_F(PackTest, TrainsAsTheTextDoes) {
  write("in/a.txt", some_text(300));
  write("in/b.jsonl", "{\"text\": \"short\"}\n{\"text\": \"" + std::string(5000, 'x') + "\"}\n");
  write("in/c.txt", some_text(50));
  for (const Documents documents : {Documents::kStream, Documents::kLines, Documents::kFiles}) {
    PackOptions pack = options((folder_ / "in").string(), "out");
    pack.documents = documents;
    pack.overwrite = true;
    const PackResult packed = pack_texts(pack);
    EXPECT_TRUE(packed.finished);
    EXPECT_GE(packed.shards, 3);  // a shard ends with the piece that fills it
    for (const SplitRule split : {SplitRule::kFraction, SplitRule::kEveryNth, SplitRule::kNone, SplitRule::kScore}) {
      if (split == SplitRule::kEveryNth && documents == Documents::kStream) continue;
      DatasetOptions text;
      text.path = (folder_ / "in").string();
      text.documents = documents;
      text.split = split;
      text.val_every = 3;
      text.val_fraction = 0.3;
      text.loader = {.batch_size = 4, .block_size = 16};
      text.stored = pack.tokenizer;
      DatasetOptions shards = text;
      shards.path = (folder_ / "out").string();
      shards.stored = nullptr;
      const Dataset a = Dataset::open(text);
      const Dataset b = Dataset::open(shards);
      EXPECT_EQ(all_tokens(a.train().tokens()), all_tokens(b.train().tokens()));
      EXPECT_EQ(all_tokens(a.val().tokens()), all_tokens(b.val().tokens()));
      EXPECT_EQ(a.train().make_batch(3).tokens, b.train().make_batch(3).tokens);
      EXPECT_EQ(a.train().make_batch(3).samples, b.train().make_batch(3).samples);
      EXPECT_EQ(a.train_facts().documents, b.train_facts().documents);
      EXPECT_EQ(a.train_facts().bytes, b.train_facts().bytes);
      EXPECT_EQ(a.val_facts().bytes, b.val_facts().bytes);
      EXPECT_EQ(b.memory_bytes(), 0);
      EXPECT_EQ(b.tokenizer()->to_json(), pack.tokenizer->to_json());
    }
  }
}

TEST_F(PackTest, GivesTheSameShardsForAnyThreads) {
  const std::string input = write("a.txt", some_text(5000));
  const int before = threads();
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    (void)pack_texts(options(input, "out" + std::to_string(count)));
  }
  set_threads(before);
  EXPECT_EQ(content("out1"), content("out2"));
  EXPECT_EQ(content("out1"), content("out3"));
}

TEST_F(PackTest, GoesOnBehindFinishedShards) {
  const std::string input = write("a.txt", some_text(15'000) + std::string(100'000, 'y'));
  const PackResult whole = pack_texts(options(input, "whole"));
  const std::string wanted = content("whole");
  ASSERT_GT(whole.shards, 4);
  for (const std::int64_t kept : {std::int64_t{0}, std::int64_t{1}, whole.shards - 1}) {
    (void)pack_texts([&] {
      PackOptions again = options(input, "cut");
      again.overwrite = true;
      return again;
    }());
    for (std::int64_t i = kept; i < whole.shards; ++i) fs::remove(folder_ / "cut" / shard_name(i));
    const PackResult result = pack_texts(options(input, "cut"));
    EXPECT_EQ(result.resumed_shards, kept);
    EXPECT_EQ(result.tokens, whole.tokens);
    EXPECT_EQ(result.documents, whole.documents);
    EXPECT_EQ(content("cut"), wanted);
  }
}

TEST_F(PackTest, AnInterruptionKeepsWhatIsFinished) {
  const std::string input = write("a.txt", some_text(400'000));  // several blocks
  PackOptions stopped = options(input, "out");
  stopped.shard_tokens = 1'000'000;
  int calls = 0;
  stopped.interrupted = [&] { return ++calls == 2; };
  const PackResult first = pack_texts(stopped);
  EXPECT_FALSE(first.finished);
  EXPECT_GT(first.shards, 0);
  DataFingerprint ignored;
  EXPECT_NE(error_text([&] { (void)open_packed(folder_ / "out", ignored); }).find("must be complete"),
            std::string::npos);
  stopped.interrupted = nullptr;
  EXPECT_EQ(pack_texts(stopped).resumed_shards, first.shards);
  stopped.folder = folder_ / "whole";
  (void)pack_texts(stopped);
  EXPECT_EQ(content("out"), content("whole"));
}

TEST_F(PackTest, RefusesOtherTextsTokenizersAndFinishedFolders) {
  const std::string input = write("a.txt", some_text(6000));
  const PackResult whole = pack_texts(options(input, "out"));
  EXPECT_NE(error_text([&] { (void)pack_texts(options(input, "out")); }).find("2: [pack] "), std::string::npos);
  fs::remove(folder_ / "out" / shard_name(whole.shards - 1));
  const std::string other = write("b.txt", "other " + some_text(6000));
  EXPECT_NE(error_text([&] { (void)pack_texts(options(other, "out")); }).find("3: [pack] the texts must be those"),
            std::string::npos);
  PackOptions bytes = options(input, "out");
  bytes.tokenizer = std::make_shared<ByteTokenizer>(false);
  bytes.documents = Documents::kStream;
  EXPECT_NE(error_text([&] { (void)pack_texts(bytes); }).find("2: [pack] "), std::string::npos);
  bytes.documents = Documents::kFiles;
  EXPECT_NE(error_text([&] { (void)pack_texts(bytes); }).find("must have a boundary token"), std::string::npos);
}

TEST_F(PackTest, NamesThePlaceOfAnUnknownCharacter) {
  write("in/a.txt", "abc\n");
  const std::string input = write("in/b.jsonl", "{\"text\": \"abc\"}\n{\"text\": \"ab?\"}\n");
  PackOptions pack = options((folder_ / "in").string(), "out");
  pack.tokenizer = CharTokenizer::train("abc\n", true);
  EXPECT_NE(error_text([&] { (void)pack_texts(pack); }).find("'?' (U+003F) at character 2 (byte 2)"),
            std::string::npos);
  EXPECT_NE(error_text([&] { (void)pack_texts(pack); }).find("(In " + input + ":2.)"), std::string::npos);
}

TEST_F(PackTest, WritesTheFormatsOfOthers) {
  const std::string input = write("a.txt", some_text(300));
  (void)pack_texts(options(input, "out"));
  DataFingerprint ignored;
  const auto wanted = all_tokens(open_packed(folder_ / "out", ignored).tokens());
  export_tokens(folder_ / "out", TokenFormat::kNanogpt, folder_ / "n.bin");
  export_tokens(folder_ / "out", TokenFormat::kLlmc, folder_ / "l.bin");
  EXPECT_EQ(all_tokens(open_token_file(folder_ / "n.bin", TokenFormat::kNanogpt)), wanted);
  EXPECT_EQ(all_tokens(open_token_file(folder_ / "l.bin", TokenFormat::kLlmc)), wanted);
  EXPECT_EQ(fs::file_size(folder_ / "n.bin"), 2 * wanted.size());
  EXPECT_NE(error_text([&] {
              export_tokens(folder_ / "out", TokenFormat::kNanogpt, folder_ / "n.u32.bin");
            }).find("must not be named"),
            std::string::npos);
}

TEST_F(PackTest, RefusesADamagedDataSet) {
  const std::string input = write("a.txt", some_text(6000));
  (void)pack_texts(options(input, "out"));
  const fs::path shard = folder_ / "out" / shard_name(1);
  std::string bytes = read_file(shard);
  bytes[kShardHeaderBytes + 5] = static_cast<char>(bytes[kShardHeaderBytes + 5] ^ 1);
  std::ofstream(shard, std::ios::binary) << bytes;
  DatasetOptions opening;
  opening.path = (folder_ / "out").string();
  opening.loader = {.batch_size = 1, .block_size = 8};
  EXPECT_NE(error_text([&] { (void)Dataset::open(opening); }).find("its checksum says otherwise"), std::string::npos);
  fs::remove(shard);
  EXPECT_NE(error_text([&] { (void)Dataset::open(opening); }).find("must be complete"), std::string::npos);
}

/// Packs in a process of its own. @return the most memory that it held, in bytes.
std::int64_t peak_of_packing(const PackOptions& options) {
  const pid_t child = ::fork();
  if (child == 0) {
    set_threads(1);  // the team of the parent is not there
    int code = 0;
    try {
      (void)pack_texts(options);
    } catch (const std::exception&) {
      code = 1;
    }
    ::_exit(code);
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  EXPECT_EQ(status, 0);
  return usage.ru_maxrss * 1024;
}

TEST_F(PackTest, SlowMemoryDoesNotGrowWithTheText) {
  if (test::kSanitized) GTEST_SKIP() << "sanitizers have memory of their own";
  const std::string part = some_text(40'000);  // about a megabyte
  const std::string input = (folder_ / "big.txt").string();
  std::ofstream file(input, std::ios::binary);
  for (int i = 0; i < 260; ++i) file << part;
  file.close();
  ASSERT_GT(fs::file_size(input), 180'000'000U);
  PackOptions pack = options(input, "out");
  pack.documents = Documents::kStream;
  pack.tokenizer = std::make_shared<ByteTokenizer>(false);
  pack.shard_tokens = 8 << 20;
  EXPECT_LT(peak_of_packing(pack), 100 << 20);  // the program, a shard of 8 MiB, a block
  DataFingerprint ignored;
  EXPECT_EQ(open_packed(pack.folder, ignored).tokens().size(), static_cast<std::int64_t>(fs::file_size(input)));
}

}  // namespace
}  // namespace minnow
