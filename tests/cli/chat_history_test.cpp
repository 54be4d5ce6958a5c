// The lines of chats on disk.
#include "cli/chat_history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "minnow/base/error.hpp"
#include "minnow/io/file.hpp"

namespace minnow::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ChatHistoryTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    file_ = folder_ / "state" / "minnow" / "chat_history";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(std::string_view content) const {
    std::filesystem::create_directories(file_.parent_path());
    std::ofstream(file_, std::ios::binary) << content;
  }
  [[nodiscard]] static unsigned mode_of(const std::filesystem::path& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 0777U;
  }

  std::filesystem::path folder_, file_;
};

TEST_F(ChatHistoryTest, FindsTheLinesOfEarlierChats) {
  EXPECT_THAT(ChatHistory(file_).read(), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(folder_));  // looking writes nothing
  ChatHistory(file_).add("hello");
  ChatHistory second(file_);
  EXPECT_THAT(second.read(), ElementsAre("hello"));
  second.add("two\nlines, a \\n and \\");
  second.add("日本é");
  EXPECT_THAT(ChatHistory(file_).read(), ElementsAre("hello", "two\nlines, a \\n and \\", "日本é"));
}

TEST_F(ChatHistoryTest, IsForItsOwnerAlone) {
  ChatHistory(file_).add("a secret");
  EXPECT_EQ(mode_of(file_), 0600U);
  EXPECT_EQ(mode_of(file_.parent_path()), 0700U);
}

TEST_F(ChatHistoryTest, TwoChatsLoseNothing) {
  ChatHistory one(file_), other(file_);
  one.add("1");
  other.add("2");
  one.add("3");
  EXPECT_THAT(ChatHistory(file_).read(), ElementsAre("1", "2", "3"));
}

TEST_F(ChatHistoryTest, KeepsTheNewest) {
  std::string content;
  for (std::size_t i = 0; i < 2 * kHistoryLines; ++i) content += "line " + std::to_string(i) + "\n";
  write(content);
  ChatHistory open(file_);
  open.add("newest");
  const std::vector<std::string> entries = ChatHistory(file_).read();
  ASSERT_EQ(entries.size(), kHistoryLines);
  EXPECT_EQ(entries.back(), "newest");
  EXPECT_EQ(entries.front(), "line 1001");
  EXPECT_EQ(mode_of(file_), 0600U);  // written anew
  const std::string kept = read_file(file_);
  EXPECT_EQ(std::count(kept.begin(), kept.end(), '\n'), std::ptrdiff_t(kHistoryLines));
  open.add("after it was cut");  // by a chat that was open meanwhile
  EXPECT_EQ(ChatHistory(file_).read().back(), "after it was cut");
}

TEST_F(ChatHistoryTest, CommandsNoTerminal) {
  write("good\n\x1b[2Jbad\nno \xff text\nc1 \xc2\x9b\n\n\ttab\ngood too");
  EXPECT_THAT(ChatHistory(file_).read(), ElementsAre("good", "good too"));
  ChatHistory history(file_);
  history.add("\x1b[2J");
  history.add(std::string(std::size_t{1} << 15U, 'a'));
  EXPECT_THAT(ChatHistory(file_).read(), ElementsAre("good", "good too"));
}

TEST_F(ChatHistoryTest, SaysWhatItCannotRead) {
  std::filesystem::create_directories(file_);  // a directory in its place
  EXPECT_THROW((void)ChatHistory(file_).read(), IoError);
  EXPECT_THROW(ChatHistory(file_).add("x"), IoError);
}

TEST(ChatHistoryPath, FollowsTheDesktop) {
  const auto set = [](const char* name, const char* value) {
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  };
  const char* home = std::getenv("HOME");
  const std::string home_before = home == nullptr ? "" : home;
  set("HOME", "/home/ada");
  set("XDG_STATE_HOME", nullptr);
  EXPECT_EQ(ChatHistory::usual_path(), "/home/ada/.local/state/minnow/chat_history");
  set("XDG_STATE_HOME", "/var/ada");
  EXPECT_EQ(ChatHistory::usual_path(), "/var/ada/minnow/chat_history");
  set("XDG_STATE_HOME", "not/absolute");  // to be ignored, says the specification
  EXPECT_EQ(ChatHistory::usual_path(), "/home/ada/.local/state/minnow/chat_history");
  set("HOME", nullptr);
  EXPECT_EQ(ChatHistory::usual_path(), "");
  set("XDG_STATE_HOME", nullptr);
  set("HOME", home == nullptr ? nullptr : home_before.c_str());
}

}  // namespace
}  // namespace minnow::cli
