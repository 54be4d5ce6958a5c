// Empty and blank texts must be a clear data error (exit 3) wherever they enter.
#include <gtest/gtest.h>

#include "data/data_files.hpp"
#include "minnow/data/dataset.hpp"
#include "minnow/text/char_tokenizer.hpp"

namespace minnow {
namespace {

TEST(BlankText, IsADataErrorEverywhere) {
  const test::DataFolder folder;
  for (const std::string text : {"", " ", "\n\n\n", "\t \r\n", "\xC2\xA0\xE2\x80\x83", "\xEF\xBB\xBF\r\n"}) {
    for (const Documents documents : {Documents::kStream, Documents::kLines, Documents::kFiles}) {
      for (const TokenizerChoice tokenizer : {TokenizerChoice::kChar, TokenizerChoice::kByte, TokenizerChoice::kBpe}) {
        DatasetOptions options;
        options.path = folder.write("a.txt", text);
        options.documents = documents;
        options.tokenizer = tokenizer;
        const std::string error = test::error_of([&] { static_cast<void>(Dataset::open(options)); });
        EXPECT_EQ(error.substr(0, 2), "3:") << error;
        EXPECT_NE(error.find(text.empty() ? "is empty" : "is blank"), std::string::npos) << error;
      }
    }
  }
  EXPECT_EQ(test::error_of([] { static_cast<void>(CharTokenizer::train("")); }).substr(0, 2), "3:");
  EXPECT_EQ(test::error_of([] { static_cast<void>(CharTokenizer::train(" \n")); }).substr(0, 2), "3:");
}

}  // namespace
}  // namespace minnow
