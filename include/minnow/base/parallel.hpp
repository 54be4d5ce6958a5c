#pragma once
/// @file
/// Cuts loops into chunks whose borders depend on the problem only, and runs the chunks on a team of threads.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace minnow {

/// Index type of sizes, offsets and loops.
using Index = std::int64_t;

/// Sets how many threads later parallel loops use at most: while another program takes processors, they use fewer
/// (team_report). Results never depend on it. Call at start and between steps, not inside a loop. Also tells OpenBLAS
/// to stay serial (it is only ever called inside our own loops).
void set_threads(int count);

/// @return the number of threads that a parallel loop may use. At first as many as OpenMP would: OMP_NUM_THREADS, else
/// the processors that the process may use.
[[nodiscard]] int threads();

/// @return which thread of the team this is, from 0 to threads() - 1; 0 outside of loops. For scratch of its own.
[[nodiscard]] inline int thread_number();

/// @return whether the caller runs inside a chunk: loops are serial there.
[[nodiscard]] inline bool in_parallel();

/// What the team does about other programs on this machine.
struct TeamReport {
  int most = 1;               ///< threads()
  int size = 1;               ///< threads that take part now
  std::int64_t retreats = 0;  ///< how often the team became smaller
};
[[nodiscard]] TeamReport team_report();

/// What parallel_chunks stands on.
namespace detail {

/// The caller's number in its team; -1 outside of loops.
inline constinit thread_local int place_in_team = -1;

/// A body of any type, to be called with each chunk.
struct ChunkBody {
  void (*call)(void* body, Index chunk);
  void* body;
};

/// Runs all chunks on the team and returns when they are done.
void run_chunks(Index chunks, const ChunkBody& body);

}  // namespace detail

inline int thread_number() { return std::max(0, detail::place_in_team); }
inline bool in_parallel() { return detail::place_in_team >= 0; }

/// Runs `body(chunk)` for chunk = 0 .. chunks - 1 on the team, in any order. Partial results go to one slot per chunk
/// and are added in chunk order by the caller, so the bits do not depend on the number of threads. BLAS and nested
/// loops inside `body` stay serial. The first exception thrown by a body is rethrown after the loop.
template <class Body>
void parallel_chunks(Index chunks, Body&& body) {
  using Plain = std::remove_reference_t<Body>;
  if (chunks <= 0) return;
  if (in_parallel()) {
    for (Index chunk = 0; chunk < chunks; ++chunk) body(chunk);
    return;
  }
  const auto call = [](void* at, Index chunk) { (*static_cast<Plain*>(at))(chunk); };
  detail::run_chunks(chunks, {call, const_cast<void*>(static_cast<const void*>(std::addressof(body)))});
}

/// Runs `body(begin, end, chunk)` over [0, count) in chunks of `chunk_size` (the last one shorter).
template <class Body>
void parallel_ranges(Index count, Index chunk_size, Body&& body) {
  const Index chunks = (count + chunk_size - 1) / chunk_size;
  parallel_chunks(chunks, [&](Index chunk) {
    const Index begin = chunk * chunk_size;
    body(begin, std::min(count, begin + chunk_size), chunk);
  });
}

}  // namespace minnow
