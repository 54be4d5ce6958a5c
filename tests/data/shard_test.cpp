#include "minnow/data/shard.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "data/data_files.hpp"
#include "minnow/data/token_store.hpp"

namespace minnow {
namespace {

using test::error_of;

std::string shard_bytes(std::int64_t vocab_size, const std::vector<std::vector<std::int32_t>>& documents,
                        Documents kind = Documents::kFiles) {
  ShardBuilder builder(vocab_size);
  for (const auto& ids : documents) {
    if (kind != Documents::kStream) builder.begin_document();
    builder.append(ids);
  }
  ShardInfo info;
  info.kind = kind;
  info.last = true;
  info.text_bytes = 99;
  std::string bytes;
  for (const std::string_view part : builder.finish(info)) bytes += part;
  return bytes;
}

std::string error_for(const std::string& bytes) {
  return error_of([&] {
    const auto span = std::as_bytes(std::span(bytes));
    const ShardInfo info = parse_shard(span, "s");
    check_shard_content(span, info, "s");
  });
}

TEST(Shard, HasTheWidthOfItsVocabulary) {
  for (const auto& [vocab_size, width] : {std::pair<std::int64_t, int>{256, 1}, {257, 2}, {65536, 2}, {65537, 4}}) {
    const auto last = static_cast<std::int32_t>(vocab_size - 1);
    const std::string bytes = shard_bytes(vocab_size, {{0, last, 1}, {last}});
    const ShardInfo info = parse_shard(std::as_bytes(std::span(bytes)), "s");
    EXPECT_EQ(info.width, width);
    EXPECT_EQ(info.tokens, 4);
    EXPECT_EQ(info.documents, 2);
    EXPECT_EQ(info.text_bytes, 99);
    EXPECT_EQ(document_start(std::as_bytes(std::span(bytes)), info, 1), 3);
    EXPECT_EQ(error_for(bytes), "no error");
    EXPECT_EQ(bytes.size() % 8, 0U);
  }
}

TEST(Shard, RefusesEveryFlippedBitAndEveryLength) {
  const std::string good = shard_bytes(300, {{1, 2, 299}, {4}, {5, 6}});
  ASSERT_EQ(error_for(good), "no error");
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    EXPECT_EQ(error_for(bad).substr(0, 10), "3: [data] ") << bit;
  }
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_NE(error_for(good.substr(0, size)), "no error") << size;
  EXPECT_NE(error_for(good + '\0'), "no error");
}

TEST(Shard, AStreamMarksNothing) {
  const std::string bytes = shard_bytes(256, {{1, 2}, {3}}, Documents::kStream);
  const ShardInfo info = parse_shard(std::as_bytes(std::span(bytes)), "s");
  EXPECT_EQ(info.documents, 0);
  EXPECT_EQ(info.tokens, 3);
}

TEST(TokenStore, HoldsOneByteATokenForSmallVocabularies) {
  std::vector<std::int32_t> ids(1000);
  std::iota(ids.begin(), ids.end(), 0);
  for (auto& id : ids) id %= 256;
  const TokenStore small = TokenStore::from_ids(ids, 256);
  EXPECT_EQ(small.memory_bytes(), 1000);
  EXPECT_EQ(TokenStore::from_ids(ids, 257).memory_bytes(), 2000);
  EXPECT_EQ(TokenStore::from_ids(ids, 65537).memory_bytes(), 4000);
  std::vector<std::int32_t> back(ids.size());
  small.copy(0, small.size(), back.data());
  EXPECT_EQ(back, ids);
}

TEST(TokenStore, JoinsSlices) {
  std::vector<std::int32_t> ids(100);
  std::iota(ids.begin(), ids.end(), 0);
  const TokenStore all = TokenStore::from_ids(ids, 70000);
  const TokenStore joined = TokenStore::joined({all.slice(90, 5), all.slice(3, 2), all.slice(0, 0), all.slice(50, 1)});
  std::vector<std::int32_t> got(static_cast<std::size_t>(joined.size()));
  joined.copy(0, joined.size(), got.data());
  EXPECT_EQ(got, (std::vector<std::int32_t>{90, 91, 92, 93, 94, 3, 4, 50}));
  joined.slice(4, 3).copy(0, 3, got.data());
  EXPECT_EQ(got[0], 94);
  EXPECT_EQ(got[1], 3);
  EXPECT_EQ(got[2], 4);
}

}  // namespace
}  // namespace minnow
