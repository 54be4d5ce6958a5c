#include "minnow/kernels/cross_entropy.hpp"

#include "kernels/targets.hpp"

namespace minnow {
namespace {

using test::for_each_target;

constexpr float kInf = std::numeric_limits<float>::infinity();

template <class T>
struct Result {
  std::vector<T> row_loss;
  std::vector<T> dlogits;
  kernels::CrossEntropyTotal total;
};

struct Options {
  double smoothing = 0;
  bool weighted = false;
  bool in_place = true;
  std::int64_t ignore = -100;
};

template <class T, class Id>
Result<T> run(const std::vector<float>& logits_in, const std::vector<Id>& targets, Index classes, Options o) {
  const auto rows = static_cast<Index>(targets.size());
  const std::vector<T> logits(logits_in.begin(), logits_in.end());
  std::vector<T> weight(static_cast<size_t>(classes));
  for (size_t c = 0; c < weight.size(); ++c) weight[c] = static_cast<T>(0.25F * static_cast<float>(c % 5));
  Result<T> r;
  r.row_loss.assign(targets.size(), T(7));
  r.dlogits = o.in_place ? logits : std::vector<T>(logits.size(), T(7));
  std::vector<double> scratch(static_cast<size_t>(kernels::cross_entropy_scratch_size(rows)));
  r.total = kernels::cross_entropy<T, Id>({.logits = o.in_place ? r.dlogits.data() : logits.data(),
                                           .targets = targets.data(),
                                           .class_weight = o.weighted ? weight.data() : nullptr,
                                           .row_loss = r.row_loss.data(),
                                           .dlogits = r.dlogits.data(),
                                           .scratch = scratch.data(),
                                           .grad_scale = 0.5,
                                           .label_smoothing = o.smoothing,
                                           .rows = rows,
                                           .classes = classes,
                                           .ignore_index = o.ignore});
  return r;
}

std::vector<std::int64_t> some_targets(Index rows, Index classes) {
  std::vector<std::int64_t> targets;
  for (Index i = 0; i < rows; ++i) targets.push_back(i % 4 == 3 ? -100 : (i * 7) % classes);
  return targets;
}

TEST(CrossEntropy, AgreesWithTheReferenceOnEveryInstructionSet) {
  for_each_target([] {
    for (const Index classes : test::kLengths) {
      if (classes == 0) continue;
      const Index rows = 21;
      const auto logits = test::Numbers(4).array<float>(rows * classes, -8, 8);
      const auto targets = some_targets(rows, classes);
      for (const double smoothing : {0.0, 0.1, 1.0}) {
        for (const int bits : {0, 1, 2, 3}) {
          const Options o = {smoothing, (bits & 1) != 0, (bits & 2) != 0};
          const auto got = run<float, std::int64_t>(logits, targets, classes, o);
          const auto want = run<double, std::int64_t>(logits, targets, classes, o);
          EXPECT_NEAR(got.total.loss, want.total.loss, 2e-6 * std::fabs(want.total.loss) + 1e-6);
          EXPECT_EQ(got.total.weight, want.total.weight);
          EXPECT_EQ(got.total.counted, 16);
          EXPECT_EQ(got.total.bad_row, -1);
          for (size_t i = 0; i < got.row_loss.size(); ++i) ASSERT_NEAR(got.row_loss[i], want.row_loss[i], 5e-6);
          for (size_t i = 0; i < got.dlogits.size(); ++i) ASSERT_NEAR(got.dlogits[i], want.dlogits[i], 1e-6);
        }
      }
    }
  });
}

TEST(CrossEntropy, GradientMatchesCentralDifferences) {
  const std::vector<std::int32_t> targets = {2};
  std::vector<float> logits = {0.5F, -1.0F, 0.25F, 2.0F, 0.0F, -3.0F};
  const Options o = {0.25, true, false};
  const auto at = run<double, std::int32_t>(logits, targets, 6, o);
  for (size_t c = 0; c < 6; ++c) {
    const float h = 0x1p-10F;
    logits[c] += h;
    const double up = run<double, std::int32_t>(logits, targets, 6, o).total.loss;
    logits[c] -= 2 * h;
    const double down = run<double, std::int32_t>(logits, targets, 6, o).total.loss;
    logits[c] += h;
    EXPECT_NEAR(at.dlogits[c], 0.5 * (up - down) / (2.0 * h), 1e-6);
  }
}

TEST(CrossEntropy, IgnoredRowsAreExactlyZero) {
  for_each_target([] {
    const std::vector<float> logits(28, std::numeric_limits<float>::quiet_NaN());
    const auto r = run<float, std::int64_t>(logits, std::vector<std::int64_t>(4, 0), 7, {.ignore = 0});
    EXPECT_EQ(r.total.loss, 0);
    EXPECT_EQ(r.total.counted, 0);
    for (const float v : r.row_loss) EXPECT_EQ(v, 0);
    for (const float v : r.dlogits) EXPECT_EQ(v, 0);
  });
}

TEST(CrossEntropy, NamesTheFirstTargetThatIsNoClass) {
  std::vector<std::int64_t> targets(40, 1);
  targets[18] = 7;
  targets[35] = -2;
  const auto r = run<float, std::int64_t>(std::vector<float>(40 * 7, 0.5F), targets, 7, {});
  EXPECT_EQ(r.total.bad_row, 18);
  EXPECT_EQ(r.total.counted, 38);
  EXPECT_EQ(r.row_loss[18], 0);
}

TEST(CrossEntropy, SurvivesInfiniteAndLargeLogits) {
  for_each_target([] {
    const std::vector<float> logits = {-kInf, 0, 0, -kInf, -kInf, -kInf, 1e4F, -1e4F, 0, 1e30F, 0, 0};
    const auto r = run<float, std::int64_t>(logits, {0, 1, 1, 0}, 3, {});
    EXPECT_EQ(r.row_loss[0], kInf);
    EXPECT_NEAR(r.dlogits[0], -0.5, 1e-6);
    EXPECT_NEAR(r.dlogits[1], 0.25, 1e-6);
    EXPECT_EQ(r.row_loss[1], kInf);
    for (size_t i = 3; i < 6; ++i) EXPECT_EQ(r.dlogits[i], 0);
    EXPECT_EQ(r.row_loss[2], 2e4F);
    EXPECT_EQ(r.row_loss[3], 0);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(std::isnan(run<float, std::int64_t>({nan, 0, 0}, {1}, 3, {}).row_loss[0]));
  });
}

TEST(CrossEntropy, SameBitsAtAnyThreadCount) {
  const auto logits = test::Numbers(3).array<float>(777 * 65, -4, 4);
  const auto targets = some_targets(777, 65);
  test::expect_same_bits_at_any_thread_count([&] {
    const auto r = run<float, std::int64_t>(logits, targets, 65, {});
    std::vector<double> all(r.dlogits.begin(), r.dlogits.end());
    all.insert(all.end(), r.row_loss.begin(), r.row_loss.end());
    all.push_back(r.total.loss);
    return all;
  });
}

}  // namespace
}  // namespace minnow
