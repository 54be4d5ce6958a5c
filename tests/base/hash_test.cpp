#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "minnow/base/error.hpp"
#include "minnow/base/fast_hash.hpp"
#include "minnow/base/sha256.hpp"

namespace minnow {
namespace {

TEST(Sha256, KnownVectors) {  // FIPS 180-4 examples
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesEqualTheWhole) {
  Sha256 hash;
  for (const char letter : std::string("minnow")) hash.update(std::string_view(&letter, 1));
  EXPECT_EQ(hash.finish_hex(), sha256_hex("minnow"));
  EXPECT_EQ(hash.finish_hex(), sha256_hex(""));  // starts anew after finish
}

TEST(HashOfFile, EqualsHashOfItsBytes) {
  const auto path = std::filesystem::temp_directory_path() / ("minnow_hash_test_" + std::to_string(::getpid()));
  const std::string text((std::size_t{1} << 20) + 12345, 'x');
  std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(sha256_file_hex(path), sha256_hex(text));
  EXPECT_EQ(fast_file_hash(path), fast_hash(std::as_bytes(std::span(text))));
  std::filesystem::remove(path);
  EXPECT_THROW((void)sha256_file_hex(path), IoError);
}

TEST(FastHash, KnownValueAndSeed) {
  EXPECT_EQ(fast_hash({}), 0x2d06800538d394c2ULL);  // XXH3_64bits of nothing, from the xxHash specification
  const std::string text = "minnow";
  EXPECT_NE(fast_hash(std::as_bytes(std::span(text)), 1), fast_hash(std::as_bytes(std::span(text)), 2));
}

}  // namespace
}  // namespace minnow
