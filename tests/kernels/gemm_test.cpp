#include "minnow/kernels/gemm.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "kernels/gemm_tiles.hpp"
#include "minnow/base/philox.hpp"

namespace minnow::kernels {
namespace {

template <class T>
std::vector<T> random_values(Index count, std::uint32_t stream) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<T>(2 * random_uniform(RandomKey{5, stream, 0}, i) - 1);
  return values;
}

/// Owns the matrices of one call; leading dimensions have some room.
template <class T>
struct Problem {
  Problem(Index m, Index n, Index k, bool trans_a, bool trans_b, bool add) {
    args.m = m, args.n = n, args.k = k, args.trans_a = trans_a, args.trans_b = trans_b, args.add = add;
    args.lda = (trans_a ? m : k) + 3, args.ldb = (trans_b ? k : n) + 1, args.ldc = n + 2;
    a = random_values<T>((trans_a ? k : m) * args.lda, 1);
    b = random_values<T>((trans_b ? n : k) * args.ldb, 2);
    c = random_values<T>(m * args.ldc, 3);
    bias = random_values<T>(n, 4);
    residual = random_values<T>(m * (n + 5), 5);
    args.a = a.data(), args.b = b.data(), args.c = c.data();
  }
  std::vector<T> a, b, c, bias, residual;
  GemmArgs<T> args;
};

template <class T>
void expect_close(const std::vector<T>& got, const std::vector<T>& want, Index k) {
  const double bound = (static_cast<double>(k) + 8) * static_cast<double>(std::numeric_limits<T>::epsilon());
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(static_cast<double>(got[i]), static_cast<double>(want[i]), bound) << "at " << i;
}

template <class T>
class Gemm : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Gemm, Types);

TYPED_TEST(Gemm, GroupGivesWhatEachProductGivesAlone) {
  using T = TypeParam;
  for (const bool add : {false, true}) {
    Problem<T> first(300, 70, 130, false, false, add), second(130, 70, 300, true, false, add),
        none(0, 5, 4, false, false, add);
    first.args.epilogue.bias = first.bias.data();
    Problem<T> alone_first = first, alone_second = second;
    alone_first.args.c = alone_first.c.data(), alone_second.args.c = alone_second.c.data();
    gemm(alone_first.args);
    gemm(alone_second.args);
    std::vector<T> sums(257, T(1)), alone_sums = sums;
    const std::vector<T> x = random_values<T>(40 * 257, 6);
    ColumnSum<T> sum{x.data(), 40, 257, alone_sums.data(), add};
    sum_columns(sum);
    sum.y = sums.data();
    const GemmArgs<T> products[] = {first.args, none.args, second.args};
    gemm_group<T>(products, std::span(&sum, 1));
    EXPECT_EQ(first.c, alone_first.c);
    EXPECT_EQ(second.c, alone_second.c);
    EXPECT_EQ(sums, alone_sums);
  }
}

TYPED_TEST(Gemm, MatchesReference) {
  const Index sizes[][3] = {{1, 1, 1},    {1, 65, 32},    {2, 3, 5},    {17, 33, 31},
                            {65, 64, 63}, {130, 257, 70}, {96, 65, 128}};
  for (const auto& size : sizes)
    for (int bits = 0; bits < 8; ++bits) {
      Problem<TypeParam> p(size[0], size[1], size[2], (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0);
      Problem<TypeParam> want = p;
      want.args.c = want.c.data();
      gemm(p.args);
      gemm_reference(want.args);
      expect_close(p.c, want.c, size[2]);
    }
}

TYPED_TEST(Gemm, EmptySizes) {
  for (const bool add : {false, true}) {
    Problem<TypeParam> p(3, 4, 0, false, false, add);
    const auto before = p.c;
    gemm(p.args);
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j < p.args.ldc; ++j) {
        const auto at = static_cast<std::size_t>(i * p.args.ldc + j);
        EXPECT_EQ(p.c[at], add || j >= 4 ? before[at] : TypeParam(0));
      }
  }
  Problem<TypeParam> none(0, 4, 3, false, false, false);
  gemm(none.args);
  Problem<TypeParam> thin(3, 0, 3, false, false, false);
  const auto before = thin.c;
  gemm(thin.args);
  EXPECT_EQ(thin.c, before);
}

TYPED_TEST(Gemm, OldContentsDoNotMatterUnlessAdded) {
  Problem<TypeParam> p(33, 40, 20, false, true, false);
  p.c.assign(p.c.size(), std::numeric_limits<TypeParam>::quiet_NaN());
  gemm(p.args);
  for (Index i = 0; i < 33; ++i)
    for (Index j = 0; j < 40; ++j) ASSERT_TRUE(std::isfinite(p.args.c[i * p.args.ldc + j]));
}

TYPED_TEST(Gemm, NanInNanOut) {
  Problem<TypeParam> p(70, 65, 64, false, true, false);
  p.a[static_cast<std::size_t>(5 * p.args.lda + 7)] = std::numeric_limits<TypeParam>::quiet_NaN();
  p.args.epilogue.activation = Activation::kRelu;
  gemm(p.args);
  for (Index j = 0; j < 65; ++j) ASSERT_TRUE(std::isnan(p.args.c[5 * p.args.ldc + j]));
  for (Index j = 0; j < 65; ++j) ASSERT_FALSE(std::isnan(p.args.c[6 * p.args.ldc + j]));
}

TYPED_TEST(Gemm, EpilogueMatchesReference) {
  using Kinds = std::vector<std::optional<Activation>>;
  for (const auto& kind : Kinds{{}, Activation::kRelu, Activation::kGeluTanh, Activation::kGeluErf, Activation::kSilu})
    for (int bits = 0; bits < 16; ++bits) {
      Problem<TypeParam> p(131, 97, 40, false, true, (bits & 8) != 0);
      std::vector<TypeParam> slope(p.residual.size(), TypeParam(7)), want_slope = slope;
      GemmEpilogue<TypeParam>& e = p.args.epilogue;
      e.activation = kind;
      if ((bits & 1) != 0) e.bias = p.bias.data();
      if ((bits & 2) != 0) e.residual = p.residual.data(), e.ld_residual = 102;
      if ((bits & 4) != 0) e.slope = slope.data(), e.ld_slope = 102;
      auto want = p.c;
      GemmArgs<TypeParam> reference = p.args;
      reference.c = want.data();
      if ((bits & 4) != 0) reference.epilogue.slope = want_slope.data();
      gemm(p.args);
      gemm_reference(reference);
      expect_close(p.c, want, 40);
      expect_close(slope, want_slope, 40);
    }
}

TYPED_TEST(Gemm, SameBitsAtAnyThreadCount) {
  const int before = threads();
  const Index sizes[][3] = {{384, 128, 768}, {769, 65, 128}, {96, 512, 130}};
  for (const auto& size : sizes)
    for (const bool trans_a : {false, true}) {
      std::vector<TypeParam> first;
      for (const int count : {1, 2, 3, 7, 2}) {
        set_threads(count);
        Problem<TypeParam> p(size[0], size[1], size[2], trans_a, true, true);
        p.args.epilogue.activation = Activation::kGeluTanh;
        gemm(p.args);
        if (first.empty()) first = p.c;
        ASSERT_EQ(std::memcmp(first.data(), p.c.data(), p.c.size() * sizeof(TypeParam)), 0) << count << " threads";
      }
      set_threads(3);  // and inside somebody else's region
      Problem<TypeParam> p(size[0], size[1], size[2], trans_a, true, true);
      p.args.epilogue.activation = Activation::kGeluTanh;
      parallel_chunks(3, [&](Index chunk) {
        if (chunk == 1) gemm(p.args);
      });
      ASSERT_EQ(std::memcmp(first.data(), p.c.data(), p.c.size() * sizeof(TypeParam)), 0) << "nested";
    }
  set_threads(before);
}

TYPED_TEST(Gemm, BatchEqualsSingleCalls) {
  const Index count = 5, m = 33, n = 20, k = 17;
  const auto a = random_values<TypeParam>(count * m * k, 1), b = random_values<TypeParam>(count * k * n, 2);
  const auto start = random_values<TypeParam>(count * m * n, 3);
  const std::vector<Index> offsets_b = {0, 2 * k * n, 0, k * n, 4 * k * n},
                           offsets_c = {4 * m * n, 0, m * n, 3 * m * n, 2 * m * n};
  for (const bool add : {false, true})
    for (const bool lists : {false, true}) {
      GemmArgs<TypeParam> args{
          .m = m, .n = n, .k = k, .a = a.data(), .lda = k, .b = b.data(), .ldb = n, .ldc = n, .add = add};
      auto got = start, want = start;
      args.c = got.data();
      GemmBatch<TypeParam> batch{.count = count, .stride_a = m * k, .stride_b = 0, .stride_c = m * n};
      if (lists) batch.offsets_b = offsets_b.data(), batch.offsets_c = offsets_c.data();
      gemm_batch(args, batch);
      for (std::size_t i = 0; i < 5; ++i) {
        GemmArgs<TypeParam> one = args;
        one.a = a.data() + static_cast<Index>(i) * m * k;
        one.b = b.data() + (lists ? offsets_b[i] : 0);
        one.c = want.data() + (lists ? offsets_c[i] : static_cast<Index>(i) * m * n);
        gemm(one);
      }
      EXPECT_EQ(got, want);
    }
}

TYPED_TEST(Gemm, BatchSumsIntoOneMatrix) {
  const Index count = 4, m = 40, n = 37, k = 9;
  const auto a = random_values<TypeParam>(count * m * k, 1), b = random_values<TypeParam>(count * k * n, 2);
  for (const bool add : {false, true}) {
    auto got = random_values<TypeParam>(m * n, 3), want = got;
    GemmArgs<TypeParam> args{.m = m,
                             .n = n,
                             .k = k,
                             .a = a.data(),
                             .lda = k,
                             .b = b.data(),
                             .ldb = n,
                             .c = got.data(),
                             .ldc = n,
                             .add = add};
    gemm_batch(args, GemmBatch<TypeParam>{.count = count, .stride_a = m * k, .stride_b = k * n, .stride_c = 0});
    args.c = want.data();
    for (Index i = 0; i < count; ++i) {
      args.a = a.data() + i * m * k, args.b = b.data() + i * k * n, args.add = add || i > 0;
      gemm_reference(args);
    }
    expect_close(got, want, count * k);
  }
}

/// A sequence must have the same bits by itself and in a batch: A B^T, every row.
TYPED_TEST(Gemm, RowsHaveTheSameBitsHoweverManyThereAre) {
  if (!gemm_rows_are_independent<TypeParam>()) GTEST_SKIP() << "not with the kernels of " << blas_info().core;
  for (const Index k : {7, 64, 600}) {
    for (const Index n : {1, 16, 65, 384}) {
      Problem<TypeParam> whole(300, n, k, false, true, true);
      const std::vector<TypeParam> old = whole.c;
      whole.args.epilogue = {.bias = whole.bias.data(), .activation = Activation::kGeluErf};
      gemm(whole.args);
      for (const Index m : {2, 3, 8, 17, 24, 33, 96, 97, 128, 257}) {
        std::vector<TypeParam> c = old;
        GemmArgs<TypeParam> part = whole.args;
        part.m = m;
        part.c = c.data();
        gemm(part);
        const auto bytes = static_cast<std::size_t>(m * part.ldc) * sizeof(TypeParam);
        EXPECT_EQ(std::memcmp(c.data(), whole.c.data(), bytes), 0) << m << " rows, n " << n << ", k " << k;
      }
    }
  }
}

// Nobody accounts for what a thread keeps between thin products; it must stay small however long the sums are.
TEST(Gemm, ThinProductsKeepLittleMemory) {
  const auto held = [] {
    const struct mallinfo2 now = ::mallinfo2();
    return now.uordblks + now.hblkhd;
  };
  constexpr Index kRows = 2, kCols = 60, kLong = 200000;
  const std::vector<float> a(kRows * kLong, 1.0F);
  const std::vector<float> b(kCols * kLong, 1.0F);
  std::vector<float> c(kRows * kCols);
  const auto before = held();
  gemm<float>({.m = kRows,
               .n = kCols,
               .k = kLong,
               .a = a.data(),
               .lda = kLong,
               .b = b.data(),
               .ldb = kLong,
               .trans_b = true,
               .c = c.data(),
               .ldc = kCols});
  EXPECT_EQ(c, std::vector<float>(kRows * kCols, static_cast<float>(kLong)));
  EXPECT_LT(held(), before + (std::size_t{4} << 20));  // the copy of A alone had 16 MB
}

TEST(GemmTiles, CoverTheMatrixAndSplitTheWork) {
  for (const Index m : {1, 7, 65, 128, 768, 4096})
    for (const Index n : {1, 31, 65, 384, 50257})
      for (const Index k : {1, 128, 4096}) {
        const GemmTiles t = choose_gemm_tiles(m, n, k);
        EXPECT_GE(t.grid_rows * t.rows, m);
        EXPECT_LT((t.grid_rows - 1) * t.rows, m);
        EXPECT_GE(t.grid_cols * t.cols, n);
        EXPECT_LT((t.grid_cols - 1) * t.cols, n);
        EXPECT_LE(t.count(), 64);
        if (m * n * k > 8'000'000 && m * n > 64 * 1024) {
          EXPECT_GE(t.count(), 4) << m << " " << n << " " << k;
        }
      }
}

TEST(BlasInfo, NamesTheLibraryThatRuns) {
  const BlasInfo info = blas_info();
  EXPECT_FALSE(std::string(info.core).empty());
  const std::string flavour = info.flavour;
  EXPECT_TRUE(flavour == "serial" || flavour == "pthread" || flavour == "openmp" || flavour == "unknown") << flavour;
}

}  // namespace
}  // namespace minnow::kernels
