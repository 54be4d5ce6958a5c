#include "minnow/base/mapped_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

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

TEST_F(MappedFileTest, NoticesThatTheFileShrank) {
  const fs::path path = write("s", "0123456789");
  const MappedFile file = MappedFile::open(path);
  file.check_not_shrunk();
  fs::resize_file(path, 4);
  try {
    file.check_not_shrunk();
    FAIL() << "no error";
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find("got 4 bytes instead of 10"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace minnow
