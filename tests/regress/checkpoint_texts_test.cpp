// Texts of a checkpoint that are whole by their hashes but not one run's: each is refused (exit 4), none is believed.
#include <gtest/gtest.h>

#include "io/io_support.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/checkpoint.hpp"
#include "minnow/io/file.hpp"
#include "minnow/train/run.hpp"
#include "minnow/train/trainer.hpp"
#include "support/tiny_model.hpp"

namespace minnow {
namespace {

class CheckpointTexts : public testing::Test {
 protected:
  void SetUp() override {
    std::string text;
    for (const std::int32_t id : test::ids(600, 9)) text += static_cast<char>('a' + id);
    test::spill(dir_ / "text.txt", text);
    config_.model = test::tiny_config();
    config_.data.path = (dir_ / "text.txt").string();
    config_.train.batch_size = 4;
    config_.train.max_steps = 3;
    options_.config.config = config_;
    options_.config.origins.assign(config_keys().size(), "test");
    options_.run_dir = dir_ / "run";
    (void)train(options_);
  }

  /// Saves the run's checkpoint again, one file changed, with a right manifest.
  std::filesystem::path changed(const char* file, const std::string& from, const std::string& to) {
    const Checkpoint old = Checkpoint::open(checkpoint_directory(options_.run_dir, 3));
    std::vector<FileSource> sources;
    for (const FileRecord& record : old.manifest().files) {
      std::string text = read_file(old.directory() / record.name);
      if (record.name == file) {
        const auto at = from.empty() ? 0 : text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        text = from.empty() ? to : text.substr(0, at) + to + text.substr(at + from.size());
      }
      sources.push_back(
          {record.name, [text](ByteSink& sink) { sink.write(std::as_bytes(std::span(text))); }, text.size()});
    }
    const std::filesystem::path run = dir_ / ("changed" + std::to_string(++count_));
    (void)save_checkpoint(run, 3, sources, {});
    return run;
  }

  void expect_refused(const std::filesystem::path& run, const std::string& why) {
    TrainOptions resume = options_;
    resume.run_dir = run;
    resume.resume = true;
    resume.config.config.train.max_steps = 5;
    for (const bool opens : {true, false}) {
      try {
        opens ? (void)open_run(run) : (void)train(resume);
        ADD_FAILURE() << why << " was believed by " << (opens ? "open_run" : "resume");
      } catch (const CheckpointError& error) {
        EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
      }
    }
  }

  test::TempDir dir_;
  Config config_;
  TrainOptions options_;
  int count_ = 0;
};

TEST_F(CheckpointTexts, NumbersThatNoRunWritesAreRefused) {
  expect_refused(changed("state.json", "\"step\": 3", "\"step\": -5"), "step must be from 0");
  expect_refused(changed("state.json", "\"step\": 3", "\"step\": 9223372036854775807"), "step must be from 0");
  expect_refused(changed("state.json", "\"step\": 3", "\"step\": 4"), "must be that of the manifest, 3; got 4");
  expect_refused(changed("state.json", "\"optimizer_steps\": 3", "\"optimizer_steps\": -3"), "optimizer_steps");
  expect_refused(changed("state.json", "\"optimizer_steps\": 3", "\"optimizer_steps\": 9223372036854775807"),
                 "optimizer_steps must be from 0 to 3");
  expect_refused(changed("state.json", "\"vocab_size\": 9", "\"vocab_size\": -1"), "vocab_size");
  expect_refused(changed("state.json", "\"vocab_size\": 9", "\"vocab_size\": 1000000000"), "tokenizer.json");
  expect_refused(changed("state.json", "\"logged_step\": 3", "\"logged_step\": 99"), "logged_step");
  expect_refused(changed("state.json", "\"leaf_sequences\": 4", "\"leaf_sequences\": 0"), "leaf_sequences");
}

TEST_F(CheckpointTexts, TextsOfOtherRunsAreRefusedAsCheckpointErrors) {
  expect_refused(changed("config.toml", "", "x"), "config.toml");
  expect_refused(changed("config.toml", "n_embd = 16", "n_embd = 1000000"), "transformer.wte.weight");
  expect_refused(changed("tokenizer.json", "", "{}"), "tokenizer.json");
}

}  // namespace
}  // namespace minnow
