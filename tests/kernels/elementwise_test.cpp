#include "minnow/kernels/elementwise.hpp"

#include "kernels/targets.hpp"
#include "minnow/kernels/convert.hpp"

namespace minnow {
namespace {

using test::for_each_target;

TEST(Elementwise, ComputesExactlyOnEveryInstructionSet) {
  for_each_target([] {
    for (const Index n : test::kLengths) {
      test::Guarded<float> a(n, 1);
      test::Guarded<float> b(n, 2);
      test::Guarded<float> y(n, 3);
      test::Numbers numbers(7);
      for (Index i = 0; i < n; ++i) {
        a[i] = static_cast<float>(numbers.next(-3, 3));
        b[i] = static_cast<float>(numbers.next(-3, 3));
      }
      kernels::add(y.data(), a.data(), b.data(), n);
      for (Index i = 0; i < n; ++i) ASSERT_EQ(y[i], a[i] + b[i]);
      kernels::subtract(y.data(), a.data(), b.data(), n);
      for (Index i = 0; i < n; ++i) ASSERT_EQ(y[i], a[i] - b[i]);
      kernels::multiply(y.data(), a.data(), b.data(), n);
      for (Index i = 0; i < n; ++i) ASSERT_EQ(y[i], a[i] * b[i]);
      kernels::fill(y.data(), 2.5F, n);
      kernels::multiply(y.data(), a.data(), b.data(), n, true);
      for (Index i = 0; i < n; ++i) {
        const float product = a[i] * b[i];  // rounded before it is added
        ASSERT_EQ(y[i], 2.5F + product);
      }
      kernels::copy(y.data(), a.data(), n);
      kernels::axpy(y.data(), 0.3F, b.data(), n);
      for (Index i = 0; i < n; ++i) {
        const float product = 0.3F * b[i];
        ASSERT_EQ(y[i], a[i] + product);
      }
      kernels::scaled_copy(y.data(), -1.5F, y.data(), n);
      for (Index i = 0; i < n; ++i) ASSERT_EQ(y[i], -1.5F * (a[i] + 0.3F * b[i]));
    }
  });
}

TEST(Elementwise, NanAndInfinityPass) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  for_each_target([&] {
    const float a[3] = {nan, inf, inf};
    const float b[3] = {1, -inf, 0};
    float y[3];
    kernels::add(y, a, b, 3);
    EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]) && y[2] == inf);
    kernels::multiply(y, a, b, 3);
    EXPECT_TRUE(std::isnan(y[0]) && y[1] == -inf && std::isnan(y[2]));
  });
}

TEST(Elementwise, AddsTheBiasToEveryRow) {
  for_each_target([] {
    for (const Index n : {1, 5, 16, 19}) {
      std::vector<float> x(static_cast<size_t>(3 * n), 1.0F);
      std::vector<float> bias(static_cast<size_t>(n));
      for (Index i = 0; i < n; ++i) bias[static_cast<size_t>(i)] = static_cast<float>(i);
      kernels::add_bias(x.data(), x.data(), bias.data(), 3, n);
      for (Index i = 0; i < 3 * n; ++i) EXPECT_EQ(x[static_cast<size_t>(i)], 1.0F + static_cast<float>(i % n));
    }
  });
}

TEST(Convert, RoundsToTheNearestBf16) {
  EXPECT_EQ(kernels::f32_from_bf16(kernels::bf16_from_f32(0.2691408770F)), 0.26953125F);
  EXPECT_EQ(kernels::f32_from_bf16(kernels::bf16_from_f32(3.14F)), 3.140625F);
  EXPECT_NEAR(kernels::f32_from_bf16(kernels::bf16_from_f32(1e-8F)), 1.001172e-8, 1e-14);
  EXPECT_EQ(kernels::bf16_from_f32(1.00390625F), 0x3f80);  // halfway: to the even one below
  EXPECT_EQ(kernels::bf16_from_f32(1.01171875F), 0x3f82);  // halfway: to the even one above
  EXPECT_EQ(kernels::bf16_from_f32(3.4e38F), 0x7f80);      // overflow
  EXPECT_EQ(kernels::bf16_from_f32(-0.0F), 0x8000);
}

TEST(Convert, ArraysRoundLikeTheScalarOnEveryInstructionSet) {
  std::vector<float> x;
  for (std::uint64_t bits = 0; bits <= 0xffffffffU; bits += 65521 * 7) {
    x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  for (const std::uint32_t bits : {0x7f800000U, 0xff800000U, 0x7f800001U, 0xff800001U, 0x7fffffffU, 0xffffffffU,
                                   0x7fc00000U, 0x3f808000U, 0x3f818000U, 0x7f7fffffU, 1U, 0x8000U, 0x18000U}) {
    x.push_back(std::bit_cast<float>(bits));
  }
  for_each_target([&] {
    const auto n = static_cast<Index>(x.size());
    std::vector<std::uint16_t> y(x.size());
    std::vector<float> back(x.size());
    std::vector<float> rounded(x.size());
    kernels::convert_f32_to_bf16(y.data(), x.data(), n);
    kernels::convert_bf16_to_f32(back.data(), y.data(), n);
    kernels::round_to_bf16(rounded.data(), x.data(), n);
    EXPECT_TRUE(test::same_bits(back, rounded));
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(y[i], kernels::bf16_from_f32(x[i])) << std::bit_cast<std::uint32_t>(x[i]);
      ASSERT_EQ(std::isnan(back[i]), std::isnan(x[i]));
    }
    for (const Index length : test::kLengths) {
      test::Guarded<float> from(length, 1);
      test::Guarded<std::uint16_t> half(length, 3);
      test::Guarded<float> to(length, 2);
      for (Index i = 0; i < length; ++i) from[i] = static_cast<float>(i) + 0.3F;
      kernels::convert_f32_to_bf16(half.data(), from.data(), length);
      kernels::convert_bf16_to_f32(to.data(), half.data(), length);
      for (Index i = 0; i < length; ++i) ASSERT_EQ(to[i], kernels::f32_from_bf16(kernels::bf16_from_f32(from[i])));
    }
  });
}

TEST(Convert, ChangesBetweenArithmeticTypes) {
  const double wide[3] = {0.1, -2.75, 1e300};
  float narrow[3];
  kernels::convert(narrow, wide, 3);
  EXPECT_EQ(narrow[0], 0.1F);
  EXPECT_EQ(narrow[2], std::numeric_limits<float>::infinity());
  std::int64_t whole[2];
  kernels::convert(whole, wide, 2);
  EXPECT_EQ(whole[1], -2);
  bool truth[3];
  const float numbers[3] = {0.0F, 0.5F, std::numeric_limits<float>::quiet_NaN()};
  kernels::convert(truth, numbers, 3);
  EXPECT_TRUE(!truth[0] && truth[1] && truth[2]);
}

}  // namespace
}  // namespace minnow
