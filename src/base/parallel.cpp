#include "minnow/base/parallel.hpp"

// Weak, so that programs without BLAS (the fuzz targets) link too.
extern "C" __attribute__((weak)) void openblas_set_num_threads(int count);

namespace minnow {

void set_threads(int count) {
  if (openblas_set_num_threads != nullptr)
    openblas_set_num_threads(1);            // the OpenMP flavour sets OpenMP's default to 1 ...
  omp_set_num_threads(std::max(1, count));  // ... so ours comes second
}

int threads() { return omp_get_max_threads(); }

}  // namespace minnow
