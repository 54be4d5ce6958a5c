#include "minnow/base/mapped_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "minnow/base/error.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;

class MappedFileTest : public ::testing::Test {
 protected:
  MappedFileTest() {
    std::string pattern = (fs::temp_directory_path() / "minnow_map_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~MappedFileTest() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }

  fs::path folder_;
};

TEST_F(MappedFileTest, GivesTheContent) {
  const std::string content("a\0b\n", 4);
  MappedFile file = MappedFile::open(write("x", content));
  EXPECT_EQ(file.text(), content);
  EXPECT_EQ(file.bytes().size(), 4U);
  MappedFile moved = std::move(file);
  EXPECT_EQ(moved.text(), content);
}

TEST_F(MappedFileTest, EmptyFileIsAnEmptySpan) { EXPECT_TRUE(MappedFile::open(write("e", "")).bytes().empty()); }

TEST_F(MappedFileTest, RefusesWhatIsNotARegularFile) {
  EXPECT_THROW(static_cast<void>(MappedFile::open(folder_ / "missing")), IoError);
  EXPECT_THROW(static_cast<void>(MappedFile::open(folder_)), IoError);
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(static_cast<void>(MappedFile::open(folder_ / "pipe")), IoError);
  fs::create_symlink(folder_ / "loop", folder_ / "loop");
  EXPECT_THROW(static_cast<void>(MappedFile::open(folder_ / "loop")), IoError);
}

void expect_change(const MappedFile& file, const std::string& text) {
  try {
    file.check_unchanged();
    FAIL() << "no error";
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

TEST_F(MappedFileTest, NoticesThatTheFileChanged) {
  const fs::path path = write("s", "0123456789");
  const MappedFile file = MappedFile::open(path);
  file.check_unchanged();
  fs::resize_file(path, 4);
  expect_change(file, "got 4 bytes instead of 10");
  const MappedFile grows = MappedFile::open(path);
  fs::resize_file(path, 40);
  expect_change(grows, "got 40 bytes instead of 4");
  const MappedFile stays = MappedFile::open(path);
  fs::last_write_time(path, fs::last_write_time(path) + std::chrono::seconds(1));
  expect_change(stays, "was written to");
  const MappedFile replaced = MappedFile::open(path);
  fs::rename(write("new", "another text"), path);  // what is mapped stays as it is
  replaced.check_unchanged();
}

TEST_F(MappedFileTest, ReadsBehindTheEndOfACutFileGiveZerosAndAnError) {
  constexpr std::size_t kBytes = 1 << 20;
  survive_cut_files();
  const fs::path path = write("cut", std::string(kBytes, 'x'));
  const fs::path whole = write("whole", std::string(kBytes, 'y'));
  const MappedFile other = MappedFile::open(whole);
  {
    const MappedFile file = MappedFile::open(path);
    fs::resize_file(path, 10);
    std::size_t zeros = 0;
    for (const char byte : file.text()) zeros += byte == 0 ? 1 : 0;
    EXPECT_EQ(zeros, kBytes - 10);
    expect_change(file, "got 10 bytes");
    fs::resize_file(path, kBytes);
    expect_change(file, "written to");
  }
  other.check_unchanged();
  EXPECT_EQ(other.text().back(), 'y');
  const MappedFile again = MappedFile::open(whole);  // takes the place of the one that is gone
  again.check_unchanged();
}

TEST(MappedFileDeathTest, OtherBusErrorsKeepTheirEffect) {
  EXPECT_EXIT(
      {
        survive_cut_files();
        std::raise(SIGBUS);
        std::raise(SIGBUS);
      },
      testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace minnow
