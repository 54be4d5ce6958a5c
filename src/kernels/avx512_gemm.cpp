#include "kernels/avx512_gemm.hpp"

#include <cstddef>
#include <memory>
#include <new>

#include "kernels/avx512_direct.hpp"
#include "kernels/avx512_pack.hpp"
#include "kernels/avx512_small.hpp"
#include "kernels/avx512_thin.hpp"
#include "kernels/gemm_epilogue.hpp"
#include "minnow/kernels/packed_matrix.hpp"

namespace minnow::kernels {

#if defined(__x86_64__)
namespace {

// Blocks in lanes, rows and columns: a strip of B (48 KB) stays in the first levels while the strips of A pass by, the
// block of A (252 KB) in the second. Measured on one Zen 4 core against 256 and 512 lanes: within 2 %; OpenBLAS 0.3.21
// takes 384 too.
constexpr Index kDepthBlock = PackedMatrix::kBlock;
constexpr Index kRowBlock = 12 * kTileRows;
constexpr Index kColBlock = 16 * kTileCols;
constexpr std::size_t kALanes = kDepthBlock * kRowBlock + 16;  // the last store of a strip writes 2 lanes too many
constexpr std::size_t kBLanes = kDepthBlock * kColBlock;
constexpr std::align_val_t kAlignment{64};

/// The packed blocks of a thread, kept from product to product.
class Buffers {
 public:
  Buffers() : lanes_(static_cast<std::uint32_t*>(::operator new((kALanes + kBLanes) * 4, kAlignment))) {}
  ~Buffers() { ::operator delete(lanes_, kAlignment); }
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  template <class T>
  [[nodiscard]] T* b() const {
    return reinterpret_cast<T*>(lanes_);
  }
  template <class T>
  [[nodiscard]] T* a() const {
    return reinterpret_cast<T*>(lanes_ + kBLanes);
  }

 private:
  std::uint32_t* lanes_;
};

}  // namespace

MINNOW_AVX512_BEGIN();
namespace {

/// M rows of sums over `lanes` steps, from packed strips. V vectors wide.
template <class Lane, int M, int V>
__attribute__((noinline)) void register_tile(const typename Lane::Type* a, const typename Lane::Type* b, Index lanes,
                                             const TileTarget& to) {
  __m512 acc[M][V];
#pragma GCC unroll 16
  for (int i = 0; i < M; ++i)
#pragma GCC unroll 2
    for (int j = 0; j < V; ++j) acc[i][j] = _mm512_setzero_ps();
      // Rows of C lie far from each other; asked for now, they are there when the sums are.
#pragma GCC unroll 16
  for (int i = 0; i < M; ++i)
#pragma GCC unroll 2
    for (int j = 0; j < V; ++j) __builtin_prefetch(to.c + i * to.ldc + 16 * j, 1);
  for (Index p = 0; p < lanes; ++p) {
    __m512 row[V];
#pragma GCC unroll 2
    for (int j = 0; j < V; ++j) row[j] = _mm512_load_ps(b + p * kTileCols + 16 * j);
#pragma GCC unroll 16
    for (int i = 0; i < M; ++i)
#pragma GCC unroll 2
      for (int j = 0; j < V; ++j) acc[i][j] = Lane::multiply_add(acc[i][j], a[p * kTileRows + i], row[j]);
  }
  write_tile<M, V>(acc, to);
}

/// The register tile for `rows` rows, found among those compiled for M and fewer.
template <class Lane, int M>
void tile_of_rows(Index rows, const typename Lane::Type* a, const typename Lane::Type* b, Index lanes,
                  const TileTarget& to) {
  if (rows == M) {
    to.cols > 16 ? register_tile<Lane, M, 2>(a, b, lanes, to) : register_tile<Lane, M, 1>(a, b, lanes, to);
  } else if constexpr (M > 1) {
    tile_of_rows<Lane, M - 1>(rows, a, b, lanes, to);
  }
}

/// Rows [row, row + count) of op(A), k from `depth` on, as strips.
template <class Lane>
void pack_a(const TileProduct<float>& x, Index row, Index count, Index depth, Index k, typename Lane::Type* to) {
  if (x.trans_a) return pack_strips_along_columns<Lane, kTileRows>(x.a + depth * x.lda + row, x.lda, count, k, to);
  const Index lanes = (k + Lane::kDepth - 1) / Lane::kDepth;
  for (Index i = 0; i < count; i += kTileRows) {
    pack_along_rows<Lane, kTileRows>(x.a + (row + i) * x.lda + depth, x.lda, std::min(kTileRows, count - i), k,
                                     to + i * lanes);
  }
}

/// One strip of op(B): columns [col, col + width).
template <class Lane>
void pack_b(const TileProduct<float>& x, Index col, Index width, Index depth, Index k, typename Lane::Type* to) {
  if (x.trans_b) {
    pack_along_rows<Lane, kTileCols, true>(x.b + col * x.ldb + depth, x.ldb, width, k, to);
  } else {
    pack_along_columns<Lane, kTileCols>(x.b + depth * x.ldb + col, x.ldb, width, k, to);
  }
}

template <class Lane>
void pack_all_strips(const TileProduct<float>& x, std::uint32_t* to) {
  const Index lanes = (x.k + Lane::kDepth - 1) / Lane::kDepth;
  for (Index col = 0; col < x.n; col += kTileCols) {
    pack_b<Lane>(x, col, std::min(kTileCols, x.n - col), 0, x.k,
                 reinterpret_cast<typename Lane::Type*>(to) + col * lanes);
  }
}

/// What pack_a reads.
BlockAhead a_block(const TileProduct<float>& x, Index row, Index count, Index depth, Index k) {
  return x.trans_a ? BlockAhead(x.a + depth * x.lda + row, k, count, x.lda)
                   : BlockAhead(x.a + row * x.lda + depth, count, k, x.lda);
}

/// What pack_b reads.
BlockAhead b_block(const TileProduct<float>& x, Index col, Index width, Index depth, Index k) {
  return x.trans_b ? BlockAhead(x.b + col * x.ldb + depth, width, k, x.ldb)
                   : BlockAhead(x.b + depth * x.ldb + col, k, width, x.ldb);
}

/// Where a packed product stands, and what it packs next.
template <class Lane>
struct BlockOrder {
  const TileProduct<float>& x;
  static constexpr Index kStep = kDepthBlock * Lane::kDepth;
  static constexpr Index kNear = Index{1} << 16;  // elements of an operand that the caches keep by themselves

  [[nodiscard]] Index depth_of(Index depth) const { return std::min(kStep, x.k - depth); }
  /// The block of A after (depth, col, row): the next rows, or the first ones of the next columns or depth.
  [[nodiscard]] BlockAhead a_after(Index depth, Index col, Index row) const {
    row += kRowBlock;
    if (row >= x.m) {
      row = 0;
      if (col + kColBlock >= x.n) depth += kStep;
    }
    if (depth >= x.k || x.m * x.k <= kNear) return {};
    return a_block(x, row, std::min(kRowBlock, x.m - row), depth, depth_of(depth));
  }
  /// The strip of B after the one at (depth, col), when somebody packs strips.
  [[nodiscard]] BlockAhead b_after(Index depth, Index col) const {
    if (x.packed != nullptr || x.strips.data != nullptr || x.n * x.k <= kNear) return {};
    col += kTileCols;
    if (col >= x.n) {
      col = 0;
      depth += kStep;
    }
    if (depth >= x.k) return {};
    return b_block(x, col, std::min(kTileCols, x.n - col), depth, depth_of(depth));
  }
};

template <class Lane>
void multiply_packed(const TileProduct<float>& x) {
  using Type = typename Lane::Type;
  thread_local const Buffers buffers;
  Type* const a = buffers.a<Type>();
  Type* const b = buffers.b<Type>();
  constexpr Index step = kDepthBlock * Lane::kDepth;
  const BlockOrder<Lane> order{x};
  const DirectOperands direct = DirectOperands::of<Lane>(x);
  for (Index depth = 0; depth < x.k; depth += step) {
    const Index k = std::min(step, x.k - depth);
    const Index lanes = (k + Lane::kDepth - 1) / Lane::kDepth;
    const bool add = x.beta != 0 || depth > 0;
    const bool finish = depth + k == x.k && !x.epilogue.empty();
    for (Index col = 0; col < x.n; col += kColBlock) {
      const Index cols = std::min(kColBlock, x.n - col);
      for (Index row = 0; row < x.m; row += kRowBlock) {
        const Index rows = std::min(kRowBlock, x.m - row);
        if (!direct.a) pack_a<Lane>(x, row, rows, depth, k, a);
        BlockAhead next_a = order.a_after(depth, col, row);
        const Index tiles = (rows + kTileRows - 1) / kTileRows, strips = (cols + kTileCols - 1) / kTileCols;
        const Index a_lines = next_a.lines() / (tiles * strips) + 1;
        for (Index j = 0; j < cols; j += kTileCols) {
          const Index width = std::min(kTileCols, cols - j);
          const Type* strip = packed_strip<Type>(x, depth / step, col + j);
          if (strip == nullptr) {
            strip = b + j * lanes;
            if (row == 0 && !direct.b) pack_b<Lane>(x, col + j, width, depth, k, b + j * lanes);
          }
          BlockAhead next_b = row == 0 ? order.b_after(depth, col + j) : BlockAhead();
          const Index b_lines = next_b.lines() / tiles + 1;
          for (Index i = 0; i < rows; i += kTileRows) {
            next_a.ask(a_lines);
            next_b.ask(b_lines);
            const TileTarget to{x.c + (row + i) * x.ldc + col + j, x.ldc, width, x.alpha, add};
            if constexpr (Lane::kDepth == 1) {
              if (direct.a || direct.b) {
                multiply_direct({x, direct, row + i, col + j, depth}, std::min(kTileRows, rows - i), a + i * lanes,
                                strip, lanes, to);
                continue;
              }
            }
            tile_of_rows<Lane, kTileRows>(std::min(kTileRows, rows - i), a + i * lanes, strip, lanes, to);
          }
          if (finish) finish_part(x.epilogue, x.c, x.ldc, {row, col + j, rows, width});
        }
      }
    }
  }
}

}  // namespace
MINNOW_AVX512_END();

bool has_avx512_gemm(GemmPrecision precision) {
  static const bool kF32 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  static const bool kBf16 = kF32 && __builtin_cpu_supports("avx512bf16");
  return precision == GemmPrecision::kBf16 ? kBf16 : kF32;
}

namespace {

/// The epilogue on the first `cols` columns.
void finish_columns(const TileProduct<float>& x, Index cols) {
  if (cols > 0 && !x.epilogue.empty()) finish_part(x.epilogue, x.c, x.ldc, {0, 0, x.m, cols});
}

}  // namespace

void multiply_avx512(const TileProduct<float>& whole) {
  if (is_small_avx512(whole)) {
    multiply_small_avx512(whole);
    return finish_columns(whole, whole.n);
  }
  TileProduct<float> product = whole;
  if (product.strips.data == nullptr && is_thin_avx512(product)) {
    const Index done = multiply_thin_avx512(product);
    finish_columns(product, done);
    if (done == product.n) return;
    product.epilogue = epilogue_at(product.epilogue, 0, done);
    product.n -= done;
    product.b += done * product.ldb;
    product.c += done;
  }
  product.precision == GemmPrecision::kBf16 ? multiply_packed<Bf16Lane>(product) : multiply_packed<F32Lane>(product);
}

void pack_strips_avx512(const TileProduct<float>& product, std::uint32_t* to) {
  product.precision == GemmPrecision::kBf16 ? pack_all_strips<Bf16Lane>(product, to)
                                            : pack_all_strips<F32Lane>(product, to);
}

void pack_strip_avx512(const float* b, Index ldb, Index width, Index k, GemmPrecision precision, void* to) {
  if (precision == GemmPrecision::kBf16) {
    pack_along_rows<Bf16Lane, kTileCols>(b, ldb, width, k, static_cast<std::uint32_t*>(to));
  } else {
    pack_along_rows<F32Lane, kTileCols>(b, ldb, width, k, static_cast<float*>(to));
  }
}

#else

bool has_avx512_gemm(GemmPrecision) { return false; }
void multiply_avx512(const TileProduct<float>&) {}
void pack_strips_avx512(const TileProduct<float>&, std::uint32_t*) {}
void pack_strip_avx512(const float*, Index, Index, Index, GemmPrecision, void*) {}

#endif

}  // namespace minnow::kernels
