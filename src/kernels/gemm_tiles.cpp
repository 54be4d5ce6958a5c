#include "kernels/gemm_tiles.hpp"

#include <algorithm>

namespace minnow::kernels {
namespace {

constexpr Index kMaxTiles = 64;
constexpr Index kUnit = 16;     // tile borders fall on multiples of the BLAS micro-kernel's width
constexpr Index kMinEdge = 32;  // thinner tiles are never cut

// Each BLAS call packs its part of A and B again and pays for edges: relative extra time of a tile is about
// kRowCost / rows + kColCost / cols, plus kCallCost multiply-adds a call. Fitted to the measurements below.
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
