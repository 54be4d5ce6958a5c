// A run that does not fit must be refused with figures (exit 7) before anything is made; the system used to kill it.
#include "minnow/train/memory.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "io/io_support.hpp"
#include "minnow/base/error.hpp"
#include "minnow/train/trainer.hpp"
#include "support/tiny_model.hpp"

namespace minnow {
namespace {

TEST(MemoryEstimate, CountsTheParametersOfEveryKindOfModel) {
  for (int bits = 0; bits < 2048; ++bits) {
    ModelConfig config = test::tiny_config();
    config.family = (bits & 64) != 0 ? Family::kLlama : Family::kGpt2;
    config.norm = (bits & 128) != 0 ? NormLayer::kRms : NormLayer::kLayer;
    config.activation = (bits & 256) != 0 ? Activation::kSwiglu : Activation::kRelu;
    config.n_kv_head = (bits & 512) != 0 ? 1 : 0;
    if ((bits & 1024) != 0) config.attn_bias = !(config.mlp_bias = (bits & 1) != 0).value();
    config.n_inner = (bits & 1) != 0 ? 24 : 0;
    config.bias = (bits & 2) != 0;
    config.head_bias = (bits & 4) != 0;
    config.tie_head = (bits & 8) != 0;
    config.position = (bits & 16) != 0 ? PositionKind::kLearned : PositionKind::kRotary;
    config.norm_position = (bits & 32) != 0 ? NormPosition::kPre : NormPosition::kPost;
    const auto model = make_language_model(config, 13);
    EXPECT_EQ(count_parameters(config, 13), static_cast<double>(model->parameters().count())) << bits;
  }
}

TEST(MemoryEstimate, GrowsWithWhatTakesMemory) {
  Config config;
  config.model = test::tiny_config();
  config.train.batch_size = 8;
  const MemoryEstimate whole = estimate_memory(config, 50, 100);
  config.train.accumulation_steps = 8;  // leaves of one sequence: fewer activations, three more levels of sums
  const MemoryEstimate cut = estimate_memory(config, 50, 100);
  EXPECT_LT(cut.activations, whole.activations / 2);
  EXPECT_EQ(cut.gradients, 4 * whole.gradients);
  EXPECT_EQ(cut.optimizer, 2 * cut.parameters);
  config.model.n_embd = 1000000;
  config.model.n_layer = 10000;
  config.train.batch_size = 1000000;
  const MemoryEstimate absurd = estimate_memory(config, 100000000, 1000000);
  EXPECT_TRUE(std::isfinite(absurd.total()));
  EXPECT_GT(absurd.total(), 1e17);
}

TEST(MemoryEstimate, TheRefusalNamesPartsLimitAndHint) {
  MemoryEstimate estimate{.parameters = 1 << 20, .activations = 5 << 20};
  require_memory(estimate, {.bytes = 6 << 20, .source = "here"});
  const auto refusal = [&] {
    try {
      require_memory(estimate, {.bytes = (6 << 20) - 1, .source = "the limit here"});
    } catch (const MemoryError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const std::string text = refusal();
  for (const char* part : {"needs about 6.0 MiB", "parameters 1.0 MiB", "activations 5.0 MiB", "6291455 bytes",
                           "the limit here", "train.accumulation_steps"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  estimate = {.parameters = 6 << 20, .evaluation = 1 << 20};
  EXPECT_NE(refusal().find("model.n_embd"), std::string::npos) << refusal();
  estimate = {.evaluation = 7 << 20};
  EXPECT_NE(refusal().find("eval.batch_size"), std::string::npos) << refusal();
}

TEST(AvailableMemory, TakesTheNarrowestLimit) {
  const test::TempDir root;
  const auto file = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root.path() / name).parent_path());
    test::spill(root.path() / name, text);
  };
  EXPECT_EQ(available_memory(root.path()).bytes, UINT64_MAX);
  file("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    5000 kB\nSwapFree: 1000 kB\n");
  EXPECT_EQ(available_memory(root.path()).bytes, 6000U * 1024);
  // version 2: a limit on a parent counts, "max" is none, page cache can be dropped
  file("proc/self/cgroup", "0::/job/step\n");
  file("sys/fs/cgroup/job/step/memory.max", "max\n");
  file("sys/fs/cgroup/job/step/memory.current", "1\n");
  EXPECT_EQ(available_memory(root.path()).bytes, 6000U * 1024);
  file("sys/fs/cgroup/job/memory.max", "3000000\n");
  file("sys/fs/cgroup/job/memory.current", "2000000\n");
  file("sys/fs/cgroup/job/memory.stat", "anon 1\ninactive_file 500000\nactive_file 7\n");
  EXPECT_EQ(available_memory(root.path()).bytes, 1500000U);
  EXPECT_NE(available_memory(root.path()).source.find("control group"), std::string::npos);
  // version 1, whose own group is the mount itself in a container; a group above its limit has nothing left
  file("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/abc\n0::/\n");
  file("sys/fs/cgroup/memory/memory.limit_in_bytes", "900000\n");
  file("sys/fs/cgroup/memory/memory.usage_in_bytes", "200000\n");
  EXPECT_EQ(available_memory(root.path()).bytes, 700000U);
  file("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712\n");
  file("sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "999999999\n");
  EXPECT_EQ(available_memory(root.path()).bytes, 700000U);
  file("sys/fs/cgroup/memory/memory.usage_in_bytes", "1000000\n");
  EXPECT_EQ(available_memory(root.path()).bytes, 0U);
  // nonsense is no limit
  file("proc/self/cgroup", ":\n::\nxyz\n\n");
  file("proc/meminfo", "MemAvailable: lots\n");
  EXPECT_EQ(available_memory(root.path()).bytes, UINT64_MAX);
}

TEST(AvailableMemory, KnowsThisMachine) {
  const AvailableMemory here = available_memory();
  EXPECT_GT(here.bytes, 1U << 20);
  EXPECT_LT(here.bytes, std::uint64_t{1} << 60) << here.source;
}

}  // namespace
}  // namespace minnow
