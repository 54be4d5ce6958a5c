#include "minnow/io/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/io_support.hpp"
#include "io/own_temporary.hpp"
#include "minnow/base/error.hpp"

namespace minnow {
namespace {

using test::message_of;
using test::save;
using test::steps_of;
using test::TempDir;
using test::ToyState;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Checkpoint, SaveThenLoadGivesTheStateBack) {
  const TempDir run;
  const SaveResult result = save(run.path(), 1000);
  EXPECT_EQ(result.directory, run / "checkpoints/step_00001000");
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_EQ(test::slurp(run / "latest"), "step_00001000\n");
  EXPECT_TRUE(verify_checkpoint(result.directory).ok());
  std::vector<std::string> warnings;
  const auto checkpoint = open_newest_valid(run.path(), warnings);
  ASSERT_TRUE(checkpoint.has_value());
  EXPECT_TRUE(ToyState(1000).equals(*checkpoint));
  EXPECT_TRUE(checkpoint->has("state.json"));
  EXPECT_FALSE(checkpoint->has("other"));
  EXPECT_THROW((void)checkpoint->read("other"), CheckpointError);
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_THAT(test::temporaries(run.path()), IsEmpty());
}

TEST(Checkpoint, SameStateGivesTheSameBytes) {
  const TempDir one, two;
  save(one.path(), 7);
  save(two.path(), 7);
  for (const char* name : {"model.safetensors", "optimizer.safetensors", "state.json", "manifest.json"}) {
    const std::filesystem::path file = std::filesystem::path("checkpoints/step_00000007") / name;
    EXPECT_EQ(test::slurp(one.path() / file), test::slurp(two.path() / file)) << name;
  }
}

TEST(Checkpoint, ManifestNamesEveryTensorAndCoversEveryByte) {
  const TempDir run;
  const Checkpoint checkpoint = Checkpoint::open(save(run.path(), 1).directory);
  const FileRecord* model = checkpoint.manifest().find("model.safetensors");
  ASSERT_NE(model, nullptr);
  ASSERT_EQ(model->sections.size(), 3U);
  EXPECT_EQ(model->sections[0].name, "(header)");
  EXPECT_EQ(model->sections[1].name, "a.weight");
  EXPECT_EQ(model->sections[2].end, std::filesystem::file_size(run / "checkpoints/step_00000001/model.safetensors"));
  EXPECT_EQ(checkpoint.manifest().find("state.json")->sections.at(0).name, "(content)");
}

TEST(Checkpoint, SavingTheSameStepAgain) {
  const TempDir run;
  save(run.path(), 5);
  const auto before = std::filesystem::last_write_time(run / "checkpoints/step_00000005/state.json");
  save(run.path(), 5);  // same bytes: nothing is written
  EXPECT_EQ(std::filesystem::last_write_time(run / "checkpoints/step_00000005/state.json"), before);

  const ToyState other(6);
  const SaveResult result = save_checkpoint(run.path(), 5, other.files());  // other bytes: replaced
  EXPECT_TRUE(verify_checkpoint(result.directory).ok());
  EXPECT_EQ(Checkpoint::open(result.directory).read("state.json"), other.text());

  test::spill(result.directory / "state.json", "broken");  // damaged: moved aside and kept
  const SaveResult again = save(run.path(), 5);
  EXPECT_TRUE(ToyState(5).equals(Checkpoint::open(again.directory)));
  ASSERT_EQ(again.warnings.size(), 1U);
  EXPECT_EQ(test::slurp(run / "checkpoints/step_00000005.damaged-1/state.json"), "broken");
  EXPECT_THAT(test::temporaries(run.path()), IsEmpty());
  EXPECT_THAT(steps_of(run.path()), ElementsAre(5));
}

TEST(Checkpoint, FailingWriterLeavesTheOldOnesAndNoTemporary) {
  const TempDir run;
  save(run.path(), 1, {.keep = 1});
  const ToyState state(2);
  auto files = state.files();
  files[1].writer = [](ByteSink& sink) {
    sink.write(std::string_view("half"));
    throw IoError("the disk is gone");
  };
  EXPECT_THROW(save_checkpoint(run.path(), 2, files, {.keep = 1}), IoError);
  EXPECT_THAT(steps_of(run.path()), ElementsAre(1));
  EXPECT_EQ(latest_step(run.path()), 1);
  EXPECT_THAT(test::temporaries(run.path()), IsEmpty());
}

TEST(Checkpoint, NoRoomIsFoundBeforeAnythingIsWritten) {
  const TempDir run;
  save(run.path(), 1);
  const ToyState state(2);
  auto files = state.files();
  files[0].bytes = std::uint64_t{1} << 60U;
  const std::string text = message_of<IoError>([&] { save_checkpoint(run.path(), 2, files); });
  EXPECT_THAT(text, HasSubstr("1152921504"));  // needed
  EXPECT_THAT(text, HasSubstr("got " + std::to_string(free_disk_bytes(run.path())).substr(0, 3)));
  files[0].bytes = UINT64_MAX;
  EXPECT_THROW(save_checkpoint(run.path(), 2, files), IoError);
  EXPECT_THAT(steps_of(run.path()), ElementsAre(1));
}

TEST(Checkpoint, BadRequestsAreRefused) {
  const TempDir run;
  const ToyState state(2);
  auto files = state.files();
  EXPECT_THROW(save_checkpoint(run.path(), -1, files), Error);
  EXPECT_THROW(save_checkpoint(run.path(), 1, {}), Error);
  for (const char* name : {"", ".", "..", "a/b", "../a", ".hidden", "manifest.json", "a b", "ä"}) {
    files[0].name = name;
    EXPECT_THROW(save_checkpoint(run.path(), 1, files), Error) << name;
  }
  files[0].name = "state.json";
  EXPECT_THAT(message_of<Error>([&] { save_checkpoint(run.path(), 1, files); }), HasSubstr("duplicate"));
  EXPECT_THAT(steps_of(run.path()), IsEmpty());
}

TEST(Checkpoint, NewestValidFallsBackAndWarns) {
  const TempDir run;
  std::vector<std::string> warnings;
  EXPECT_FALSE(open_newest_valid(run.path(), warnings));
  for (const std::int64_t step : {8, 9, 10}) save(run.path(), step);
  test::spill(checkpoint_directory(run.path(), 10) / "state.json", "{\"step\": 11}\n");
  std::filesystem::remove(checkpoint_directory(run.path(), 9) / "manifest.json");
  const auto found = open_newest_valid(run.path(), warnings);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(ToyState(8).equals(*found));
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_THAT(warnings[0], testing::AllOf(HasSubstr("step 10"), HasSubstr("state.json"), HasSubstr("(content)")));
  EXPECT_THAT(warnings[1], testing::AllOf(HasSubstr("step 9"), HasSubstr("manifest.json")));
  EXPECT_THAT(steps_of(run.path()), ElementsAre(8, 9, 10));  // nothing is deleted

  std::filesystem::remove(checkpoint_directory(run.path(), 8) / "model.safetensors");
  warnings.clear();
  const std::string text = message_of<CheckpointError>([&] { (void)open_newest_valid(run.path(), warnings); });
  EXPECT_THAT(text, HasSubstr("model.safetensors"));
}

TEST(Checkpoint, ListsByNumberAndIgnoresStrangers) {
  const TempDir run;
  for (const char* name :
       {"step_00000002", "step_00000010", "step_100000000", "step_2", "step_0000000x", "step_-0000001",
        "step_000000002", "step_00000010.damaged-1", "other", "step_99999999999999999999"}) {
    std::filesystem::create_directories(run.path() / "checkpoints" / name);
  }
  EXPECT_THAT(steps_of(run.path()), ElementsAre(2, 10, 100000000));
}

TEST(Checkpoint, PointersAreNamesNotPaths) {
  const TempDir run;
  save(run.path(), 3);
  for (const char* text :
       {"", "\n", "step_00000003", "../step_00000003\n", "/etc/passwd\n", "step_3\n", "step_00000003\n\n"}) {
    test::spill(run / "best", text);
    EXPECT_FALSE(best_step(run.path())) << text;
  }
  mark_best(run.path(), 3);
  EXPECT_EQ(best_step(run.path()), 3);
  EXPECT_THROW(mark_best(run.path(), 4), CheckpointError);
  EXPECT_EQ(best_step(run.path()), 3);
}

TEST(Rotation, KeepsNewestBestLatestAndResumed) {
  const TempDir run;
  for (std::int64_t step = 1; step <= 5; ++step) save(run.path(), step);
  mark_best(run.path(), 2);
  const SaveResult result = save(run.path(), 6, {.keep = 2, .resumed_step = 3});
  EXPECT_THAT(steps_of(run.path()), ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(result.removed, ElementsAre(4, 1));
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_THAT(test::temporaries(run.path()), IsEmpty());
}

TEST(Rotation, OddLimits) {
  const TempDir run;
  for (std::int64_t step = 1; step <= 4; ++step) save(run.path(), step, {.keep = 0});
  save(run.path(), 5, {.keep = -3});
  EXPECT_EQ(steps_of(run.path()).size(), 5U);
  save(run.path(), 6, {.keep = 100});
  EXPECT_EQ(steps_of(run.path()).size(), 6U);
  save(run.path(), 7, {.keep = 1});
  EXPECT_THAT(steps_of(run.path()), ElementsAre(7));
}

TEST(Rotation, ASaveBehindTheNewestIsKept) {
  const TempDir run;
  for (const std::int64_t step : {100, 200, 300}) save(run.path(), step);
  save(run.path(), 150, {.keep = 1, .resumed_step = 100});
  EXPECT_THAT(steps_of(run.path()), ElementsAre(100, 150, 300));
}

TEST(Rotation, LeavesTornAndForeignDirectoriesAlone) {
  const TempDir run;
  for (std::int64_t step = 1; step <= 4; ++step) save(run.path(), step);
  std::filesystem::resize_file(checkpoint_directory(run.path(), 1) / "state.json", 3);   // torn
  std::filesystem::remove(checkpoint_directory(run.path(), 2) / "manifest.json");        // no manifest
  test::spill(checkpoint_directory(run.path(), 3) / "notes.txt", "my notes");            // not ours
  std::filesystem::create_directories(run / "checkpoints/.minnow-tmp-elsewhere-1-1-0");  // another host
  std::filesystem::create_directories(run / "checkpoints/step_00000004.damaged-1");
  const SaveResult result = save(run.path(), 5, {.keep = 1});
  EXPECT_THAT(steps_of(run.path()), ElementsAre(1, 2, 3, 5));
  EXPECT_EQ(result.warnings.size(), 3U);
  EXPECT_TRUE(std::filesystem::exists(run / "checkpoints/.minnow-tmp-elsewhere-1-1-0"));
  EXPECT_TRUE(std::filesystem::exists(run / "checkpoints/step_00000004.damaged-1"));
  EXPECT_TRUE(std::filesystem::exists(checkpoint_directory(run.path(), 3) / "notes.txt"));
}

TEST(StaleTemporaries, OnlyThoseOfDeadProcessesOfThisHostGo) {
  const std::string host = detail::host_name();
  const std::string live = ".minnow-tmp-" + host + "-" + std::to_string(::getpid());
  EXPECT_TRUE(detail::is_stale_temporary(live + "-1-0"));  // our number, but another start: a process before us
  EXPECT_FALSE(detail::is_stale_temporary(live + "-0-0"));
  EXPECT_TRUE(detail::is_stale_temporary(".minnow-tmp-" + host + "-2147483646-5-0"));
  for (const char* name :
       {".minnow-tmp-", ".minnow-tmp-x", ".minnow-tmp-1-2-3", "step_00000001", ".minnow-tmp-other-2147483646-5-0"}) {
    EXPECT_FALSE(detail::is_stale_temporary(name)) << name;
  }
  const TempDir run;
  const std::string dead = ".minnow-tmp-" + host + "-2147483646-5-";
  std::filesystem::create_directories(run / ("checkpoints/" + dead + "0"));
  test::spill(run / ("checkpoints/" + dead + "0/model.safetensors"), "half");
  test::spill(run / (dead + "1"), "half");
  std::filesystem::create_directories(run /
                                      ("checkpoints/" + dead + "2/sub"));  // never ours: we make no folders inside
  save(run.path(), 1);
  EXPECT_THAT(test::temporaries(run.path()), ElementsAre(dead + "2"));
}

TEST(RemoveAllCheckpoints, ForOverwrite) {
  const TempDir run;
  EXPECT_THAT(remove_all_checkpoints(run.path()), IsEmpty());
  for (std::int64_t step = 1; step <= 3; ++step) save(run.path(), step);
  std::filesystem::remove(checkpoint_directory(run.path(), 2) / "manifest.json");
  mark_best(run.path(), 1);
  EXPECT_THAT(remove_all_checkpoints(run.path()), IsEmpty());
  EXPECT_THAT(steps_of(run.path()), IsEmpty());
  EXPECT_FALSE(best_step(run.path()));
  EXPECT_FALSE(latest_step(run.path()));
}

}  // namespace
}  // namespace minnow
