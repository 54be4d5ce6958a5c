#include "minnow/data/dataset.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "data/data_files.hpp"
#include "minnow/data/token_file.hpp"
#include "minnow/text/byte_tokenizer.hpp"
#include "minnow/text/char_tokenizer.hpp"

namespace minnow {
namespace {

using Ids = std::vector<std::int32_t>;
using test::DataFolder;
using test::error_of;

std::string open_error(const DatasetOptions& options) {
  return error_of([&] { static_cast<void>(Dataset::open(options)); });
}

/// Expects an error that begins with the exit code and contains `part`.
void expect_error(const DatasetOptions& options, int code, const std::string& part) {
  const std::string text = open_error(options);
  EXPECT_EQ(text.substr(0, text.find(':')), std::to_string(code)) << text;
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

Ids all_tokens(const TokenStore& tokens) {
  Ids ids(static_cast<std::size_t>(tokens.size()));
  tokens.copy(0, tokens.size(), ids.data());
  return ids;
}

std::string letters(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text.push_back(static_cast<char>('a' + i * 7 % 26));
  return text;
}

TEST(Dataset, StreamIsSplitByCharacters) {
  const DataFolder folder;
  // Twenty characters of two bytes each: eighteen train.
  DatasetOptions options{.path = folder.write("a.txt", "éèéèéèéèéèéèéèéèéèéè")};
  options.loader = {.batch_size = 2, .block_size = 4};
  const Dataset data = Dataset::open(options);
  EXPECT_EQ(data.vocab_size(), 2);
  EXPECT_EQ(data.train_facts().tokens, 18);
  EXPECT_EQ(data.train_facts().bytes, 36);
  expect_error({.path = options.path, .val_fraction = 0.2, .loader = {.block_size = 16}}, 3,
               "= 17 tokens; got 16 tokens (of 20 in");
}

TEST(Dataset, SplitFollowsTheFilesOfAFolder) {
  const DataFolder folder;
  folder.write("a.txt", "abcab");
  folder.write("b.txt", "cabca");
  DatasetOptions options{.path = folder.path(), .val_fraction = 0.3, .loader = {.block_size = 2}};
  const Dataset data = Dataset::open(options);
  EXPECT_EQ(data.tokenizer()->decode(all_tokens(data.train().tokens())), "abcabca");
  EXPECT_EQ(data.tokenizer()->decode(all_tokens(data.val().tokens())), "bca");
  options.val_fraction = 0.5;
  EXPECT_EQ(data.fingerprint().files.size(), 2U);
  EXPECT_EQ(Dataset::open(options).val_facts().tokens, 5);
}

TEST(Dataset, LinesHaveBoundariesAndEveryNthValidates) {
  const DataFolder folder;
  DatasetOptions options{.path = folder.write("a.txt", "ab\nba\na\nb\n"), .documents = Documents::kLines};
  options.split = SplitRule::kEveryNth;
  options.val_every = 3;
  options.loader = {.batch_size = 2, .block_size = 4};
  const Dataset data = Dataset::open(options);
  EXPECT_EQ(data.vocab_size(), 3);
  EXPECT_EQ(all_tokens(data.train().tokens()), (Ids{0, 2, 1, 0, 1, 0}));
  EXPECT_EQ(all_tokens(data.val().tokens()), (Ids{0, 1, 2, 0, 2, 0}));
  EXPECT_EQ(data.val_facts().documents, 2);
  EXPECT_EQ(data.val_facts().targets, 5);
  EXPECT_EQ(data.val_facts().bytes, 5);
  const Batch batch = data.val().make_batch(0, 8);
  EXPECT_EQ(batch.length, 4);
  EXPECT_EQ(batch.tokens, (Ids{0, 1, 2, 0, 0, 2, 0, 0}));
  EXPECT_EQ(batch.targets, (Ids{1, 2, 0, -100, 2, 0, -100, -100}));
  EXPECT_EQ(batch.lengths, (Ids{3, 2}));
}

TEST(Dataset, PackingFillsTrainingWindowsOnly) {
  const DataFolder folder;
  DatasetOptions options{.path = folder.write("a.txt", "ab\nba\nab\nab\nba\nb\na\nb\na\nb\n"),
                         .documents = Documents::kLines};
  options.packing = Packing::kPack;
  options.val_fraction = 0.4;
  options.loader = {.block_size = 7};
  const Dataset data = Dataset::open(options);
  EXPECT_EQ(data.train_facts().documents, 6);
  EXPECT_EQ(data.train_facts().targets, 17);
  EXPECT_EQ(data.train_facts().windows, 3);
  EXPECT_EQ(data.val_facts().windows, 4);
}

TEST(Dataset, MaskedDocumentsAreThePiecesOfAWindow) {
  const DataFolder folder;
  DatasetOptions options{.path = folder.write("a.txt", "ab\nb\nabab\na\nb\nabb\n"), .documents = Documents::kLines};
  options.packing = Packing::kPack;
  options.mask_documents = true;
  options.val_fraction = 0.3;
  options.loader = {.batch_size = 1, .block_size = 7};
  const Dataset data = Dataset::open(options);
  for (const std::int64_t step : {0, 1}) {  // two windows: of 3 + 2 inputs, and of 5 + 2
    const Batch batch = data.train().make_batch(step);
    EXPECT_EQ(batch.pieces, batch.offsets[0] == 0 ? (Ids{3, 2}) : (Ids{5, 2}));
  }
  EXPECT_EQ(data.val().make_batch(0, 2).pieces, (Ids{2, 4}));
}

TEST(Dataset, MaskedDocumentsNeedATokenThatBeginsThem) {
  const DataFolder folder;
  const std::string text = folder.write("a.txt", "ab\nba\nab\nba\nab\nba\n");
  const auto options = [&](std::int64_t token, Documents documents) {
    return DatasetOptions{.path = text,
                          .documents = documents,
                          .mask_documents = true,
                          .document_token = token,
                          .loader = {.block_size = 2}};
  };
  expect_error(options(-1, Documents::kStream), 2, "data.documents = \"lines\"");
  expect_error(options(3, Documents::kStream), 2, "data.document_token must be an id of the vocabulary");
  EXPECT_EQ(open_error(options(0, Documents::kStream)), "no error");
  EXPECT_EQ(open_error(options(-1, Documents::kLines)), "no error");
}

TEST(Dataset, FilesAreDocuments) {
  const DataFolder folder;
  folder.write("a.txt", "a\nb\n");
  folder.write("b.txt", "bb");
  DatasetOptions options{
      .path = folder.path(), .documents = Documents::kFiles, .val_fraction = 0.5, .loader = {.block_size = 3}};
  const Dataset data = Dataset::open(options);
  EXPECT_EQ(data.vocab_size(), 4);
  EXPECT_EQ(data.train_facts().windows, 2);  // boundary + 4 characters in windows of 3
  EXPECT_EQ(data.val_facts().targets, 3);
  EXPECT_EQ(data.val_facts().bytes, 2);
}

TEST(Dataset, ByteTokenizerKeepsIllFormedText) {
  const DataFolder folder;
  DatasetOptions options{.path = folder.write("a.txt",
                                              "a\xFF"
                                              "b\xFE"
                                              "cdefghij"),
                         .tokenizer = TokenizerChoice::kByte};
  options.split = SplitRule::kNone;
  options.loader.block_size = 2;
  const Dataset bytes = Dataset::open(options);
  EXPECT_EQ(bytes.vocab_size(), 256);
  EXPECT_EQ(bytes.tokenizer()->decode(all_tokens(bytes.train().tokens())),
            "a\xFF"
            "b\xFE"
            "cdefghij");
  EXPECT_TRUE(bytes.notes().empty());
  EXPECT_EQ(bytes.val().windows(), 0);
  options.tokenizer = TokenizerChoice::kChar;
  const Dataset chars = Dataset::open(options);
  ASSERT_EQ(chars.notes().size(), 1U);
  EXPECT_NE(chars.notes()[0].find("2 place(s) are not valid UTF-8"), std::string::npos);
}

TEST(Dataset, StoredTokenizerIsUsedAndUnknownCharactersAreNamed) {
  const DataFolder folder;
  DatasetOptions options{.path = folder.write("a.txt", "abcabcabcd"), .loader = {.block_size = 2}};
  options.split = SplitRule::kNone;
  options.stored = CharTokenizer::train("zcba");
  expect_error(options, 3, "'d' (U+0064) at character 9");
  options.unknown = UnknownCharacter::kReplace;
  EXPECT_EQ(Dataset::open(options).train_facts().tokens, 9);
  options.documents = Documents::kLines;
  expect_error(options, 3, "boundary token");
}

TEST(Dataset, LongTextIsEncodedInPartsWithRightPositions) {
  const DataFolder folder;
  std::string text;
  while (text.size() < (5U << 19)) text += "é€🙂ab";
  DatasetOptions options{.path = folder.write("a.txt", text), .loader = {.block_size = 2}};
  options.split = SplitRule::kNone;
  const Dataset data = Dataset::open(options);
  EXPECT_EQ(data.tokenizer()->decode(all_tokens(data.train().tokens())), text);
  options.path = folder.write("b.txt", text + "!");
  options.stored = data.tokenizer();
  expect_error(options, 3, "'!' (U+0021) at character " + std::to_string(data.train_facts().tokens));
}

TEST(Dataset, TokenFilesOfBothKinds) {
  const DataFolder folder;
  Ids ids;
  for (std::int32_t i = 0; i < 100; ++i) ids.push_back(i * 500);
  for (const TokenLayout layout : {TokenLayout::kRaw16, TokenLayout::kLlmc16}) {
    DatasetOptions options{.path = folder.write("a.bin", token_file_bytes(layout, ids)),
                           .tokenizer = TokenizerChoice::kNone};
    options.loader = {.batch_size = 2, .block_size = 8};
    const Dataset data = Dataset::open(options);
    EXPECT_EQ(data.vocab_size(), 50257);
    EXPECT_EQ(data.tokenizer(), nullptr);
    EXPECT_EQ(data.train_facts().tokens, 90);
    EXPECT_EQ(all_tokens(data.val().tokens()), Ids(ids.begin() + 90, ids.end()));
    EXPECT_EQ(data.val_facts().bytes, 0);
    options.vocab_size = 49500;
    expect_error(options, 3, "has the id 49500 at token 99");
    options.vocab_size = 49501;
    EXPECT_EQ(Dataset::open(options).vocab_size(), 49501);
  }
}

TEST(Dataset, TokenFilesOfBytesKnowTheirText) {
  const DataFolder folder;
  const Ids ids = ByteTokenizer().encode(letters(50));
  DatasetOptions options{.path = folder.write("a.bin", token_file_bytes(TokenLayout::kRaw16, ids))};
  options.tokenizer = TokenizerChoice::kByte;
  options.loader.block_size = 8;
  EXPECT_EQ(Dataset::open(options).val_facts().bytes, 5);
}

TEST(Dataset, FoldersOfTokenFiles) {
  const DataFolder folder;
  folder.write("d/x_000.bin", token_file_bytes(TokenLayout::kRaw16, Ids{0, 1, 2, 3, 4}));
  folder.write("d/x_001.bin", token_file_bytes(TokenLayout::kRaw16, Ids{5, 6, 7, 8, 9}));
  DatasetOptions options{.path = folder.path("d"), .loader = {.block_size = 3}, .tokenizer = TokenizerChoice::kNone};
  options.split = SplitRule::kFile;
  options.val_path = folder.path("d/x_001.bin");
  EXPECT_EQ(all_tokens(Dataset::open(options).train().tokens()), (Ids{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  folder.write("d/x_val_000.bin", token_file_bytes(TokenLayout::kRaw16, Ids{5, 6, 7, 8, 9}));
  expect_error(options, 2, "both training and validation files");
}

TEST(Dataset, BadDataIsRefusedByName) {
  const DataFolder folder;
  const auto text = [&](const std::string& content) { return DatasetOptions{.path = folder.write("x.txt", content)}; };
  expect_error({.path = folder.path("none.txt")}, 5, "none.txt");
  expect_error({.path = folder.path("none.bin"), .tokenizer = TokenizerChoice::kNone}, 5, "none.bin");
  expect_error({.path = folder.path()}, 3, "has none");
  expect_error(text(""), 3, "is empty");
  expect_error(text("  \n"), 3, "is blank");
  expect_error(text("a"), 3, "two different characters");
  expect_error(text(std::string(1000, 'a')), 3, "nothing but 'a' (U+0061)");
  expect_error({.path = folder.write("e.bin", ""), .tokenizer = TokenizerChoice::kNone}, 3, "is empty");
  DatasetOptions options = text(letters(100));
  options.val_fraction = 0.001;
  expect_error(options, 3, "validation split must not be empty");
  options = {.path = folder.write("v.txt", "ab"), .val_path = folder.write("w.txt", ""), .split = SplitRule::kFile};
  expect_error(options, 3, "w.txt is empty");
  options = {.path = folder.write("l.txt", "ab\n"), .documents = Documents::kLines};
  expect_error(options, 3, "training split must have at least one document");
}

TEST(Dataset, ContradictingOptionsAreRefused) {
  const DataFolder folder;
  const std::string text = folder.write("a.txt", letters(100));
  const std::string ids = folder.write("a.bin", token_file_bytes(TokenLayout::kRaw16, Ids(100, 1)));
  expect_error({}, 2, "data.path");
  expect_error({.path = text, .val_path = text}, 2, "data.val_path");
  expect_error({.path = text, .split = SplitRule::kFile}, 2, "data.val_path");
  expect_error({.path = text, .split = SplitRule::kEveryNth}, 2, "every_nth");
  expect_error(
      {.path = text, .documents = Documents::kLines, .split = SplitRule::kEveryNth, .val_every = 4, .val_offset = 4}, 2,
      "0 .. 3; got 4");
  expect_error({.path = text, .documents = Documents::kLines, .split = SplitRule::kEveryNth, .val_every = 1}, 2,
               "at least 2");
  expect_error({.path = text, .val_fraction = std::nan("")}, 2, "val_fraction");
  expect_error({.path = text, .val_fraction = 1.0}, 2, "val_fraction");
  expect_error({.path = text, .loader = {.block_size = 0}}, 2, "block_size");
  expect_error({.path = text, .tokenizer = TokenizerChoice::kNone}, 2, "needs a tokenizer");
  expect_error({.path = ids}, 2, "tokenizer.type = \"none\"");
  expect_error({.path = ids, .documents = Documents::kLines, .tokenizer = TokenizerChoice::kNone}, 2, "stream");
  expect_error({.path = text, .val_path = ids, .split = SplitRule::kFile}, 2, "both be text");
}

TEST(Dataset, BuiltinCorpusOpensFast) {
  DatasetOptions options{.path = "builtin", .loader = {.batch_size = 16, .block_size = 64}};
  const Dataset first = Dataset::open(options);
  const auto start = std::chrono::steady_clock::now();
  const Dataset data = Dataset::open(options);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  RecordProperty("seconds", std::to_string(seconds.count()));
  EXPECT_GE(data.train_facts().tokens + data.val_facts().tokens, 1'000'000);
  EXPECT_EQ(data.fingerprint().digest(), first.fingerprint().digest());
  const auto lines = data.describe(1000);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_NE(lines[4].find("1'000 steps of 16 windows are 1."), std::string::npos) << lines[4];
}

TEST(Dataset, DescribesEveryQuantityInTheSameWay) {
  const test::DataFolder folder;
  std::string text;
  for (int i = 0; i < 3000; ++i) text += static_cast<char>('a' + i % 26);
  const DatasetOptions options{.path = folder.write("a.txt", text), .loader = {.batch_size = 1200, .block_size = 2}};
  const auto lines = Dataset::open(options).describe(20000);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_NE(lines[0].find("(1 file, 3'000 bytes, sha256 "), std::string::npos) << lines[0];
  EXPECT_EQ(lines[2], "training: 2'700 tokens, 1'349 windows of up to 2");
  EXPECT_EQ(lines[3], "validation: 300 tokens, 150 windows of up to 2");
  EXPECT_NE(lines[4].find("20'000 steps of 1'200 windows are "), std::string::npos) << lines[4];
}

TEST(Dataset, ATextToScoreIsScoredWhole) {
  const test::DataFolder folder;
  DatasetOptions options{.path = folder.write("a.txt", "the quick brown fox"), .loader = {.block_size = 4}};
  options.split = SplitRule::kScore;
  const Dataset data = Dataset::open(options);
  EXPECT_EQ(data.val_facts().tokens, 19);
  EXPECT_EQ(data.val_facts().targets, 18) << "each but the first";
  options.path = folder.write("b.txt", "aaaaaaaa");
  EXPECT_EQ(Dataset::open(options).val_facts().targets, 7) << "there is nothing to learn from it, but it can be scored";
}

TEST(Dataset, ATextTooShortToScoreIsNamed) {
  const test::DataFolder folder;
  DatasetOptions options{.path = folder.write("a.txt", "the "), .loader = {.block_size = 4}};
  options.split = SplitRule::kScore;
  const std::string error = test::error_of([&] { (void)Dataset::open(options); });
  EXPECT_EQ(error.substr(0, 2), "3:") << error;
  EXPECT_NE(error.find("at least block_size + 1 = 5 tokens"), std::string::npos) << error;
  EXPECT_NE(error.find("a.txt has 4"), std::string::npos) << error;
  EXPECT_EQ(error.find("training"), std::string::npos) << error;
}

TEST(Dataset, TinyShakespeareIsSplitAsNanogptDoes) {
  if (test::shared_folder().empty()) GTEST_SKIP() << "MINNOW_SHARED_DIR is not set: no tiny Shakespeare";
  DatasetOptions options{.path = test::shared_folder() + "/data/text/tinyshakespeare.txt"};
  options.loader = {.batch_size = 12, .block_size = 64, .order = SampleOrder::kRandom};
  const Dataset data = Dataset::open(options);
  EXPECT_EQ(data.vocab_size(), 65);
  EXPECT_EQ(data.train_facts().tokens, 1'003'854);
  EXPECT_EQ(data.val_facts().tokens, 111'540);
  EXPECT_EQ(data.val_facts().targets, 111'539);
  EXPECT_EQ(data.val_facts().bytes, 111'540);
  EXPECT_EQ(data.val_facts().windows, 1743);
}

TEST(Dataset, NamesAreSplitByEvery32nd) {
  if (test::shared_folder().empty()) GTEST_SKIP() << "MINNOW_SHARED_DIR is not set: no names";
  DatasetOptions options{.path = test::shared_folder() + "/data/text/names.txt", .documents = Documents::kLines};
  options.split = SplitRule::kEveryNth;
  options.val_every = 32;
  options.loader = {.batch_size = 32, .block_size = 16, .order = SampleOrder::kRandom};
  const Dataset data = Dataset::open(options);
  EXPECT_EQ(data.vocab_size(), 27);
  EXPECT_EQ(data.tokenizer()->boundary_id(), 0);
  EXPECT_EQ(data.tokenizer()->id_of("a"), 1);
  EXPECT_EQ(data.train_facts().documents, 31'031);
  EXPECT_EQ(data.val_facts().documents, 1'002);
  EXPECT_EQ(data.val_facts().targets, 7'081);
  EXPECT_EQ(data.val_facts().bytes, 7'081);
  const Batch first = data.val().make_batch(0, 1);  // "emma"
  EXPECT_EQ(Ids(first.tokens.begin(), first.tokens.begin() + 6), (Ids{0, 5, 13, 13, 1, 0}));
  EXPECT_EQ(Ids(first.targets.begin(), first.targets.begin() + 6), (Ids{5, 13, 13, 1, 0, -100}));
}

}  // namespace
}  // namespace minnow
