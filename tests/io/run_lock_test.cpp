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

TEST(RunLock, AFileInTheWayIsAnIoError) {
  const TempDir run;
  test::spill(run / "f", "x");
  EXPECT_THROW((void)RunLock::acquire(run / "f"), IoError);
  std::filesystem::create_directories(run / "d/.lock");
  EXPECT_THROW((void)RunLock::acquire(run / "d"), IoError);
}

}  // namespace
}  // namespace minnow
