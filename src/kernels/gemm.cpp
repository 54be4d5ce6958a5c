#include "minnow/kernels/gemm.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "kernels/avx512_thin.hpp"
#include "kernels/column_sum.hpp"
#include "kernels/gemm_epilogue.hpp"
#include "kernels/gemm_tiles.hpp"
#include "kernels/tile_product.hpp"
#include "minnow/kernels/packed_matrix.hpp"

namespace minnow::kernels {
namespace {

/// The part of C that one task computes.
using Tile = GemmPart;

Tile tile_at(const GemmTiles& tiles, Index m, Index n, Index index) {
  const Index row = index / tiles.grid_cols * tiles.rows, col = index % tiles.grid_cols * tiles.cols;
  return {row, col, std::min(tiles.rows, m - row), std::min(tiles.cols, n - col)};
}

/// C of the tile = op(A) op(B) [+ C], the operands given by their first elements.
template <class T>
TileProduct<T> tile_product(const GemmArgs<T>& x, const Tile& tile, bool add) {
  return {.trans_a = x.trans_a,
          .trans_b = x.trans_b,
          .m = tile.rows,
          .n = tile.cols,
          .k = x.k,
          .alpha = x.alpha,
          .a = x.a + (x.trans_a ? tile.row : tile.row * x.lda),
          .lda = x.lda,
          .b = x.b + (x.trans_b ? tile.col * x.ldb : tile.col),
          .ldb = x.ldb,
          .beta = add ? T(1) : T(0),
          .c = x.c + tile.row * x.ldc + tile.col,
          .ldc = x.ldc,
          .precision = x.precision,
          .epilogue = epilogue_at(x.epilogue, tile.row, tile.col)};
}

/// Whether OpenBLAS would sum this product over k in another order than that of more rows. With that, a sequence would
/// get other bits by itself than in a batch, and a token other bits alone than in a prompt.
template <class T>
bool is_thin(const GemmArgs<T>& x, const Tile& tile) {
  return backend_for<T>() == GemmBackend::kOpenblas && x.trans_b && !x.trans_a &&
         (tile.rows == 1 || tile.rows * tile.cols <= kThinTile);
}

/// What a thread keeps between thin tiles, for each of the two buffers: those of models are far smaller.
constexpr std::size_t kKeptBytes = std::size_t{1} << 20;

template <class T>
void drop_if_large(std::vector<T>& buffer) {
  if (buffer.capacity() * sizeof(T) > kKeptBytes) std::vector<T>().swap(buffer);
}

/// Multiplies a thin tile with as many rows of zeros below it as the usual order of summation needs.
template <class T>
void multiply_thin_tile(const GemmArgs<T>& x, const Tile& tile, bool add) {
  thread_local std::vector<T> a;  // not the caller's: src/decisions/0005-scratch-of-thin-products.md
  thread_local std::vector<T> c;
  TileProduct<T> call = tile_product(x, tile, add);
  const T* from = call.a;
  T* to = call.c;
  call.epilogue = {};
  call.m = std::max<Index>(2, kThinTile / tile.cols + 1);
  a.assign(static_cast<std::size_t>(call.m * x.k), T(0));
  c.assign(static_cast<std::size_t>(call.m * tile.cols), T(0));
  for (Index row = 0; row < tile.rows; ++row) {
    std::copy_n(from + row * x.lda, x.k, a.data() + row * x.k);
    if (add) std::copy_n(to + row * x.ldc, tile.cols, c.data() + row * tile.cols);
  }
  call.a = a.data();
  call.lda = x.k;
  call.c = c.data();
  call.ldc = tile.cols;
  multiply(call);
  for (Index row = 0; row < tile.rows; ++row) std::copy_n(c.data() + row * tile.cols, tile.cols, to + row * x.ldc);
  drop_if_large(a);
  drop_if_large(c);
}

/// The tile's product and epilogue, into C.
template <class T>
void multiply_tile(const GemmArgs<T>& x, const Tile& tile, bool add) {
  if (x.k == 0) {
    T* c = x.c + tile.row * x.ldc + tile.col;
    if (!add)
      for (Index row = 0; row < tile.rows; ++row) std::fill_n(c + row * x.ldc, tile.cols, T(0));
  } else if (is_thin(x, tile)) {
    multiply_thin_tile(x, tile, add);
  } else {
    return multiply(tile_product(x, tile, add));
  }
  if (!x.epilogue.empty()) finish_part(x.epilogue, x.c, x.ldc, tile);
}

Index offset_of(const Index* offsets, Index stride, Index i) { return offsets != nullptr ? offsets[i] : i * stride; }

/// The arguments of product `i` of a batch.
template <class T>
GemmArgs<T> batch_item(const GemmArgs<T>& args, const GemmBatch<T>& batch, Index i) {
  GemmArgs<T> item = args;
  item.a += offset_of(batch.offsets_a, batch.stride_a, i);
  item.b += offset_of(batch.offsets_b, batch.stride_b, i);
  item.c += offset_of(batch.offsets_c, batch.stride_c, i);
  item.epilogue.slope = nullptr;
  item.epilogue.residual = nullptr;
  return item;
}

/// Few rows by our own code: what counts is that B is read once, so C is cut along n, in whole strips.
GemmTiles tiles_of_few_rows(Index m, Index n, Index k) {
  constexpr Index kAlone = Index{1} << 17;  // elements of B that one thread reads before a second one is awake and done
  constexpr Index kElements = Index{1} << 15;  // of B in a tile at least: 128 KB
  constexpr Index kTilesOfThread = 3;  // long runs of strips: at the end of one the next strip is not yet on its way
  if (n * k * (m + 3) / 4 < kAlone) return {m, n, 1, 1};
  const Index least = std::max<Index>(1, kElements / (k * kThinStrip));
  const Index parts = kTilesOfThread * threads() * kThinStrip;  // where C is cut changes no bit of it
  const Index cols = std::max(least, (n + parts - 1) / parts) * kThinStrip;
  return {m, cols, 1, (n + cols - 1) / cols};
}

template <class T>
GemmTiles tiles_of(const GemmArgs<T>& args) {
  const Index k = std::max<Index>(args.k, 1);
  const bool few = args.m <= kThinRows && args.trans_b && !args.trans_a;
  if (few && backend_for<T>() == GemmBackend::kMinnow) return tiles_of_few_rows(args.m, args.n, k);
  return choose_gemm_tiles(args.m, args.n, k);
}

}  // namespace

template <class T>
bool gemm_rows_are_independent() {
  if (backend_for<T>() != GemmBackend::kOpenblas) return backend_for<T>() == GemmBackend::kMinnow;
  static const bool kIndependent = [] {
    const std::string core = blas_info().core;
    return core == "SkylakeX" || core == "Cooperlake" || core == "SapphireRapids";
  }();
  return kIndependent;
}

template <class T>
void gemm(const GemmArgs<T>& args) {
  if (args.m <= 0 || args.n <= 0) return;
  prepare_blas();
  const GemmTiles tiles = tiles_of(args);
  parallel_chunks(tiles.count(),
                  [&](Index index) { multiply_tile(args, tile_at(tiles, args.m, args.n, index), args.add); });
}

template <class T>
void gemm_group(std::span<const GemmArgs<T>> products, std::span<const ColumnSum<T>> sums) {
  prepare_blas();
  std::array<GemmTiles, kGemmGroup> tiles;
  Index tasks = 0;
  for (const ColumnSum<T>& sum : sums) tasks += column_strips(sum.n);
  for (std::size_t i = 0; i < products.size(); ++i) {
    tiles.at(i) = tiles_of(products[i]);
    if (products[i].m <= 0 || products[i].n <= 0) tiles.at(i).grid_rows = 0;
    tasks += tiles.at(i).count();
  }
  parallel_chunks(tasks, [&](Index task) {
    for (const ColumnSum<T>& sum : sums) {  // first: what is small does not come last
      if (task < column_strips(sum.n)) return sum_column_strip(sum, task);
      task -= column_strips(sum.n);
    }
    for (std::size_t i = 0;; ++i) {
      const GemmArgs<T>& x = products[i];
      if (task < tiles[i].count()) return multiply_tile(x, tile_at(tiles[i], x.m, x.n, task), x.add);
      task -= tiles[i].count();
    }
  });
}

void gemm_packed(const GemmArgs<float>& args, const PackedMatrix* b) {
  if (b == nullptr || backend_for<float>() != GemmBackend::kMinnow || args.m <= 0 || args.n <= 0 || args.k <= 0)
    return gemm(args);
  prepare_blas();
  GemmTiles tiles = tiles_of(args);
  tiles.cols = (tiles.cols + PackedMatrix::kStrip - 1) / PackedMatrix::kStrip * PackedMatrix::kStrip;
  tiles.grid_cols = (args.n + tiles.cols - 1) / tiles.cols;
  parallel_chunks(tiles.count(), [&](Index index) {
    const Tile tile = tile_at(tiles, args.m, args.n, index);
    TileProduct<float> product = tile_product(args, tile, args.add);
    product.packed = b;
    product.packed_column = tile.col;
    multiply(product);
  });
}

template <class T>
void gemm_batch(const GemmArgs<T>& args, const GemmBatch<T>& batch) {
  if (args.m <= 0 || args.n <= 0 || batch.count <= 0) return;
  prepare_blas();
  const GemmTiles tiles = tiles_of(args);
  const bool sum = batch.count > 1 && batch.stride_c == 0 && batch.offsets_c == nullptr;
  if (sum) {  // a task owns a tile of the one C and walks the batch in order
    parallel_chunks(tiles.count(), [&](Index index) {
      const Tile tile = tile_at(tiles, args.m, args.n, index);
      for (Index i = 0; i < batch.count; ++i) multiply_tile(batch_item(args, batch, i), tile, args.add || i > 0);
    });
    return;
  }
  // Small products go several to a task, about a million multiply-adds each.
  const Index work = args.m * args.n * std::max<Index>(args.k, 1);
  const Index per_task = tiles.count() == 1 ? std::clamp<Index>((Index{1} << 20) / work, 1, batch.count) : 1;
  parallel_ranges(batch.count * tiles.count(), per_task, [&](Index begin, Index end, Index) {
    for (Index index = begin; index < end; ++index) {
      const GemmArgs<T> item = batch_item(args, batch, index / tiles.count());
      const Tile tile = tile_at(tiles, args.m, args.n, index % tiles.count());
      multiply_tile(item, tile, args.add);
    }
  });
}

template bool gemm_rows_are_independent<float>();
template bool gemm_rows_are_independent<double>();
template void gemm<float>(const GemmArgs<float>&);
template void gemm<double>(const GemmArgs<double>&);
template void gemm_group<float>(std::span<const GemmArgs<float>>, std::span<const ColumnSum<float>>);
template void gemm_group<double>(std::span<const GemmArgs<double>>, std::span<const ColumnSum<double>>);
template void gemm_batch<float>(const GemmArgs<float>&, const GemmBatch<float>&);
template void gemm_batch<double>(const GemmArgs<double>&, const GemmBatch<double>&);

}  // namespace minnow::kernels
