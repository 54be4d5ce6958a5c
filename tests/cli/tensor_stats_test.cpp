#include "cli/tensor_stats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

namespace minnow::cli {
namespace {

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span<const T>(values));
}

TEST(TensorStats, SumsUpFiniteNumbersAndCountsTheRest) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {1, 2, 3, 6, inf, -inf, std::nanf("")};
  const auto stats = tensor_stats(FileDtype::kF32, bytes_of(values));
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->min, 1);
  EXPECT_EQ(stats->max, 6);
  EXPECT_EQ(stats->mean, 3);
  EXPECT_DOUBLE_EQ(stats->std, std::sqrt(3.5));
  EXPECT_EQ(stats->finite, 4);
  EXPECT_EQ(stats->not_finite, 3);
}

TEST(TensorStats, KeepsSmallDeviationsFromALargeMean) {
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(1e9 + (i % 2 == 0 ? 1e-3 : -1e-3));
  const auto stats = tensor_stats(FileDtype::kF64, bytes_of(values));
  EXPECT_NEAR(stats->std, 1e-3, 1e-6);
}

TEST(TensorStats, NothingFiniteGivesNoRange) {
  const auto empty = tensor_stats(FileDtype::kF32, {});
  EXPECT_EQ(empty->finite, 0);
  EXPECT_EQ(empty->min, 0);
  const std::vector<float> nan = {std::nanf("")};
  const auto bad = tensor_stats(FileDtype::kF32, bytes_of(nan));
  EXPECT_EQ(bad->finite, 0);
  EXPECT_EQ(bad->not_finite, 1);
}

TEST(TensorStats, ReadsHalfPrecision) {
  const auto half = [](std::uint16_t bits) {
    const std::vector<std::uint16_t> one = {bits};
    return value_at(FileDtype::kF16, bytes_of(one), 0);
  };
  EXPECT_EQ(half(0x3C00), 1.0);
  EXPECT_EQ(half(0xC000), -2.0);
  EXPECT_EQ(half(0x7BFF), 65504.0);
  EXPECT_EQ(half(0x0400), std::ldexp(1.0, -14));  // smallest normal
  EXPECT_EQ(half(0x0001), std::ldexp(1.0, -24));  // smallest subnormal
  EXPECT_EQ(half(0x03FF), std::ldexp(1023.0, -24));
  EXPECT_TRUE(std::signbit(half(0x8000)));
  EXPECT_EQ(half(0x7C00), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(half(0x7E00)));
  const std::vector<std::uint16_t> brain = {0x3F80, 0xC049};
  EXPECT_EQ(value_at(FileDtype::kBf16, bytes_of(brain), 0), 1.0);
  EXPECT_EQ(value_at(FileDtype::kBf16, bytes_of(brain), 1), -3.140625);
}

TEST(TensorStats, ReadsIntegersOfEveryWidth) {
  const std::vector<std::int8_t> bytes = {-128, 127};
  EXPECT_EQ(text_at(FileDtype::kI8, bytes_of(bytes), 0), "-128");
  EXPECT_EQ(text_at(FileDtype::kU8, bytes_of(bytes), 0), "128");
  EXPECT_EQ(text_at(FileDtype::kBool, bytes_of(bytes), 1), "true");
  const std::vector<std::int64_t> wide = {std::numeric_limits<std::int64_t>::max(), -1};
  EXPECT_EQ(text_at(FileDtype::kI64, bytes_of(wide), 0), "9223372036854775807");
  EXPECT_EQ(text_at(FileDtype::kU64, bytes_of(wide), 1), "18446744073709551615");
  EXPECT_EQ(text_at(FileDtype::kI16, bytes_of(wide), 3), "32767");
}

TEST(TensorStats, TextGivesTheNumberBack) {
  const std::vector<float> values = {0.1F, 1.0F / 3, 1e-40F};
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::strtof(text_at(FileDtype::kF32, bytes_of(values), i).c_str(), nullptr), values[i]);
  }
}

TEST(TensorStats, SmallFloatsAndComplexAreNotRead) {
  EXPECT_FALSE(readable(FileDtype::kF8E4m3));
  EXPECT_FALSE(readable(FileDtype::kC64));
  EXPECT_FALSE(tensor_stats(FileDtype::kF4, {}));
  EXPECT_TRUE(readable(FileDtype::kBf16));
}

}  // namespace
}  // namespace minnow::cli
