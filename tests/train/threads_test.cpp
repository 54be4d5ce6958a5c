// The number of threads and of micro-batches changes no bit of a run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "minnow/base/parallel.hpp"
#include "train/small_run.hpp"

namespace minnow {
namespace {

using test::expect_same;
using test::Outcome;
using test::outcome_of;
using test::train_once;

class SameBits : public ::testing::Test {
 protected:
  ~SameBits() override { set_threads(before_); }
  virtual LoadedConfig config(const std::vector<std::string>& overrides) const {
    return test::small_config(text_, overrides);
  }
  Outcome outcome(const std::vector<std::string>& overrides, const std::string& name) const {
    const std::string run = folder_.path(name);
    train_once(config(overrides), run);
    return outcome_of(run);
  }
  test::DataFolder folder_;
  std::string text_ = folder_.write("text.txt", test::small_text(3000));
  int before_ = threads();
};

/// The same with everybody who multiplies, in each precision.
class SameBitsWith : public SameBits, public ::testing::WithParamInterface<test::Products> {
 protected:
  LoadedConfig config(const std::vector<std::string>& overrides) const override {
    return SameBits::config(GetParam().settings(overrides));
  }

 private:
  kernels::GemmBackendScope backend_;
};
INSTANTIATE_TEST_SUITE_P(, SameBitsWith, ::testing::ValuesIn(test::all_products()),
                         [](const auto& chosen) { return chosen.param.name(); });

TEST_P(SameBitsWith, AtAnyNumberOfThreads) {
  set_threads(1);
  // 48 x 2 x 32 x 32 rows and columns are enough for several chunks and tiles.
  const std::vector<std::string> big = {"train.max_steps=12", "model.n_embd=48", "model.block_size=32",
                                        "train.batch_size=12", "train.leaf_sequences=0"};
  const Outcome expected = outcome(big, "one");
  for (const int count : {2, 3, 4, 8}) {
    set_threads(count);
    expect_same(expected, outcome(big, fmt::format("t{}", count)), fmt::format("{} threads", count));
  }
}

TEST_P(SameBitsWith, WhenTheNumberOfThreadsChangesInTheMiddle) {
  set_threads(1);
  const LoadedConfig short_run = config({"train.max_steps=12"});
  train_once(short_run, folder_.path("one"));
  const std::string run = folder_.path("mixed");
  for (const int step : {2, 5, 8, 11}) {
    set_threads(1 + step % 4);
    test::Watcher watcher;
    watcher.stop_after_step = step;
    train_once(short_run, run, watcher);
  }
  train_once(short_run, run);
  expect_same(outcome_of(folder_.path("one")), outcome_of(run), "threads change");
}

TEST_P(SameBitsWith, InAnyNumberOfMicroBatches) {
  kernels::set_gemm_backend(GetParam().backend);
  // Evaluations have the size of a micro-batch unless told otherwise.
  const char* const rows = kernels::gemm_rows_are_independent<float>() ? "eval.batch_size=0" : "eval.batch_size=4";
  const auto with = [&](int steps) {
    return outcome({"train.max_steps=14", fmt::format("train.accumulation_steps={}", steps), rows},
                   fmt::format("a{}", steps));
  };
  const Outcome expected = with(1);
  expect_same(expected, with(2), "2 micro-batches");
  expect_same(expected, with(4), "4 micro-batches");
}

TEST_P(SameBitsWith, ForEvaluationsOfAnyBatchSize) {
  kernels::set_gemm_backend(GetParam().backend);
  if (!kernels::gemm_rows_are_independent<float>()) {
    GTEST_SKIP() << "rows have other bits in other batches with " << GetParam().name();
  }
  const auto with = [&](int rows) {
    return outcome({"train.max_steps=14", fmt::format("eval.batch_size={}", rows)}, fmt::format("e{}", rows));
  };
  const Outcome expected = with(1);
  for (const int rows : {3, 8, 1000}) expect_same(expected, with(rows), fmt::format("{} rows", rows));
}

// Dropout must be drawn anew every step, but never by an evaluation or a sample in between.
TEST_F(SameBits, WithEvaluationsAndSamplesOrWithoutThem) {
  (void)outcome({"train.max_steps=14"}, "with");
  (void)outcome({"train.max_steps=14", "eval.every_steps=0", "sample.every_steps=0"}, "without");
  for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
    EXPECT_EQ(test::file_hash(folder_.path("with"), 14, file), test::file_hash(folder_.path("without"), 14, file))
        << file;
  }
}

TEST_F(SameBits, OnlyForTheSameSeed) {
  const std::string first = outcome({"train.max_steps=3"}, "one").metrics;
  EXPECT_NE(first, outcome({"train.max_steps=3", "train.seed=2"}, "two").metrics);
  EXPECT_EQ(first, outcome({"train.max_steps=3"}, "three").metrics);
}

}  // namespace
}  // namespace minnow
