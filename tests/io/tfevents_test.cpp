#include "minnow/io/tfevents.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "io/crc32c.hpp"
#include "minnow/io/file.hpp"
#include "support/event_reader.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    constexpr const char* kDigits = "0123456789abcdef";
    text += kDigits[static_cast<unsigned char>(c) >> 4U];
    text += kDigits[static_cast<unsigned char>(c) & 15U];
  }
  return text;
}

class EventsLogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("minnow_tfevents_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(folder_)) all.push_back(entry.path());
    std::sort(all.begin(), all.end());
    return all;
  }
  fs::path folder_;
};

/// Values that tensorboard 2.21 and RFC 3720 give.
TEST(Crc32c, GoldenValues) {
  EXPECT_EQ(detail::crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(detail::masked_crc32c("123456789"), 0xC78AB0E5U);
  EXPECT_EQ(detail::masked_crc32c(std::string("\x18\0\0\0\0\0\0\0", 8)), 0x224B7FA3U);
  EXPECT_EQ(detail::crc32c(std::string(32, '\0')), 0x8A9136AAU);
}

TEST(Tfevents, GoldenBytes) {
  EXPECT_EQ(hex(events_header(1.0)),
            "1800000000000000a37f4b22"
            "09000000000000f03f1a0d627261696e2e4576656e743a32"
            "86bf577a");
  const std::string scalar = scalars_event(1.0, 3, {{"train/loss", 2.5}});
  EXPECT_EQ(hex(scalar.substr(12, scalar.size() - 16)),
            "09000000000000f03f10032a130a110a0a747261696e2f6c6f73731500002040");
}

TEST(Tfevents, AnotherReaderFindsWhatWasWritten) {
  const std::string bytes = events_header(5) +
                            scalars_event(6.5, 1'000'000'007, {{"a", 1}, {"b", NAN}, {"c", -1e300}}) +
                            text_event(7, 0, "note", std::string(300, 'x') + "\xFF");
  const auto events = test::read_events(bytes);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].wall_time, 5);
  EXPECT_EQ(events[1].step, 1'000'000'007);
  EXPECT_EQ(events[1].scalars.at("a"), 1);
  EXPECT_TRUE(std::isnan(events[1].scalars.at("b")));
  EXPECT_EQ(events[1].scalars.at("c"), -INFINITY);
  EXPECT_EQ(events[2].texts.at("note"), std::string(300, 'x') + "\uFFFD");
}

TEST(Tfevents, CutsAtTheStepAndAtTheFirstDamage) {
  const std::string first = events_header(1), second = scalars_event(2, 10, {{"x", 1}}),
                    third = scalars_event(3, 20, {{"x", 2}});
  EXPECT_EQ(cut_events(first + second + third, 20), first + second + third);
  EXPECT_EQ(cut_events(first + second + third, 10), first + second);
  EXPECT_EQ(cut_events(first + third + second, 10), first + second);
  const std::string whole = first + second;
  for (std::size_t length = first.size(); length < whole.size(); ++length) {
    EXPECT_EQ(cut_events(whole.substr(0, length), 100), first) << length;
  }
  for (std::size_t at = first.size(); at < whole.size(); ++at) {
    std::string damaged = whole + third;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    EXPECT_EQ(cut_events(damaged, 100), first) << at;
  }
  EXPECT_EQ(cut_events("", 0), "");
}

TEST(Tfevents, TagsGroupTheMetrics) {
  EXPECT_EQ(event_tag("loss"), "train/loss");
  EXPECT_EQ(event_tag("val_bits_per_byte"), "val/bits_per_byte");
  EXPECT_EQ(event_tag("tokens_per_s"), "speed/tokens_per_s");
}

TEST_F(EventsLogTest, GoesOnWhereTheRunDoes) {
  EventsLog(folder_, 0).append(10, {{"loss", 3.0}, {"word", std::string("x")}, {"tokens", std::int64_t{7}}});
  EventsLog(folder_, 10).append(20, {{"loss", 2.0}});
  EventsLog(folder_, 10).append(20, {{"loss", 1.0}});  // the step came again: the first time is gone
  ASSERT_EQ(files().size(), 1U);
  const auto events = test::read_events(read_file(files()[0]));
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].file_version, "brain.Event:2");
  EXPECT_EQ(events[1].scalars.size(), 2U);
  EXPECT_EQ(events[2].scalars.at("train/loss"), 1.0F);
  EXPECT_GT(events[1].wall_time, 1.6e9);
}

TEST_F(EventsLogTest, BeginsAnewAndLeavesForeignFilesAlone) {
  const fs::path foreign = folder_ / "events.out.tfevents.1.other";
  std::ofstream(foreign) << "torn";
  EventsLog(folder_, 0).append(10, {{"loss", 3.0}});
  EventsLog(folder_, 0).append(10, {{"loss", 4.0}});
  ASSERT_EQ(files().size(), 2U);
  EXPECT_EQ(read_file(foreign), "torn");
  const fs::path ours = files()[0] == foreign ? files()[1] : files()[0];
  const auto events = test::read_events(read_file(ours));
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[1].scalars.at("train/loss"), 4.0F);
}

}  // namespace
}  // namespace minnow
