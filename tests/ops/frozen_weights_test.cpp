#include "minnow/ops/frozen_weights.hpp"

#include <gtest/gtest.h>

#include "minnow/kernels/packed_matrix.hpp"

namespace minnow {
namespace {

using kernels::GemmPrecision;

constexpr std::uint64_t kLargeBytes = std::uint64_t{1024} * 512 * sizeof(float);

class FrozenWeightsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kernels::gemm_backend() != kernels::GemmBackend::kMinnow) GTEST_SKIP() << "our own product is not in use here";
  }
  Tensor large_ = Tensor::zeros({1024, 512}), other_ = Tensor::zeros({1024, 512}), small_ = Tensor::zeros({16, 16});
};

TEST_F(FrozenWeightsTest, LargeOnesInF32TakeSpareMemoryOnly) {
  FrozenWeights none;
  EXPECT_EQ(none.packed(large_, GemmPrecision::kF32), nullptr);
  EXPECT_NE(none.packed(small_, GemmPrecision::kF32), nullptr);
  FrozenWeights one(kLargeBytes + kLargeBytes / 2);
  const auto* first = one.packed(large_, GemmPrecision::kF32);
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(one.packed(other_, GemmPrecision::kF32), nullptr);
  EXPECT_EQ(one.packed(large_, GemmPrecision::kF32), first);
}

TEST_F(FrozenWeightsTest, ACopyThatIsMadeAnewTakesTheMemoryOfTheOldOne) {
  FrozenWeights one(kLargeBytes);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(one.packed(large_, GemmPrecision::kF32), nullptr);
    large_.mutable_data<float>()[0] = static_cast<float>(i);
  }
}

}  // namespace
}  // namespace minnow
