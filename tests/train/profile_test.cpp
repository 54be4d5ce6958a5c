// The profiler: what it counts, that it changes nothing, that its files can be read again.
#include "minnow/train/profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/file.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/linear.hpp"
#include "minnow/ops/reduction.hpp"
#include "train/small_run.hpp"

namespace minnow {
namespace {

constexpr MachineRoof kRoof{.gflops = 100, .memory_gb_per_s = 10, .cache_gb_per_s = 50, .cache_bytes = 1000};

const ProfilePart* find_part(const Profile& profile, const std::string& name, const std::string& pass) {
  for (const ProfilePart& part : profile.parts)
    if (part.name == name && part.pass == pass) return &part;
  return nullptr;
}

void run_untimed_steps(Profiler& profiler) {
  for (std::int64_t i = 0; i < Profiler::kUntimedSteps; ++i) {
    profiler.begin_step();
    profiler.end_step(1);
  }
}

TEST(MachineRoofTest, TakesTheSlowerOfProductsAndBytes) {
  EXPECT_DOUBLE_EQ(kRoof.least_seconds(200e9, 100), 2);
  EXPECT_DOUBLE_EQ(kRoof.least_seconds(0, 20e9), 2);
  EXPECT_DOUBLE_EQ(kRoof.least_seconds(0, 1000), 20e-9) << "fits the cache";
  EXPECT_STREQ(kRoof.bound(200e9, 100), "products");
  EXPECT_STREQ(kRoof.bound(1, 20e9), "memory");
  EXPECT_STREQ(kRoof.bound(0, 1000), "cache");
  EXPECT_STREQ(kRoof.bound(0, 0), "");
}

TEST(MachineRoofTest, IsRaisedByWhatWasFaster) {
  Profile profile;
  profile.roof = kRoof;
  profile.parts = {{"linear", "forward", "", 1, 1, 300e9, 0}, {"add", "forward", "", 2, 1, 0, 40e9}};
  EXPECT_GT(profile.parts[0].share(profile.roof), 1);
  profile.raise_roof();
  EXPECT_DOUBLE_EQ(profile.roof.gflops, 300);
  EXPECT_DOUBLE_EQ(profile.roof.memory_gb_per_s, 40);
  EXPECT_DOUBLE_EQ(profile.roof.cache_gb_per_s, 50) << "no call fitted the cache";
  for (const ProfilePart& part : profile.parts) EXPECT_DOUBLE_EQ(part.share(profile.roof), 1);
}

TEST(ProfilerTest, CountsForwardAndBackwardByTheirShapes) {
  Profiler profiler;
  run_untimed_steps(profiler);
  const Tensor weight = set_requires_grad(Tensor::full({3, 4}, 0.5));
  for (int step = 0; step < 2; ++step) {
    profiler.begin_step();
    profiler.begin_leaf();
    const StopwatchScope watch(&profiler);
    for (const Index rows : {2, 5}) backward(sum(linear(Tensor::full({rows, 4}, 1.0), weight, {})));
    profiler.end_step(7);
  }
  const Profile profile = profiler.finish();
  EXPECT_EQ(profile.steps, 2);
  EXPECT_DOUBLE_EQ(profile.tokens_per_step, 7);
  double flops_forward = 0;
  double flops_backward = 0;
  int shapes = 0;
  for (const ProfilePart& part : profile.parts) {
    if (part.name != "linear") continue;
    EXPECT_DOUBLE_EQ(part.calls, 1) << "per step";
    EXPECT_GT(part.seconds, 0);
    (part.pass == "forward" ? flops_forward : flops_backward) += part.flops;
    ++shapes;
  }
  EXPECT_EQ(shapes, 4) << "two shapes, two passes";
  EXPECT_DOUBLE_EQ(flops_forward, 2.0 * (2 + 5) * 3 * 4);
  EXPECT_DOUBLE_EQ(flops_backward, 2 * flops_forward);
  EXPECT_NEAR(profile.pass_seconds("forward") + profile.pass_seconds("backward") + profile.between_seconds(),
              profile.step_seconds, 1e-9);
}

TEST(ProfilerTest, CountsWhatRunsInsideAnotherOperationOnce) {
  Profiler profiler;
  run_untimed_steps(profiler);
  profiler.begin_step();
  profiler.begin_leaf();
  {
    const StopwatchScope watch(&profiler);
    const Tensor x = set_requires_grad(Tensor::full({64, 64}, 0.5));
    const auto part = [](std::span<const Tensor> in) { return std::vector<Tensor>{exp(linear(in[0], in[0], {}))}; };
    const std::vector<Tensor> inputs{x};
    backward(sum(recompute(part, inputs)[0]));
  }
  profiler.end_step(1);
  const Profile profile = profiler.finish();
  ASSERT_NE(find_part(profile, "linear", "forward"), nullptr);
  EXPECT_DOUBLE_EQ(find_part(profile, "linear", "forward")->calls, 2) << "computed, and computed again";
  double sum = 0;
  for (const ProfilePart& part : profile.parts) sum += part.seconds;
  EXPECT_LE(sum, profile.step_seconds) << "no second is counted twice";
}

TEST(ProfilerTest, GoesOnBehindAnOperationThatThrew) {
  Profiler profiler;
  run_untimed_steps(profiler);
  profiler.begin_step();
  profiler.begin_leaf();
  const StopwatchScope watch(&profiler);
  EXPECT_THROW((void)linear(Tensor::full({2, 3}, 1), Tensor::full({2, 4}, 1), {}), ShapeError);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  profiler.begin_leaf();
  (void)exp(Tensor::full({2}, 1));
  profiler.end_step(1);
  const Profile profile = profiler.finish();
  ASSERT_EQ(profile.parts.size(), 1U);
  EXPECT_LT(profile.parts[0].seconds, 0.02);
}

TEST(ProfilerTest, LeavesOutTheFirstSteps) {
  Profiler profiler;
  run_untimed_steps(profiler);
  profiler.add_activity("log", Profiler::Clock::now());
  EXPECT_EQ(profiler.finish().steps, 0);
  EXPECT_TRUE(profiler.finish().activities.empty());
  EXPECT_THAT(profile_table(profiler.finish()), testing::HasSubstr("nothing to profile"));
}

TEST(ProfileFiles, ReadAsTheyWereWritten) {
  Profile profile;
  profile.steps = 3;
  profile.step_seconds = 0.25;
  profile.seconds = 1;
  profile.tokens_per_step = 12;
  profile.threads = 2;
  profile.precision = "bf16";
  profile.gemm = "minnow";
  profile.peak_rss_mb = 17;
  profile.roof = kRoof;
  profile.parts = {{"linear", "forward", "(2, 3) -", 1.5, 0.125, 1e9, 2e6}};
  profile.activities = {{"evaluation", 2, 0.125}};
  const Profile again = parse_profile(profile_json(profile));
  EXPECT_EQ(profile_json(again), profile_json(profile));
  EXPECT_EQ(profile_table(again), profile_table(profile));
  EXPECT_DOUBLE_EQ(again.other_seconds(), 0.125);
  EXPECT_THAT(profile_table(profile), testing::HasSubstr("between operations"));
}

TEST(ProfileFiles, RefuseWhatIsDamaged) {
  for (const char* text : {"", "[]", "{\"format\": 2}", "{\"format\": 1}", "{\"format\": 1, \"steps\": \"many\"}"}) {
    EXPECT_THROW((void)parse_profile(text), DataError) << text;
  }
}

TEST(ProfiledRun, ChangesNoBitAndCoversTheRun) {
  const test::DataFolder folder;
  const auto config = test::small_config(folder.write("text.txt", test::small_text(3000)), {"train.max_steps=12"});
  test::train_once(config, folder.path("plain"));
  TrainOptions options;
  options.config = config;
  options.run_dir = folder.path("profiled");
  options.profile = true;
  test::Watcher watcher;
  options.observer = &watcher;
  options.sampler = [](LanguageModel& model, const Dataset& data, const SampleConfig& sample, std::uint64_t seed,
                       std::int64_t step) {
    return test::sample_with(model, data.tokenizer().get(), sample, seed, step, [] { return 0; });
  };
  const TrainResult result = train(options);
  test::expect_same(test::outcome_of(folder.path("plain")), test::outcome_of(options.run_dir), "with a profiler");
  ASSERT_TRUE(result.profile);
  const Profile& profile = *result.profile;
  EXPECT_EQ(profile.steps, 12 - Profiler::kUntimedSteps);
  for (const char* pass : {"forward", "backward", "optimizer"}) EXPECT_GT(profile.pass_seconds(pass), 0) << pass;
  EXPECT_NE(find_part(profile, "linear_cross_entropy", "backward"), nullptr);
  EXPECT_NE(find_part(profile, "adamw", "optimizer"), nullptr);
  std::vector<std::string> names;
  for (const ProfileActivity& one : profile.activities) names.push_back(one.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("data", "log", "evaluation", "sample", "checkpoint"));
  for (const ProfilePart& part : profile.parts) EXPECT_LE(part.share(profile.roof), 1 + 1e-9) << part.name;
  EXPECT_EQ(profile_json(parse_profile(read_file(options.run_dir / kProfileFile))), profile_json(profile));
  EXPECT_THAT(read_file(options.run_dir / kProfileTable), testing::HasSubstr("linear_cross_entropy"));
}

}  // namespace
}  // namespace minnow
