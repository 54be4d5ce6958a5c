// Who multiplies, and bf16: our own product, OpenBLAS and oneDNN on the same problems.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/product_panels.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/philox.hpp"
#include "minnow/kernels/convert.hpp"
#include "minnow/kernels/gemm.hpp"

namespace minnow::kernels {
namespace {

std::vector<float> random_values(Index count, std::uint32_t stream) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(2 * random_uniform(RandomKey{7, stream, 0}, i) - 1);
  return values;
}

/// Puts back the backend of before.
class GemmBackends : public ::testing::Test {
 protected:
  void TearDown() override { set_gemm_backend(before_); }

 private:
  GemmBackend before_ = gemm_backend();
};

struct Size {
  Index m, n, k;
};

/// Sizes around every border of the blocks: 14 x 32 registers, 384 lanes (768 with bf16), 168 rows, 512 columns.
constexpr Size kSizes[] = {{1, 1, 1},    {1, 33, 5},     {13, 31, 7},   {14, 32, 384}, {15, 33, 385}, {28, 16, 767},
                           {29, 17, 16}, {169, 65, 769}, {168, 513, 9}, {20, 545, 31}, {182, 48, 33}, {2, 600, 1}};

struct Operands {
  Operands(const Size& s, bool trans_a, bool trans_b)
      : a(random_values(s.m * s.k + 40, 1)), b(random_values(s.n * s.k + 40, 2)), c(random_values(s.m * (s.n + 3), 3)) {
    args = {.m = s.m,
            .n = s.n,
            .k = s.k,
            .a = a.data(),
            .lda = trans_a ? s.m : s.k,
            .trans_a = trans_a,
            .b = b.data(),
            .ldb = trans_b ? s.k : s.n,
            .trans_b = trans_b,
            .c = c.data(),
            .ldc = s.n + 3};
  }
  std::vector<float> a, b, c;
  GemmArgs<float> args;
};

double largest_difference(const std::vector<float>& x, const std::vector<float>& y) {
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])));
  return largest;
}

TEST_F(GemmBackends, AllGiveTheProductInBothPrecisions) {
  for (const GemmBackend backend : gemm_backends()) {
    set_gemm_backend(backend);
    for (const Size& size : kSizes)
      for (int bits = 0; bits < 16; ++bits) {
        const auto precision = (bits & 8) != 0 ? GemmPrecision::kBf16 : GemmPrecision::kF32;
        Operands got(size, (bits & 1) != 0, (bits & 2) != 0);
        got.args.add = (bits & 4) != 0;
        got.args.alpha = 0.5F;
        got.args.precision = precision;
        Operands want = got;
        if (precision == GemmPrecision::kBf16) {  // the definition: operands rounded, then multiplied as they are
          round_to_bf16(want.a.data(), want.a.data(), static_cast<Index>(want.a.size()));
          round_to_bf16(want.b.data(), want.b.data(), static_cast<Index>(want.b.size()));
        }
        want.args.a = want.a.data(), want.args.b = want.b.data(), want.args.c = want.c.data();
        got.args.a = got.a.data(), got.args.b = got.b.data(), got.args.c = got.c.data();
        gemm(got.args);
        gemm_reference(want.args);
        ASSERT_LT(largest_difference(got.c, want.c), (static_cast<double>(size.k) + 8) * 1.2e-7)
            << size.m << " " << size.n << " " << size.k << ", case " << bits;
      }
  }
}

TEST_F(GemmBackends, ARowHasTheSameBitsAloneAndAmongOthers) {
  for (const GemmBackend backend : gemm_backends()) {
    set_gemm_backend(backend);
    if (backend == GemmBackend::kOpenblas || !gemm_rows_are_independent<float>()) continue;  // but for m = 1
    for (const auto precision : {GemmPrecision::kF32, GemmPrecision::kBf16})
      for (const bool trans_b : {false, true}) {
        if (precision == GemmPrecision::kBf16 && !has_native_bf16()) continue;
        Operands all({400, 300, 800}, false, trans_b);
        all.args.precision = precision;
        gemm(all.args);
        for (const Index row : {0, 1, 13, 14, 167, 168, 399}) {
          Operands one({400, 300, 800}, false, trans_b);
          one.args.precision = precision;
          one.args.m = 1;
          one.args.a += row * one.args.lda;
          gemm(one.args);
          const float* want = all.args.c + row * all.args.ldc;
          EXPECT_EQ(std::memcmp(one.args.c, want, 300 * sizeof(float)), 0) << gemm_name(backend) << ", row " << row;
        }
      }
  }
}

TEST_F(GemmBackends, OneLargeTileOfRoundedFactorsIsTheProductInPanels) {
  const Size size{270, 1300, 1030};  // two panels of rows and of columns, several parts of the sum
  Operands want(size, false, true);
  want.args.alpha = 0.75F;
  want.args.add = true;
  const Operands given = want;
  round_to_bf16(want.a.data(), want.a.data(), static_cast<Index>(want.a.size()));
  round_to_bf16(want.b.data(), want.b.data(), static_cast<Index>(want.b.size()));
  want.args.a = want.a.data(), want.args.b = want.b.data(), want.args.c = want.c.data();
  gemm_reference(want.args);
  for (const GemmBackend backend : gemm_backends()) {
    set_gemm_backend(backend);
    std::vector<float> c = given.c;
    const TileProduct<float> tile{.trans_b = true,
                                  .m = size.m,
                                  .n = size.n,
                                  .k = size.k,
                                  .alpha = 0.75F,
                                  .a = given.a.data(),
                                  .lda = size.k,
                                  .b = given.b.data(),
                                  .ldb = size.k,
                                  .beta = 1,
                                  .c = c.data(),
                                  .ldc = size.n + 3,
                                  .precision = GemmPrecision::kBf16};
    parallel_chunks(1, [&](Index) { multiply(tile); });
    EXPECT_LT(largest_difference(c, want.c), (static_cast<double>(size.k) + 8) * 1.2e-7) << gemm_name(backend);
    c = given.c;
    parallel_chunks(1, [&](Index) { multiply_rounded(tile); });
    EXPECT_LT(largest_difference(c, want.c), (static_cast<double>(size.k) + 8) * 1.2e-7) << gemm_name(backend);
  }
}

TEST(ProductPanels, CoverEachPartOfTheProductOnceAndStayWithinTheBuffers) {
  const float numbers[1] = {};
  float to[1] = {};
  for (const Index m : {1, 127, 256, 700})
    for (const Index n : {1, 623, 1248, 5000})
      for (const Index k : {1, 256, 257, 3000}) {
        double work = 0;
        for_each_panel({.m = m, .n = n, .k = k, .a = numbers, .lda = 0, .b = numbers, .ldb = 0, .c = to, .ldc = 0}, 256,
                       [&](const TileProduct<float>& panel, bool) {
                         work += static_cast<double>(panel.m * panel.n * panel.k);
                         EXPECT_GE(panel.n, std::min<Index>(n, 601));  // two rows are more than kThinTile
                         EXPECT_LE(static_cast<std::size_t>(panel.m * panel.k + panel.n * panel.k),
                                   most_in_panels(256, std::max({m, n, k})));
                       });
        EXPECT_EQ(work, static_cast<double>(m * n * k));
      }
}

TEST_F(GemmBackends, WhatCannotRunIsRefusedWithAHint) {
  for (const GemmBackend backend : {GemmBackend::kMinnow, GemmBackend::kOnednn}) {
    const auto able = gemm_backends();
    if (std::find(able.begin(), able.end(), backend) != able.end()) {
      EXPECT_NO_THROW(set_gemm_backend(backend));
      EXPECT_EQ(gemm_backend(), backend);
      continue;
    }
    const GemmBackend before = gemm_backend();
    try {
      set_gemm_backend(backend);
      FAIL() << gemm_name(backend);
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("Hint: "), std::string::npos) << error.what();
    }
    EXPECT_EQ(gemm_backend(), before);
  }
}

TEST_F(GemmBackends, NotANumberAndInfinityComeThrough) {
  for (const GemmBackend backend : gemm_backends()) {
    set_gemm_backend(backend);
    for (const auto precision : {GemmPrecision::kF32, GemmPrecision::kBf16}) {
      Operands x({40, 50, 33}, false, true);
      x.a[5 * 33 + 32] = NAN;
      x.b[7 * 33] = INFINITY;
      x.args.precision = precision;
      gemm(x.args);
      EXPECT_TRUE(std::isnan(x.c[5 * 53 + 3]));
      EXPECT_TRUE(std::isinf(x.c[8 * 53 + 7]));
      EXPECT_TRUE(std::isfinite(x.c[8 * 53 + 8]));
    }
  }
}

TEST_F(GemmBackends, Bf16OfF64IsF64) {
  const std::vector<double> a{1.0 / 3}, b{1.0 / 7};
  double c = 0;
  gemm<double>({.m = 1,
                .n = 1,
                .k = 1,
                .a = a.data(),
                .lda = 1,
                .b = b.data(),
                .ldb = 1,
                .c = &c,
                .ldc = 1,
                .precision = GemmPrecision::kBf16});
  EXPECT_EQ(c, a[0] * b[0]);
}

/// The rows of `from`, `ld` elements apart.
std::vector<float> spread_rows(const std::vector<float>& from, Index rows, Index length, Index ld) {
  std::vector<float> to(static_cast<std::size_t>(rows * ld), 9.0F);
  for (Index i = 0; i < rows; ++i) std::copy_n(from.data() + i * length, length, to.data() + i * ld);
  return to;
}

// Rows 4096 bytes apart meet in one set of the first cache, so they are packed; others are read where they lie.
TEST_F(GemmBackends, OurProductHasTheSameBitsWhereverItsOperandsLie) {
  const auto backends = gemm_backends();
  if (std::ranges::find(backends, GemmBackend::kMinnow) == backends.end()) GTEST_SKIP() << "needs AVX-512";
  set_gemm_backend(GemmBackend::kMinnow);
  for (const Size& size : {Size{200, 70, 500}, Size{33, 33, 385}, Size{14, 5, 90}, Size{169, 64, 800}})
    for (int bits = 0; bits < 4; ++bits) {
      const bool trans_a = (bits & 1) != 0, trans_b = (bits & 2) != 0;
      Operands near(size, trans_a, trans_b);
      gemm(near.args);
      for (int far = 1; far < 4; ++far) {
        Operands other(size, trans_a, trans_b);
        constexpr Index kFar = 2048;
        const auto a = spread_rows(other.a, trans_a ? size.k : size.m, other.args.lda, kFar);
        const auto b = spread_rows(other.b, trans_b ? size.n : size.k, other.args.ldb, kFar);
        if ((far & 1) != 0) other.args.a = a.data(), other.args.lda = kFar;
        if ((far & 2) != 0) other.args.b = b.data(), other.args.ldb = kFar;
        gemm(other.args);
        ASSERT_EQ(std::memcmp(near.c.data(), other.c.data(), near.c.size() * sizeof(float)), 0)
            << size.m << " x " << size.n << " x " << size.k << ", bits " << bits << ", far " << far;
      }
    }
}

}  // namespace
}  // namespace minnow::kernels
