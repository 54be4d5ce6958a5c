#include "kernels/gemm_tiles.hpp"

#include <algorithm>

namespace minnow::kernels {
namespace {

constexpr Index kMaxTiles = 64;
constexpr Index kUnit = 16;     // tile borders fall on multiples of the BLAS micro-kernel's width
constexpr Index kMinEdge = 32;  // thinner tiles are never cut

// Each BLAS call packs its part of A and B again and pays for edges: relative extra time of a tile is about
// kRowCost / rows + kColCost / cols, plus kCallCost multiply-adds a call. Fitted to these rates (GFLOP/s, f32, OpenBLAS
// 0.3.21 "Cooperlake", two idle Zen 4 cores, two threads; one core alone does 97 to 103):
//   m x n x k        A^T B^T  tile rows x columns: rate
//   768 x 384 x 128   -  T    192x384 199   96x384 188   192x192 184   192x128 180   768x48  138
//   768 x 128 x 128   -  T    384x128 201   192x128 196   96x128 185    384x64 176   64x32   133
//   768 x 512 x 128   -  T    384x512 202   192x512 197   96x512 188   384x256 179   96x64   146
//   768 x 128 x 512   -  T    384x128 202   192x128 199   96x128 190    192x64 185   256x128 151
//   768 x  65 x 128   -  T     384x65 183    192x65 177    96x65 169     48x65 155   256x65  137
//   384 x 128 x 768   T  -    192x128 204    192x64 190    48x128 186    96x64 185   128x128 149
//   128 x 128 x 768   T  -     64x128 189    128x64 186     64x64 178    32x128 168  32x64   161
//   4096 x 1536 x 384 -  T  1024x1536 198  2048x512 189   256x1536 187               512x192 141
//   1536 x 384 x 4096 T  -    768x384 197   384x384 192    256x384 185               1536x48 135
//   256 x 3072 x 768  -  T    256x768 178   128x3072 175   256x512 171   128x768 168 32x1024 117
// tests/bench/bench_kernels_a prints the rates of what is chosen.
constexpr double kRowCost = 10, kColCost = 20, kCallCost = 5e4;

// How much an idle thread counts at 2, 4 and 8 threads.
struct Team {
  Index threads;
  double weight;
};
constexpr Team kTeams[] = {{2, 0.5}, {4, 0.25}, {8, 0.05}};

Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

/// @return the edge of tiles when `size` is cut in about `parts`.
Index edge(Index size, Index parts) { return parts == 1 ? size : ceil_div(ceil_div(size, parts), kUnit) * kUnit; }

/// @return estimated extra time relative to a perfect product on a team that is never idle.
double overhead(const GemmTiles& tiles, double multiply_adds) {
  const auto count = static_cast<double>(tiles.count());
  double extra = kRowCost / static_cast<double>(tiles.rows) + kColCost / static_cast<double>(tiles.cols) +
                 kCallCost * count / multiply_adds;
  for (const Team& team : kTeams) {
    const auto rounds = static_cast<double>(ceil_div(tiles.count(), team.threads));
    extra += team.weight * (rounds * static_cast<double>(team.threads) / count - 1);
  }
  return extra;
}

}  // namespace

GemmTiles choose_gemm_tiles(Index m, Index n, Index k) {
  GemmTiles best{m, n, 1, 1};
  const double multiply_adds = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  if (multiply_adds < 4 * kCallCost) return best;  // a few microseconds: not worth waking a thread
  double best_overhead = overhead(best, multiply_adds);
  const Index most_rows = std::clamp<Index>(m / kMinEdge, 1, kMaxTiles);
  for (Index parts_m = 1; parts_m <= most_rows; ++parts_m) {
    const Index most_cols = std::clamp<Index>(n / kMinEdge, 1, kMaxTiles / parts_m);
    for (Index parts_n = 1; parts_n <= most_cols; ++parts_n) {
      GemmTiles tiles{edge(m, parts_m), edge(n, parts_n), 0, 0};
      if (m > 1 && tiles.rows * tiles.cols <= kThinTile) continue;
      tiles.grid_rows = ceil_div(m, tiles.rows);
      tiles.grid_cols = ceil_div(n, tiles.cols);
      const double candidate = overhead(tiles, multiply_adds);
      if (candidate < best_overhead) {
        best = tiles;
        best_overhead = candidate;
      }
    }
  }
  return best;
}

}  // namespace minnow::kernels
