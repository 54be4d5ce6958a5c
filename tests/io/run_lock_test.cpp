#include "minnow/io/run_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/io_support.hpp"
#include "minnow/base/error.hpp"

namespace minnow {
namespace {

using test::TempDir;

TEST(RunLock, SecondHolderIsRefusedAndToldWho) {
  const TempDir run;
  RunLock lock = RunLock::acquire(run / "new/run");
  EXPECT_TRUE(lock.held());
  const std::string text = test::message_of<BusyError>([&] { (void)RunLock::acquire(run / "new/run"); });
  EXPECT_THAT(text, testing::HasSubstr("process " + std::to_string(::getpid())));
  EXPECT_THAT(text, testing::HasSubstr("host "));
  lock.release();
  EXPECT_FALSE(lock.held());
  EXPECT_NO_THROW((void)RunLock::acquire(run / "new/run"));
}

TEST(RunLock, MovesAndFreesWithTheObject) {
  const TempDir run;
  {
    RunLock first = RunLock::acquire(run.path());
    const RunLock second = std::move(first);
    EXPECT_THROW((void)RunLock::acquire(run.path()), BusyError);
  }
  EXPECT_NO_THROW((void)RunLock::acquire(run.path()));
}

TEST(RunLock, KeepsAnUntouchedDirectoryAndMakesARemovedLockFileAgain) {
  const TempDir run;
  RunLock lock = RunLock::acquire(run / "r");
  EXPECT_NO_THROW(lock.keep());
  std::filesystem::remove(run / "r/.lock");
  EXPECT_NO_THROW(lock.keep());
  EXPECT_TRUE(std::filesystem::exists(run / "r/.lock"));
  EXPECT_THROW((void)RunLock::acquire(run / "r"), BusyError);
}

TEST(RunLock, WithdrawTakesBackWhatAcquireMadeAndNothingElse) {
  const TempDir run;
  RunLock::acquire(run / "a/b/").withdraw();
  EXPECT_FALSE(std::filesystem::exists(run / "a"));
  std::filesystem::create_directory(run / "there");
  RunLock::acquire(run / "there").withdraw();
  EXPECT_TRUE(std::filesystem::is_empty(run / "there"));
  RunLock::acquire(run / "there").release();  // a lock file that was there stays
  RunLock::acquire(run / "there").withdraw();
  EXPECT_TRUE(std::filesystem::exists(run / "there/.lock"));
  RunLock used = RunLock::acquire(run / "c/d");
  test::spill(run / "c/e", "x");
  used.withdraw();
  EXPECT_FALSE(used.held());
  EXPECT_FALSE(std::filesystem::exists(run / "c/d"));
  EXPECT_TRUE(std::filesystem::exists(run / "c/e"));
  RunLock lost = RunLock::acquire(run / "f");
  std::filesystem::remove(run / "f/.lock");
  const RunLock winner = RunLock::acquire(run / "f");
  lost.withdraw();  // the file is another's by now
  EXPECT_TRUE(std::filesystem::exists(run / "f/.lock"));
}

TEST(RunLock, KeepRefusesADirectoryThatAnotherProcessTook) {
  const TempDir run;
  RunLock first = RunLock::acquire(run / "r");
  std::filesystem::remove(run / "r/.lock");
  const RunLock second = RunLock::acquire(run / "r");
  EXPECT_THROW(first.keep(), BusyError);
}

TEST(RunLock, KeepRefusesADirectoryThatWasRemovedMovedOrReplaced) {
  const TempDir run;
  RunLock lock = RunLock::acquire(run / "r");
  std::filesystem::rename(run / "r", run / "moved");
  EXPECT_THAT(test::message_of<IoError>([&] { lock.keep(); }), testing::HasSubstr("removed or moved"));
  EXPECT_FALSE(std::filesystem::exists(run / "r"));
  std::filesystem::create_directory(run / "r");
  EXPECT_THAT(test::message_of<IoError>([&] { lock.keep(); }), testing::HasSubstr("replaced by another"));
  EXPECT_FALSE(std::filesystem::exists(run / "r/.lock"));
}

TEST(RunLock, AFileInTheWayIsAnIoError) {
  const TempDir run;
  test::spill(run / "f", "x");
  EXPECT_THROW((void)RunLock::acquire(run / "f"), IoError);
  std::filesystem::create_directories(run / "d/.lock");
  EXPECT_THROW((void)RunLock::acquire(run / "d"), IoError);
}

}  // namespace
}  // namespace minnow
