// Who multiplies, and in what precision: each choice trains, evaluates and resumes to the same bits at any number of
// threads, and means what it says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "minnow/base/parallel.hpp"
#include "minnow/io/file.hpp"
#include "minnow/kernels/gemm.hpp"
#include "train/small_run.hpp"

namespace minnow {
namespace {

using test::expect_same;
using test::Outcome;
using test::outcome_of;
using test::train_once;

class Compute : public ::testing::TestWithParam<test::Products> {
 protected:
  ~Compute() override { set_threads(threads_); }
  LoadedConfig config() const {
    return test::small_config(text_, GetParam().settings({"train.max_steps=12", "model.n_embd=48",
                                                          "model.block_size=32", "train.batch_size=12"}));
  }
  test::DataFolder folder_;
  std::string text_ = folder_.write("text.txt", test::small_text(3000));

 private:
  int threads_ = threads();
  kernels::GemmBackendScope backend_;
};

TEST_P(Compute, SameBitsAtAnyNumberOfThreadsAndAfterInterruptions) {
  set_threads(1);
  train_once(config(), folder_.path("one"));
  const Outcome expected = outcome_of(folder_.path("one"));
  for (const int count : {2, 3}) {
    set_threads(count);
    const std::string run = folder_.path(fmt::format("t{}", count));
    for (const int step : {3, 7, 10}) {
      test::Watcher watcher;
      watcher.stop_after_step = step;
      train_once(config(), run, watcher);
    }
    train_once(config(), run);
    expect_same(expected, outcome_of(run), fmt::format("{} threads", count));
  }
}

TEST_P(Compute, IsWrittenIntoTheCheckpoint) {
  train_once(config(), folder_.path("run"));
  const auto texts =
      nlohmann::json::parse(read_file(checkpoint_directory(folder_.path("run"), 12) / "environment.json"));
  EXPECT_EQ(texts["gemm"], kernels::gemm_name(GetParam().backend));
  EXPECT_EQ(kernels::gemm_backend(), GetParam().backend);
  EXPECT_EQ(texts.contains("onednn"), GetParam().backend == kernels::GemmBackend::kOnednn);
}

INSTANTIATE_TEST_SUITE_P(, Compute, ::testing::ValuesIn(test::all_products()),
                         [](const auto& chosen) { return chosen.param.name(); });

TEST(Precision, Bf16GivesOtherBitsAndNearlyTheSameLosses) {
  const test::DataFolder folder;
  const std::string text = folder.write("text.txt", test::small_text(3000));
  double loss[2];
  for (const bool half : {false, true}) {
    test::Watcher watcher;
    const auto config =
        test::small_config(text, {"train.max_steps=12", half ? "compute.precision=bf16" : "compute.precision=f32"});
    train_once(config, folder.path(half ? "bf16" : "f32"), watcher);
    loss[half ? 1 : 0] = watcher.steps.back().loss;
  }
  EXPECT_NE(loss[0], loss[1]);
  EXPECT_NEAR(loss[0], loss[1], 0.02);
}

}  // namespace
}  // namespace minnow
