// Data that changed since the checkpoint: an error with exit code 3, also when size and modification time are the same.
#include <gtest/gtest.h>

#include "data/data_files.hpp"
#include "minnow/data/dataset.hpp"

namespace minnow {
namespace {

TEST(DataChanged, OneByteAtTheSameSizeAndTimeIsNoticed) {
  const test::DataFolder folder;
  DatasetOptions options;
  options.path = folder.write("a.txt", "the quick brown fox jumps over the lazy dog, again and again");
  options.loader.block_size = 4;
  const DataFingerprint saved = Dataset::open(options).fingerprint();
  check_same_data(saved, Dataset::open(options).fingerprint());

  const auto time = std::filesystem::last_write_time(options.path);
  folder.write("a.txt", "the quick brown fox jumps over the lazy dog, again and agaim");
  std::filesystem::last_write_time(options.path, time);
  ASSERT_EQ(std::filesystem::last_write_time(options.path), time);
  const std::string error = test::error_of([&] { check_same_data(saved, Dataset::open(options).fingerprint()); });
  EXPECT_EQ(error.substr(0, 2), "3:") << error;
  EXPECT_NE(error.find("same size (60 bytes) but other content"), std::string::npos) << error;
}

}  // namespace
}  // namespace minnow
