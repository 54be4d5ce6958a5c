// CTC against its definition: the sum over all paths, listed one by one.

#include <gtest/gtest.h>

#include <cmath>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/philox.hpp"
#include "minnow/ops/loss.hpp"

namespace minnow {
namespace {

constexpr Index kFrames = 5;
constexpr Index kClasses = 3;

Tensor ids(const std::vector<std::int64_t>& values, const Shape& shape) { return Tensor::from(values, shape); }

/// @return (T, 1, C) log-probabilities, not normalised: the definition does not ask for that.
Tensor random_log_probs() {
  std::vector<double> values;
  for (std::uint64_t i = 0; i < kFrames * kClasses; ++i) {
    values.push_back(-2 * static_cast<double>(random_uniform({.seed = 3}, i)));
  }
  return Tensor::from(values, {kFrames, 1, kClasses});
}

/// @return what a path says: repeats merged, then blanks (0) left out.
std::vector<std::int64_t> spelled(const std::vector<Index>& path) {
  std::vector<std::int64_t> labels;
  for (std::size_t t = 0; t < path.size(); ++t) {
    if (path[t] != 0 && (t == 0 || path[t] != path[t - 1])) labels.push_back(path[t]);
  }
  return labels;
}

struct Listed {
  double total = 0;               ///< probability of the labels
  std::vector<double> posterior;  ///< of each frame and class: the share of paths through it
};

Listed list_paths(const Tensor& log_probs, const std::vector<std::int64_t>& labels) {
  const double* p = log_probs.data<double>();
  Listed result{0, std::vector<double>(kFrames * kClasses)};
  const auto paths = static_cast<Index>(std::pow(kClasses, kFrames));
  for (Index number = 0; number < paths; ++number) {
    std::vector<Index> path;
    double weight = 1;
    for (Index t = 0, rest = number; t < kFrames; ++t, rest /= kClasses) {
      path.push_back(rest % kClasses);
      weight *= std::exp(p[t * kClasses + path.back()]);
    }
    if (spelled(path) != labels) continue;
    result.total += weight;
    for (std::size_t t = 0; t < path.size(); ++t) {
      result.posterior[t * kClasses + static_cast<std::size_t>(path[t])] += weight;
    }
  }
  return result;
}

TEST(CtcLoss, IsTheSumOverAllPaths) {
  const Tensor log_probs = random_log_probs();
  const std::vector<std::vector<std::int64_t>> all = {{}, {1}, {2, 1}, {1, 1}, {1, 2, 1}, {2, 2, 1}, {1, 1, 1}};
  for (const auto& labels : all) {
    const auto count = static_cast<Index>(labels.size());
    const Tensor x = set_requires_grad(log_probs.clone());
    const Tensor loss =
        ctc_loss(x, ids(labels, {1, count}), ids({kFrames}, {1}), ids({count}, {1}), {.reduction = Reduction::kSum});
    const Listed want = list_paths(log_probs, labels);
    EXPECT_NEAR(loss.item(), -std::log(want.total), 1e-12) << count << " labels";
    backward(loss);
    const std::vector<double> got = grad(x).to_vector<double>();
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(got[i], -want.posterior[i] / want.total, 1e-12) << count << " labels, element " << i;
    }
  }
}

TEST(CtcLoss, KnowsItemsWithoutFramesAndWithoutAlignment) {
  const Tensor x = set_requires_grad(random_log_probs());
  const auto loss = [&](std::int64_t frames, const std::vector<std::int64_t>& labels) {
    const auto count = static_cast<Index>(labels.size());
    return ctc_loss(x, ids(labels, {1, count}), ids({frames}, {1}), ids({count}, {1}), {.reduction = Reduction::kSum});
  };
  EXPECT_EQ(loss(0, {}).item(), 0);  // nothing to say in no time
  EXPECT_EQ(loss(0, {1}).item(), INFINITY);
  EXPECT_EQ(loss(2, {1, 1}).item(), INFINITY);  // a blank must stand between them
  EXPECT_TRUE(std::isfinite(loss(3, {1, 1}).item()));
  clear_tape();
  backward(loss(2, {1, 1}));
  for (double slope : grad(x).to_vector<double>()) EXPECT_EQ(slope, 0);
}

}  // namespace
}  // namespace minnow
