// Files made to cost much memory per byte: reading them takes at most 4 times the file plus 16 MiB.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/io_support.hpp"
#include "io/process.hpp"
#include "support/sanitizers.hpp"

namespace minnow {
namespace {

std::string file_of(const std::string& json) {
  const std::uint64_t length = json.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + json;
}

// `count` tensors without data, with names and shapes as given.
std::string tensors(int count, const std::string& shape, bool escaped) {
  std::string json = "{";
  const char* const offsets = escaped ? "data_offset\\u0073" : "data_offsets";
  for (int i = 0; i < count; ++i) {
    json +=
        fmt::format("{}\"{}\":{{\"dtype\":\"U8\",\"shape\":[{}],\"{}\":[0,0]}}", i == 0 ? "" : ",", i, shape, offsets);
  }
  return json + "}";
}

std::string long_metadata() {
  std::string json = R"({"__metadata__":{)";
  for (int i = 0; i < 9000; ++i) json += fmt::format("\"{}\":\"\",", i);
  json += fmt::format("\"text\":\"{}\"}}", std::string(std::size_t{4} << 20U, 'x'));
  for (const char* name : {"a", "b"}) {
    json += fmt::format(",\"{}\":{{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}", name);
  }
  return json + "}";
}

void expect_bounded(const std::string& json) {
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer's own memory would be measured";
  const test::TempDir dir;
  test::spill(dir / "f", file_of(json));
  const test::Outcome outcome = test::run_command({MINNOW_IO_TOOL, "measure", (dir / "f").string()});
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_GT(std::stoll(outcome.output), 1 << 20);  // the measure measures
  EXPECT_LE(std::stoll(outcome.output), static_cast<long long>(4 * json.size() + (std::size_t{16} << 20U)));
}

TEST(SafetensorsMemory, ShortEntries) { expect_bounded(tensors(200000, "0", false)); }
TEST(SafetensorsMemory, FieldNamesThatHideFromTheGuess) { expect_bounded(tensors(200000, "0", true)); }
TEST(SafetensorsMemory, SixteenAxes) { expect_bounded(tensors(100000, "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", false)); }
TEST(SafetensorsMemory, LongTexts) { expect_bounded(long_metadata()); }

}  // namespace
}  // namespace minnow
