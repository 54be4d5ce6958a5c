// The memory that is promised before a run against what the program really takes, at its peak.
#include "minnow/train/memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "io/io_support.hpp"
#include "minnow/base/parallel.hpp"
#include "minnow/config/load.hpp"
#include "minnow/data/dataset.hpp"
#include "minnow/tasks/language_modeling.hpp"
#include "train/small_run.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MINNOW_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MINNOW_TEST_SANITIZED 1
#endif
#endif

extern char** environ;

namespace minnow {
namespace {

constexpr double kMiB = 1 << 20;

/// Largest resident size of a program that must end with 0, in bytes.
double peak_of(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  EXPECT_EQ(posix_spawn(&child, argv[0], &quiet, nullptr, argv.data(), environ), 0);
  posix_spawn_file_actions_destroy(&quiet);
  int status = -1;
  struct rusage usage {};
  EXPECT_EQ(wait4(child, &status, 0, &usage), child);
  EXPECT_EQ(status, 0);
  return static_cast<double>(usage.ru_maxrss) * 1024;  // kilobytes
}

/// One run: sizes of the model and the batch, and further settings.
struct MemoryRun {
  int layers, width, heads, block, batch;
  std::vector<std::string> further;
  std::size_t bytes = 12000;  // of the text
};

void expect_within_a_tenth(const std::vector<MemoryRun>& runs) {
#ifdef MINNOW_TEST_SANITIZED
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  for (const MemoryRun& run : runs) {
    const test::TempDir dir;
    const std::string data = (dir.path() / "text.txt").string();
    test::spill(data, test::small_text(run.bytes));
    std::vector<std::string> set{fmt::format("data.path={}", data),
                                 fmt::format("model.n_layer={}", run.layers),
                                 fmt::format("model.n_embd={}", run.width),
                                 fmt::format("model.n_head={}", run.heads),
                                 fmt::format("model.block_size={}", run.block),
                                 fmt::format("train.batch_size={}", run.batch),
                                 "train.max_steps=2",
                                 "eval.every_steps=0",
                                 "checkpoint.every_steps=0",
                                 "compute.threads=2"};
    set.insert(set.end(), run.further.begin(), run.further.end());
    const std::string file = (dir.path() / "run.toml").string();
    test::spill(file, "task = \"lm\"\n");
    std::vector<std::string> words{MINNOW_BINARY, "train", file, "--run", (dir.path() / "run").string()};
    for (const std::string& one : set) words.insert(words.end(), {"--set", one});
    const LoadedConfig config = load_config("task = \"lm\"\n", "run.toml", set);
    const Dataset dataset = Dataset::open(dataset_options(config.config));
    const int before = threads();
    set_threads(2);
    const double data_bytes =
        static_cast<double>(dataset.train_facts().tokens + dataset.val_facts().tokens) * sizeof(std::uint16_t);
    const MemoryEstimate estimate =
        estimate_memory(config.config, dataset.vocab_size(), dataset.val().windows(), data_bytes);
    set_threads(before);
    const double peak = peak_of(words);
    EXPECT_NEAR(estimate.total() / peak, 1, 0.1)
        << fmt::format("L{} C{} T{} B{} {}: peak {:.1f} MiB, promised {}", run.layers, run.width, run.block, run.batch,
                       fmt::join(run.further, " "), peak / kMiB, estimate.text());
    testing::Test::RecordProperty(fmt::format("L{}_C{}_T{}_B{}", run.layers, run.width, run.block, run.batch),
                                  fmt::format("{:.3f}", estimate.total() / peak));
  }
}

TEST(MemoryEstimate, IsWithinATenthOfThePeakOfSmallRuns) {
  expect_within_a_tenth({{1, 16, 1, 8, 2, {}},
                         {2, 128, 4, 64, 8, {"model.norm_position=post", "model.tie_head=false"}},
                         {4, 128, 4, 64, 12, {}},
                         {2, 64, 2, 64, 32, {"train.leaf_sequences=4"}},
                         {2, 128, 4, 64, 16, {"model.position=sinusoidal", "train.max_steps=3"}},
                         {4, 128, 4, 64, 16, {"model.position=rotary", "train.max_steps=3"}}});
}

TEST(MemoryEstimate, IsWithinATenthWithEveryoneWhoMultipliesAndRounds) {
  for (const test::Products& products : test::all_products()) {
    expect_within_a_tenth({{2, 128, 4, 64, 8, products.settings()}});
  }
}

TEST(MemoryEstimate, IsWithinATenthWithALongText) {
  expect_within_a_tenth({{1, 16, 1, 16, 2, {"data.val_fraction=0.02"}, 1000000}});
}

TEST(MemoryEstimate, SlowIsWithinATenthWhenTheEvaluationIsTheLargestPart) {
  expect_within_a_tenth({{4, 128, 4, 128, 4, {"eval.batch_size=64", "data.val_fraction=0.02"}, 1000000},
                         {4, 128, 4, 128, 4, {"eval.batch_size=16", "data.val_fraction=0.02"}, 1000000}});
}

TEST(MemoryEstimate, SlowIsWithinATenthOfThePeakOfLargerRuns) {
  expect_within_a_tenth({{4, 256, 4, 64, 32, {}},
                         {4, 128, 4, 64, 32, {"model.dropout=0.1"}},
                         {2, 384, 6, 128, 8, {}},
                         {8, 128, 4, 128, 16, {}},
                         {4, 256, 4, 64, 32, {"train.accumulation_steps=4"}},
                         {2, 256, 4, 64, 32, {"train.leaf_sequences=2"}},
                         {16, 64, 2, 32, 64, {}},
                         {2, 512, 8, 64, 4, {}},
                         {2, 64, 2, 512, 16, {}},
                         {2, 128, 4, 64, 16, {"tokenizer.type=byte", "eval.batch_size=2"}},
                         {3, 256, 4, 32, 64, {"model.activation=relu", "model.n_inner=512"}}});
}

TEST(MemoryEstimate, SlowIsWithinATenthForEveryFamilyAndOptimizer) {
  expect_within_a_tenth({{4, 128, 4, 64, 16, {"model.family=llama"}},
                         {4, 256, 4, 64, 32, {"model.family=llama", "model.n_kv_head=1"}},
                         {2, 256, 4, 128, 16, {"model.family=llama", "model.activation=geglu", "model.norm=layer"}},
                         {4, 128, 4, 64, 32, {"model.family=llama", "model.position=none", "model.dropout=0.1"}},
                         {2, 256, 4, 64, 32, {"model.position=rotary", "model.n_kv_head=2"}},
                         {4, 384, 6, 64, 4, {"model.family=llama", "optimizer.name=muon"}},
                         {2, 512, 8, 64, 4, {"optimizer.name=sgd"}},
                         {2, 512, 8, 64, 4, {"optimizer.name=adafactor"}},
                         {2, 512, 8, 64, 4, {"optimizer.name=lion", "optimizer.ema_decay=0.99"}},
                         {2, 512, 8, 64, 4, {"optimizer.amsgrad=true", "optimizer.ema_decay=0.99"}}});
}

TEST(MemoryEstimate, TheTotalIsTheSumOfThePartsByName) {
  const MemoryEstimate estimate{.parameters = 1, .gradients = 2, .logits = 4, .process = 8};
  EXPECT_EQ(estimate.total(), 15);
  EXPECT_STREQ(estimate.parts()[4].name, "logits");
  EXPECT_EQ(estimate.parts()[4].bytes, 4);
}

}  // namespace
}  // namespace minnow
