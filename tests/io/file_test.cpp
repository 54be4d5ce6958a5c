#include "minnow/io/file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "io/io_support.hpp"
#include "minnow/base/error.hpp"

namespace minnow {
namespace {

using test::message_of;
using test::TempDir;
using testing::HasSubstr;

TEST(FileWriter, WritesSmallAndLargePiecesInOrder) {
  const TempDir dir;
  std::string expected;
  FileWriter writer(dir / "f");
  for (const std::size_t size : {1U, 100U, 70000U, 3U, 65536U, 65535U, 2U, 200000U}) {
    const std::string piece(size, static_cast<char>('a' + size % 26));
    writer.write(piece);
    expected += piece;
  }
  EXPECT_EQ(writer.size(), expected.size());
  writer.commit();
  EXPECT_EQ(test::slurp(dir / "f"), expected);
}

TEST(FileWriter, DoesNotTouchWhatExists) {
  const TempDir dir;
  test::spill(dir / "f", "old");
  EXPECT_THROW(FileWriter writer(dir / "f"), IoError);
  EXPECT_EQ(test::slurp(dir / "f"), "old");
}

TEST(FileWriter, ReportsAFullDevice) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "/dev/full is missing";
  const TempDir dir;
  // A file size limit makes the kernel write a part first, as a full disk does, and then refuse.
  signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  rlimit small = old;
  small.rlim_cur = 100000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string text = message_of<IoError>([&] { write_file_atomic(dir / "f", std::string(300000, 'x')); });
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_THAT(text, HasSubstr("File too large"));
  EXPECT_THAT(text, HasSubstr("bytes needed"));
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(WriteFileAtomic, ReplacesAndLeavesNothingBehind) {
  const TempDir dir;
  write_file_atomic(dir / "config.toml", "one");
  write_file_atomic(dir / "config.toml", "two");
  EXPECT_EQ(read_file(dir / "config.toml"), "two");
  EXPECT_TRUE(test::temporaries(dir.path()).empty());
}

TEST(WriteFileAtomic, KeepsTheOldFileWhenTheContentFails) {
  const TempDir dir;
  write_file_atomic(dir / "f", "old");
  EXPECT_THROW(write_file_atomic(dir / "f",
                                 [](ByteSink& sink) {
                                   sink.write(std::string_view("half"));
                                   throw DataError("no more");
                                 }),
               DataError);
  EXPECT_EQ(test::slurp(dir / "f"), "old");
  EXPECT_TRUE(test::temporaries(dir.path()).empty());
}

TEST(WriteFileAtomic, WorksWithTheLongestName) {
  const TempDir dir;
  const std::string name(255, 'n');
  write_file_atomic(dir / name, "x");
  EXPECT_EQ(read_file(dir / name), "x");
}

TEST(WriteFileAtomic, NamesPathReasonAndHint) {
  const TempDir dir;
  const std::string text = message_of<IoError>([&] { write_file_atomic(dir / "missing/f", "x"); });
  EXPECT_THAT(text, HasSubstr("missing"));
  EXPECT_THAT(text, HasSubstr("No such file or directory"));
  EXPECT_THAT(text, HasSubstr("Hint:"));
}

TEST(WriteFileAtomic, DoesNotReplaceADeviceOrPipe) {
  const TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(message_of<IoError>([&] { write_file_atomic(dir / "pipe", "x"); }), HasSubstr("device, pipe or socket"));
  EXPECT_TRUE(std::filesystem::is_fifo(dir / "pipe"));
}

TEST(WriteWhereNamed, WritesBehindLinksAndIntoPipes) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "far");
  std::filesystem::create_symlink("far/target", dir / "link");
  std::filesystem::create_symlink(dir / "link", dir / "second");
  for (const std::string text : {"new", "other"}) {  // the target is missing, then there
    write_where_named(dir / "second", text);
    EXPECT_EQ(test::slurp(dir / "far/target"), text);
  }
  EXPECT_TRUE(std::filesystem::is_symlink(dir / "link"));
  std::filesystem::create_symlink("loop", dir / "loop");
  EXPECT_THAT(message_of<IoError>([&] { write_where_named(dir / "loop", "x"); }), HasSubstr("loop of symbolic links"));
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(write_where_named(dir / "pipe", "x"), IoError);  // nobody reads it
  const int reader = ::open((dir / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_where_named(dir / "pipe", "through");
  char got[16] = {};
  EXPECT_EQ(::read(reader, got, sizeof got), 7);
  ::close(reader);
  EXPECT_STREQ(got, "through");
  EXPECT_TRUE(std::filesystem::is_fifo(dir / "pipe"));
}

TEST(ReadFile, LimitsSizeAndKind) {
  const TempDir dir;
  test::spill(dir / "f", "12345");
  EXPECT_EQ(read_file(dir / "f", 5), "12345");
  EXPECT_THAT(message_of<IoError>([&] { (void)read_file(dir / "f", 4); }), HasSubstr("at most 4 bytes"));
  EXPECT_THAT(message_of<IoError>([&] { (void)read_file(dir.path()); }), HasSubstr("a directory"));
  EXPECT_THROW((void)read_file(dir / "none"), IoError);
  ASSERT_EQ(mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(message_of<IoError>([&] { (void)read_file(dir / "pipe"); }), HasSubstr("pipe"));  // and does not hang
}

TEST(FileReader, AFileThatShrinksIsAnErrorNotASignal) {
  const TempDir dir;
  test::spill(dir / "f", std::string(10000, 'x'));
  const FileReader reader(dir / "f");
  std::vector<std::byte> bytes(10000);
  std::filesystem::resize_file(dir / "f", 5000);
  const std::string text = message_of<IoError>([&] { reader.read_at(0, bytes); });
  EXPECT_THAT(text, HasSubstr("10000"));
  EXPECT_THAT(text, HasSubstr("5000"));
  EXPECT_THROW(reader.read_at(UINT64_MAX, std::span(bytes).first(1)), IoError);
}

TEST(MakeDirectories, CreatesParentsAndRefusesFiles) {
  const TempDir dir;
  make_directories(dir / "a/b c/ä/");
  make_directories(dir / "a/b c/ä");
  EXPECT_TRUE(std::filesystem::is_directory(dir / "a/b c/ä"));
  test::spill(dir / "f", "x");
  EXPECT_THROW(make_directories(dir / "f"), IoError);
  EXPECT_THROW(make_directories(dir / "f/g"), IoError);
  std::filesystem::create_symlink("loop", dir / "loop");
  EXPECT_THROW(make_directories(dir / "loop/g"), IoError);
}

TEST(FreeDisk, NamesNeededAndPresentBytes) {
  const TempDir dir;
  EXPECT_GT(free_disk_bytes(dir.path()), 0U);
  require_free_disk(dir.path(), 1);
  const std::string text = message_of<IoError>([&] { require_free_disk(dir.path(), UINT64_MAX); });
  EXPECT_THAT(text, HasSubstr("18446744073709551615"));
  EXPECT_THAT(text, HasSubstr("got "));
}

}  // namespace
}  // namespace minnow
