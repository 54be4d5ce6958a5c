#include "cli/sample_writer.hpp"

#include <gtest/gtest.h>

#include "cli/terminal.hpp"

namespace minnow::cli {
namespace {

template <class Work>
std::string printed(const Work& work) {
  flush_results();
  testing::internal::CaptureStdout();
  work();
  flush_results();
  return testing::internal::GetCapturedStdout();
}

TEST(SampleWriter, OneSampleStreamsBehindItsPrompt) {
  EXPECT_EQ(printed([] {
              SampleWriter writer(1, "Once ", false);
              writer.add(0, "upon");
              writer.add(0, " a time");
              writer.end(0);
            }),
            "Once upon a time\n");
}

TEST(SampleWriter, PieceIsThereBeforeTheNextOne) {
  SampleWriter* writer = nullptr;
  EXPECT_EQ(printed([&] {
              writer = new SampleWriter(2, "", false);
              writer->add(1, "later");
              writer->add(0, "now");
            }),
            "now");
  EXPECT_EQ(printed([&] {
              writer->end(0);
              writer->end(1);
            }),
            "\n---\nlater\n");
  delete writer;
}

TEST(SampleWriter, SamplesComeInOrderWhateverEndsFirst) {
  EXPECT_EQ(printed([] {
              SampleWriter writer(3, ">", false);
              writer.add(0, "a");
              writer.add(1, "b");
              writer.add(2, "c");
              writer.end(2);
              writer.add(1, "B");
              writer.end(1);
              writer.add(0, "A");
              writer.end(0);
            }),
            ">aA\n---\n>bB\n---\n>c\n");
}

TEST(SampleWriter, LinesStandWithoutAnythingBetween) {
  EXPECT_EQ(printed([] {
              SampleWriter writer(3, "", true);
              writer.add(0, "emma");
              writer.end(0);
              writer.end(1);  // an empty name has its line too
              writer.add(2, "ava\n");
              writer.end(2);
            }),
            "emma\n\nava\n");
}

}  // namespace
}  // namespace minnow::cli
