#include "minnow/base/parallel.hpp"

#include <omp.h>

#include "base/team.hpp"

// Weak, so that programs without BLAS (the fuzz targets) link too.
extern "C" __attribute__((weak)) void openblas_set_num_threads(int count);

namespace minnow {

void set_threads(int count) {
  Team& team = Team::instance();  // first: it asks OpenMP how many threads there may be
  if (openblas_set_num_threads != nullptr) {
    const int openmp = omp_get_max_threads();
    openblas_set_num_threads(1);  // the OpenMP flavour sets OpenMP's default to 1
    omp_set_num_threads(openmp);
  }
  team.set_most(count);
}

int threads() { return Team::instance().most(); }

TeamReport team_report() { return Team::instance().report(); }

}  // namespace minnow
