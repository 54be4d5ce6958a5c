// An emoji split over byte tokens became U+FFFD when each token was decoded alone.
#include <gtest/gtest.h>

#include "minnow/text/byte_tokenizer.hpp"
#include "minnow/text/stream_decoder.hpp"

namespace minnow {
namespace {

TEST(StreamDecode, NothingUntilTheFourthByteThenTheCharacter) {
  const ByteTokenizer tokenizer;
  StreamDecoder decoder(tokenizer);
  EXPECT_EQ(decoder.push(0xF0), "");
  EXPECT_EQ(decoder.push(0x9F), "");
  EXPECT_EQ(decoder.push(0x99), "");
  EXPECT_EQ(decoder.push(0x82), "\xF0\x9F\x99\x82");
  EXPECT_EQ(decoder.finish(), "");
  const std::vector<std::int32_t> ids{0xF0, 0x9F, 0x99, 0x82};
  EXPECT_EQ(tokenizer.decode(ids), "\xF0\x9F\x99\x82");
  EXPECT_EQ(tokenizer.decode_text(ids), "\xF0\x9F\x99\x82");
}

}  // namespace
}  // namespace minnow
