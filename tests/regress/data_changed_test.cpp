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

/// Opens changed data as a run that goes on does. @return code and text of the error.
std::string error_with(const test::DataFolder& folder, DatasetOptions options, const std::string& name,
                       const std::string& content) {
  const Dataset before = Dataset::open(options);
  options.stored = before.tokenizer();
  options.files_read = [&](const DataFingerprint& now) { check_same_data(before.fingerprint(), now); };
  (void)Dataset::open(options);
  folder.write(name, content);
  return test::error_of([&] { (void)Dataset::open(options); });
}

// What the change broke (an unknown character, no text, no token file) is not what the user has to hear.
TEST(DataChanged, IsSaidBeforeWhatTheChangeBroke) {
  for (const char* content : {"the quick brown F", "", " \n", "tttttttttttttttttt", "t"}) {
    const test::DataFolder folder;
    DatasetOptions options;
    options.path = folder.write("a.txt", "the quick brown fox jumps over the lazy dog, again and again");
    options.loader.block_size = 4;
    const std::string error = error_with(folder, options, "a.txt", content);
    EXPECT_EQ(error.rfind("3:", 0), 0U) << error;
    EXPECT_NE(error.find("the data must be those the run began with"), std::string::npos) << error;
  }
}

TEST(DataChanged, IsSaidBeforeWhatTheChangeBrokeInValidationAndTokenFiles) {
  const test::DataFolder folder;
  DatasetOptions options;
  options.path = folder.write("a.txt", "the quick brown fox jumps over the lazy dog, again and again");
  options.val_path = folder.write("v.txt", "the lazy dog");
  options.split = SplitRule::kFile;
  options.loader.block_size = 4;
  EXPECT_NE(error_with(folder, options, "v.txt", "").find("v.txt has 0 bytes, was 12 bytes"), std::string::npos);

  DatasetOptions tokens;
  tokens.path = folder.write("t.bin", std::string(400, '\1'));
  tokens.tokenizer = TokenizerChoice::kNone;
  tokens.loader.block_size = 4;
  EXPECT_NE(error_with(folder, tokens, "t.bin", "odd").find("t.bin has 3 bytes, was 400 bytes"), std::string::npos);
}

}  // namespace
}  // namespace minnow
