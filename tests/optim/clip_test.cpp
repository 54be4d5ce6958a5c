#include <gtest/gtest.h>

#include <cmath>

#include "minnow/optim/flat.hpp"
#include "support/tiny_model.hpp"

namespace minnow {
namespace {

TEST(Clip, FormsTheNormOfAllTensorsTogether) {
  const std::vector<Tensor> flat = {Tensor::from<float>({3, -4}, {2}), Tensor::from<double>({12}, {1}),
                                    Tensor::zeros({0})};
  EXPECT_DOUBLE_EQ(global_norm(flat), 13);
  EXPECT_DOUBLE_EQ(global_norm(flat, NormKind::kOne), 19);
  EXPECT_DOUBLE_EQ(global_norm(flat, NormKind::kInf), 12);
  EXPECT_EQ(global_norm({}), 0);
}

TEST(Clip, LeavesShortGradientsAloneBitForBit) {
  std::vector<Tensor> flat = {Tensor::from<float>({0.1F, 0.7F, -0.3F}, {3})};
  const auto before = test::bytes_of(flat[0]);
  EXPECT_NEAR(clip_gradients(flat, 1), std::sqrt(0.59), 1e-7);
  EXPECT_EQ(test::bytes_of(flat[0]), before);
}

TEST(Clip, BringsLongOnesToTheLimit) {
  for (const NormKind kind : {NormKind::kTwo, NormKind::kOne, NormKind::kInf}) {
    std::vector<Tensor> flat = {Tensor::from<float>({30, -40}, {2}), Tensor::from<float>({120}, {1})};
    clip_gradients(flat, 0.5, kind);
    EXPECT_NEAR(global_norm(flat, kind), 0.5, 1e-6);
    EXPECT_NEAR(flat[0].to_vector<double>()[1] / flat[1].item(), -1.0 / 3, 1e-6);  // the direction stays
  }
}

TEST(Clip, NormsHaveRoomAtBothEnds) {
  for (const float size : {1e-40F, 1e-30F, 1e30F, 3e38F}) {
    const std::vector<Tensor> flat = {Tensor::full({4}, static_cast<double>(size))};
    EXPECT_NEAR(global_norm(flat) / static_cast<double>(size), 2, 1e-6) << size;
  }
}

/// The factor may be too small for f32's normal numbers.
TEST(Clip, BringsTheLargestGradientsToTheLimit) {
  std::vector<Tensor> flat = {Tensor::full({1 << 16}, 3e38)};
  EXPECT_NEAR(clip_gradients(flat, 1) / (256 * 3e38), 1, 1e-6);
  EXPECT_NEAR(global_norm(flat), 1, 1e-4);
}

TEST(Clip, NotFiniteIsReportedAndChangesNothing) {
  for (const float bad : {INFINITY, -INFINITY, NAN}) {
    for (const NormKind kind : {NormKind::kTwo, NormKind::kOne, NormKind::kInf}) {
      std::vector<Tensor> flat = {Tensor::from<float>({5, bad, 7}, {3}), Tensor::from<float>({9}, {1})};
      const auto before = test::bytes_of(flat[0]);
      EXPECT_FALSE(std::isfinite(clip_gradients(flat, 1, kind)));
      EXPECT_EQ(test::bytes_of(flat[0]), before);
      EXPECT_EQ(flat[1].item(), 9);
    }
  }
}

TEST(Clip, HasTheSameBitsAtAnyThreadCount) {
  std::vector<float> numbers;
  for (int i = 0; i < 300001; ++i) numbers.push_back(std::sin(static_cast<float>(i)) * 3);
  const std::vector<Tensor> flat = {Tensor::from(numbers, {300001})};
  const test::Threads restore(1);
  for (const NormKind kind : {NormKind::kTwo, NormKind::kOne, NormKind::kInf}) {
    set_threads(1);
    const double one = global_norm(flat, kind);
    for (const int threads : {2, 3, 7}) {
      set_threads(threads);
      EXPECT_EQ(global_norm(flat, kind), one);
    }
  }
}

}  // namespace
}  // namespace minnow
