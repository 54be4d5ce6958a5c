#include "minnow/data/token_file.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "data/data_files.hpp"

namespace minnow {
namespace {

using Ids = std::vector<std::int32_t>;
using test::DataFolder;
using test::error_of;

std::span<const std::byte> as_bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string parse_error(const std::string& bytes, TokenFormat format, std::string_view name = "x.bin") {
  return error_of([&] { static_cast<void>(parse_token_file(as_bytes(bytes), format, name)); });
}

void set_word(std::string& bytes, std::size_t index, std::int32_t word) {
  std::memcpy(bytes.data() + index * sizeof word, &word, sizeof word);
}

Ids read_all(const TokenStore& store) {
  Ids ids(static_cast<std::size_t>(store.size()));
  store.copy(0, store.size(), ids.data());
  return ids;
}

TEST(TokenFile, EveryLayoutRoundTrips) {
  const DataFolder folder;
  const Ids narrow{0, 1, 50256, 65535};
  const Ids wide{0, 65535, 65536, 119546};
  for (const TokenFormat format : {TokenFormat::kNanogpt, TokenFormat::kLlmc}) {
    const std::string small = folder.write("s.bin", token_file_bytes(layout_for(format, 65536), narrow));
    EXPECT_EQ(read_all(open_token_file(small)), narrow);
    EXPECT_EQ(read_all(open_token_file(small, format)), narrow);
    const std::string large = folder.write("l.u32.bin", token_file_bytes(layout_for(format, 65537), wide));
    EXPECT_EQ(read_all(open_token_file(large)), wide);
  }
}

TEST(TokenFile, LlmcHeaderIsExact) {
  const std::string bytes = token_file_bytes(TokenLayout::kLlmc16, Ids{7, 8, 9});
  ASSERT_EQ(bytes.size(), 1024U + 6U);
  std::int32_t words[4] = {};
  std::memcpy(words, bytes.data(), sizeof words);
  EXPECT_EQ(words[0], 20240520);
  EXPECT_EQ(words[1], 1);
  EXPECT_EQ(words[2], 3);
  EXPECT_EQ(words[3], 0);
  EXPECT_EQ(bytes.substr(1024), std::string("\7\0\10\0\11\0", 6));
  std::memcpy(words, token_file_header(TokenLayout::kLlmc32, 5).data(), sizeof words);
  EXPECT_EQ(words[0], 20240801);
  EXPECT_EQ(words[1], 7);
}

TEST(TokenFile, EveryHeaderFaultIsNamed) {
  const std::string good = token_file_bytes(TokenLayout::kLlmc16, Ids{1, 2, 3});
  EXPECT_NE(parse_error("", TokenFormat::kAuto).find("3: [data] x.bin: a token file must hold tokens; it is empty"),
            std::string::npos);
  EXPECT_NE(parse_error("abc", TokenFormat::kAuto).find("multiple of 2; it has 3 bytes"), std::string::npos);
  EXPECT_NE(parse_error("abcdef", TokenFormat::kAuto, "x.u32.bin").find("multiple of 4; it has 6"), std::string::npos);
  EXPECT_NE(parse_error("abcd", TokenFormat::kLlmc).find("header of 1024 bytes; the file has 4"), std::string::npos);
  EXPECT_NE(parse_error(good.substr(0, 1000), TokenFormat::kAuto).find("header of 1024"), std::string::npos);
  EXPECT_NE(parse_error(good.substr(0, good.size() - 1), TokenFormat::kAuto).find("1030 bytes; it has 1029"),
            std::string::npos);
  EXPECT_NE(parse_error(good + "x", TokenFormat::kAuto).find("1030 bytes; it has 1031"), std::string::npos);
  const auto changed = [&](std::size_t index, std::int32_t word) {
    std::string bytes = good;
    set_word(bytes, index, word);
    return bytes;
  };
  EXPECT_NE(parse_error(changed(1, 2), TokenFormat::kAuto).find("version 1; got 2"), std::string::npos);
  EXPECT_NE(parse_error(changed(0, 20240801), TokenFormat::kAuto).find("version 7; got 1"), std::string::npos);
  EXPECT_NE(parse_error(changed(2, -1), TokenFormat::kAuto).find("negative"), std::string::npos);
  EXPECT_NE(
      parse_error(changed(2, std::numeric_limits<std::int32_t>::max()), TokenFormat::kAuto).find("4294968318 bytes"),
      std::string::npos);
  EXPECT_NE(parse_error(changed(0, 20240522), TokenFormat::kLlmc).find("evaluation file"), std::string::npos);
  EXPECT_NE(parse_error(changed(0, 20240326), TokenFormat::kLlmc).find("model"), std::string::npos);
  const auto swapped = static_cast<std::int32_t>(__builtin_bswap32(20240520U));
  EXPECT_NE(parse_error(changed(0, swapped), TokenFormat::kAuto).find("big-endian"), std::string::npos);
}

TEST(TokenFile, RawFormatNeverLooksAtTheFirstBytes) {
  const std::string good = token_file_bytes(TokenLayout::kLlmc16, Ids{1, 2, 3});
  EXPECT_EQ(parse_token_file(as_bytes(good), TokenFormat::kNanogpt, "x.bin").count, (1024 + 6) / 2);
}

TEST(TokenFile, WriterRefusesIdsThatDoNotFit) {
  EXPECT_NE(error_of([] {
              static_cast<void>(token_file_bytes(TokenLayout::kRaw16, Ids{1, 65536}));
            }).find("0 .. 65535 to be stored in 2 bytes; got 65536 at position 1"),
            std::string::npos);
  EXPECT_NE(error_of([] { static_cast<void>(token_file_bytes(TokenLayout::kLlmc32, Ids{-1})); }).find("got -1"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              static_cast<void>(token_file_header(TokenLayout::kLlmc16, std::int64_t{1} << 31));
            }).find("2147483648"),
            std::string::npos);
}

TEST(TokenFile, MissingFileIsAnIoError) {
  EXPECT_EQ(error_of([] { static_cast<void>(open_token_file("/nonexistent/x.bin")); }).substr(0, 2), "5:");
}

TEST(TokenStore, CopiesAcrossPartsAndSlices) {
  const DataFolder folder;
  const auto part = [&](const std::string& name, const Ids& ids, int width) {
    const std::string bytes = token_file_bytes(width == 2 ? TokenLayout::kRaw16 : TokenLayout::kRaw32, ids);
    auto file = std::make_shared<const MappedFile>(MappedFile::open(folder.write(name, bytes)));
    return TokenStore::Part{std::move(file), 0, static_cast<std::int64_t>(ids.size()), width};
  };
  const TokenStore store =
      TokenStore::from_files({part("a", {0, 1, 2}, 2), part("b", {3}, 4), part("c", {4, 5, 6, 7}, 2)});
  EXPECT_EQ(read_all(store), (Ids{0, 1, 2, 3, 4, 5, 6, 7}));
  for (std::int64_t begin = 0; begin <= 8; ++begin) {
    for (std::int64_t count = 0; begin + count <= 8; ++count) {
      const Ids ids = read_all(store.slice(begin, count));
      for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(ids[static_cast<std::size_t>(i)], begin + i);
    }
  }
  EXPECT_EQ(store.slice(2, 4).at(3), 5);
  EXPECT_THROW(static_cast<void>(store.slice(2, 4).at(4)), std::out_of_range);
  EXPECT_THROW(static_cast<void>(store.slice(5, 4)), std::out_of_range);
  EXPECT_THROW(static_cast<void>(store.at(-1)), std::out_of_range);
  EXPECT_EQ(store.find_outside(8), 8);
  EXPECT_EQ(store.find_outside(5), 5);
  EXPECT_THROW(static_cast<void>(TokenStore::from_files({TokenStore::Part{part("d", {1}, 2).file, 0, 2, 2}})),
               DataError);
}

TEST(TokenStore, AShrunkFileIsAnErrorNotADeadProcess) {
  const DataFolder folder;
  const std::string path = folder.write("a.bin", token_file_bytes(TokenLayout::kRaw16, Ids(100000, 1)));
  const TokenStore store = open_token_file(path);
  std::filesystem::resize_file(path, 10);
  EXPECT_THROW(static_cast<void>(store.at(99999)), IoError);
}

TEST(TokenStore, IdsFrom2To31AreOutside) {
  const DataFolder folder;
  const std::string path = folder.write("a.u32.bin", std::string("\1\0\0\0\xFF\xFF\xFF\xFF", 8));
  EXPECT_EQ(open_token_file(path).find_outside(100), 1);
}

}  // namespace
}  // namespace minnow
