// Once a step has been seen, later ones take no page from the system and nothing but small blocks from the heap.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>

#include "minnow/base/parallel.hpp"
#include "minnow/base/philox.hpp"
#include "minnow/ops/linear.hpp"
#include "minnow/train/train_step.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MINNOW_OWN_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define MINNOW_OWN_MALLOC 0
#endif
#endif
#if !defined(MINNOW_OWN_MALLOC) && defined(__GLIBC__)
#define MINNOW_OWN_MALLOC 1
#endif

#if MINNOW_OWN_MALLOC
namespace {

std::atomic<long> g_blocks{0};
std::atomic<std::size_t> g_largest{0};

void note_block(std::size_t bytes) {
  g_blocks.fetch_add(1, std::memory_order_relaxed);
  std::size_t largest = g_largest.load(std::memory_order_relaxed);
  while (bytes > largest && !g_largest.compare_exchange_weak(largest, bytes)) {
  }
}

}  // namespace

// The names are those of the C library, whose own entries lie behind them.
extern "C" {
void* __libc_malloc(std::size_t bytes);                           // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(std::size_t count, std::size_t bytes);        // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* block, std::size_t bytes);             // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(std::size_t alignment, std::size_t bytes);  // NOLINT(bugprone-reserved-identifier)

void* malloc(std::size_t bytes) noexcept {
  note_block(bytes);
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) noexcept {
  note_block(count * bytes);
  return __libc_calloc(count, bytes);
}
void* realloc(void* block, std::size_t bytes) noexcept {
  note_block(bytes);
  return __libc_realloc(block, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  note_block(bytes);
  return __libc_memalign(alignment, bytes);
}
}
#endif

namespace minnow {
namespace {

constexpr Index kRows = 16, kLength = 16, kVocabulary = 27;

/// The smallest workload of the benchmarks, where bookkeeping weighs most.
class SteadyStep : public ::testing::Test {
 protected:
  SteadyStep() {
    ModelConfig config;
    config.n_layer = 1;
    config.n_head = 4;
    config.n_embd = 64;
    config.block_size = kLength;
    model_ = make_language_model(config, kVocabulary);
    model_->parameters().initialize(0);
    step_ = std::make_unique<TrainStep>(*model_, TrainStepOptions{.optimizer = {}, .leaf_sequences = kRows});
    batch_.rows = kRows;
    batch_.length = kLength;
    const RandomKey key{.seed = 0, .stream = 1};
    for (std::uint64_t i = 0; i < 2 * kRows * kLength; ++i) {
      const auto id = static_cast<std::int32_t>(random_below(key, i, kVocabulary));
      (i < kRows * kLength ? batch_.tokens : batch_.targets).push_back(id);
    }
    batch_.lengths.assign(kRows, kLength);
    batch_.samples.assign(kRows, 0);
    batch_.offsets.assign(kRows, 0);
    batch_.counted = batch_.counted_in_step = kRows * kLength;
  }
  void run(int steps) {
    for (int i = 0; i < steps; ++i) ASSERT_TRUE(step_->run(batch_, number_++, 1e-3)->applied);
  }

  /// Steps until every thread of the team has met a product: the first one takes the buffers that the thread keeps, and
  /// who takes part in a loop is left to chance.
  void warm_up() {
    std::atomic<int> met = 0;
    for (int attempt = 0; attempt < 20 && met < threads(); ++attempt) {
      met = 0;
      parallel_chunks(threads(), [&](Index) {
        const Tensor x = Tensor::full({64, 64}, 1);
        (void)matmul(x, x);
        ++met;
        for (int i = 0; i < 100 && met < threads(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
    }
    run(3);
  }

  std::unique_ptr<LanguageModel> model_;
  std::unique_ptr<TrainStep> step_;
  Batch batch_;
  std::int64_t number_ = 0;
};

TEST_F(SteadyStep, FaultsNoPage) {
#if !MINNOW_OWN_MALLOC
  GTEST_SKIP() << "the sanitizer has a heap of its own";
#endif
  run(3);
  long least = 1000000;
  for (int attempt = 0; attempt < 5 && least > 0; ++attempt) {  // the system itself moves a page now and then
    rusage before{};
    rusage after{};
    getrusage(RUSAGE_SELF, &before);
    run(10);
    getrusage(RUSAGE_SELF, &after);
    least = std::min(least, after.ru_minflt - before.ru_minflt);
  }
  EXPECT_EQ(least, 0);
}

TEST_F(SteadyStep, TakesNothingButSmallBlocksFromTheHeap) {
#if MINNOW_OWN_MALLOC
  constexpr std::size_t kSmall = 1024;  // bytes; tensors and lists of the tape are larger
  constexpr int kSteps = 10;
  warm_up();
  g_blocks = 0;
  g_largest = 0;
  run(kSteps);
  EXPECT_LT(g_largest.load(), kSmall);
  const long first = g_blocks.load();
  g_blocks = 0;
  run(kSteps);
  EXPECT_LE(g_blocks.load(), first) << "no step may leave anything that makes the next one dearer";
  RecordProperty("blocks_per_step", static_cast<int>(first / kSteps));
  EXPECT_LT(first / kSteps, 500) << "small blocks per step: handles, nodes and shapes";
#else
  GTEST_SKIP() << "the sanitizer has a heap of its own";
#endif
}

/// Documents give another number of tokens in each step. (Full rows would be another kind of step.)
TEST_F(SteadyStep, OfAnyLengthsTakesNothingButSmallBlocksFromTheHeap) {
#if MINNOW_OWN_MALLOC
  constexpr std::size_t kSmall = 2048;
  const auto run_other_lengths = [&](int steps) {
    for (int i = 0; i < steps; ++i) {
      batch_.counted = 0;
      for (std::int32_t& length : batch_.lengths) {
        length = static_cast<std::int32_t>(1 + (number_ + 5 * batch_.counted) % (kLength - 1));
        batch_.counted += length;
      }
      batch_.counted_in_step = batch_.counted;
      run(1);
    }
  };
  warm_up();
  run_other_lengths(3);
  g_blocks = 0;
  g_largest = 0;
  run_other_lengths(20);
  EXPECT_LT(g_largest.load(), kSmall);
#else
  GTEST_SKIP() << "the sanitizer has a heap of its own";
#endif
}

}  // namespace
}  // namespace minnow
