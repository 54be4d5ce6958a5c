#pragma once
/// @file
/// Cuts loops into chunks whose borders depend on the problem only, and runs the chunks on the OpenMP team.

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <exception>

namespace minnow {

/// Index type of sizes, offsets and loops.
using Index = std::int64_t;

/// Sets how many threads later parallel loops use. Results never depend on it. Call once at start and between steps.
/// Also tells OpenBLAS to stay serial (it is only ever called inside our own regions).
void set_threads(int count);

/// @return the number of threads that the next parallel loop uses.
[[nodiscard]] int threads();

/// Runs `body(chunk)` for chunk = 0 .. chunks - 1 on the team, in any order. Partial results go to one slot per chunk
/// and are added in chunk order by the caller, so the bits do not depend on the number of threads. Every thread runs
/// `omp_set_num_threads(1)` first: BLAS and nested loops inside `body` stay serial. The first exception thrown by a
/// body is rethrown after the loop.
template <class Body>
void parallel_chunks(Index chunks, Body&& body) {
  if (chunks <= 0) return;
  const int team = static_cast<int>(std::min<Index>(chunks, omp_in_parallel() ? 1 : omp_get_max_threads()));
  std::exception_ptr failure = nullptr;
#pragma omp parallel num_threads(team) if (!omp_in_parallel())
  {
    if (omp_get_level() == 1) omp_set_num_threads(1);
#pragma omp for schedule(dynamic, 1)
    for (Index chunk = 0; chunk < chunks; ++chunk) {
      try {
        body(chunk);
      } catch (...) {
#pragma omp critical(minnow_parallel_failure)
        if (!failure) failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
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
