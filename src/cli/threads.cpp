#include "cli/threads.hpp"

#include <omp.h>

#include "minnow/base/parallel.hpp"

namespace minnow::cli {

void use_threads(std::int64_t wanted) { set_threads(wanted > 0 ? static_cast<int>(wanted) : omp_get_num_procs()); }

}  // namespace minnow::cli
