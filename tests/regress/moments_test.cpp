// Moments of the optimizer that no training writes, under a right checksum: the resume is refused (exit 4) by name and
// index instead of going on with a root of a negative number.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "io/io_support.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/checkpoint.hpp"
#include "minnow/io/file.hpp"
#include "minnow/io/safetensors.hpp"
#include "minnow/train/trainer.hpp"
#include "support/tiny_model.hpp"

namespace minnow {
namespace {

constexpr const char* kFile = "optimizer.safetensors";

class Moments : public testing::Test {
 protected:
  void SetUp() override {
    std::string text;
    for (const std::int32_t id : test::ids(600, 9)) text += static_cast<char>('a' + id);
    test::spill(dir_ / "text.txt", text);
    Config config;
    config.model = test::tiny_config();
    config.data.path = (dir_ / "text.txt").string();
    config.train.batch_size = 4;
    config.train.max_steps = 3;
    options_.config.config = config;
    options_.config.origins.assign(config_keys().size(), "test");
    options_.run_dir = dir_ / "run";
    (void)train(options_);
  }

  /// @return a run whose checkpoint has `value` at `index` of one moment, with a right manifest.
  std::filesystem::path with(const std::string& name, std::size_t index, float value) {
    const Checkpoint old = Checkpoint::open(checkpoint_directory(options_.run_dir, 3));
    std::vector<FileSource> sources;
    for (const FileRecord& record : old.manifest().files) {
      std::string text = read_file(old.directory() / record.name);
      if (!record.name.ends_with(".safetensors")) {
        sources.push_back(
            {record.name, [text](ByteSink& sink) { sink.write(std::as_bytes(std::span(text))); }, text.size()});
        continue;
      }
      const SafetensorsHeader header = old.header(record.name);
      const TensorEntry* entry = record.name == kFile ? header.find(name) : nullptr;
      if (entry != nullptr) std::memcpy(text.data() + entry->begin + index * sizeof value, &value, sizeof value);
      const auto write = [text, header](ByteSink& sink) {
        std::vector<TensorSource> tensors;
        for (const TensorEntry& one : header.tensors) {
          tensors.push_back(
              {one.name, one.dtype, one.shape, std::as_bytes(std::span(text)).subspan(one.begin, one.end - one.begin)});
        }
        write_safetensors(sink, tensors);
      };
      sources.push_back({record.name, write, text.size()});
    }
    const std::filesystem::path run = dir_ / ("changed" + std::to_string(++count_));
    (void)save_checkpoint(run, 3, sources, {});
    return run;
  }

  std::string resume_error(const std::filesystem::path& run) {
    TrainOptions resume = options_;
    resume.run_dir = run;
    resume.resume = true;
    resume.config.config.train.max_steps = 5;
    try {
      (void)train(resume);
    } catch (const CheckpointError& error) {
      return error.what();
    }
    return "";
  }

  test::TempDir dir_;
  TrainOptions options_;
  int count_ = 0;
};

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST_F(Moments, SecondOnesAreNeitherNegativeNorNan) {
  for (const float value : {-1e-12F, kNan, -kInfinity}) {
    const std::string error = resume_error(with("exp_avg_sq.transformer.wte.weight", 7, value));
    EXPECT_NE(error.find("second moments of the optimizer must be 0 or more"), std::string::npos) << error;
    EXPECT_NE(error.find("exp_avg_sq.transformer.wte.weight in "), std::string::npos) << error;
    EXPECT_NE(error.find("at index 7"), std::string::npos) << error;
  }
}

TEST_F(Moments, FirstOnesAreFinite) {
  for (const float value : {kNan, kInfinity}) {
    const std::string error = resume_error(with("exp_avg.transformer.ln_f.bias", 2, value));
    EXPECT_NE(error.find("exp_avg.transformer.ln_f.bias in "), std::string::npos) << error;
    EXPECT_NE(error.find("at index 2"), std::string::npos) << error;
  }
}

// 0 is what a moment begins with, negative zero is its equal, and a square may overflow.
TEST_F(Moments, WhatTrainingWritesIsTaken) {
  for (const float value : {0.0F, -0.0F, 1e-30F, kInfinity}) {
    EXPECT_EQ(resume_error(with("exp_avg_sq.transformer.wte.weight", 7, value)), "") << value;
  }
  EXPECT_EQ(resume_error(with("exp_avg.transformer.ln_f.bias", 2, -1.5F)), "");
}

}  // namespace
}  // namespace minnow
