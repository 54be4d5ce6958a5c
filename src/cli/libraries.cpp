#include "cli/libraries.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace minnow::cli {
namespace {

constexpr const char* kSpinCount = "1000";  // tens of microseconds: longer than the gap between two loops of a step

bool is_set(const char* name) { return std::getenv(name) != nullptr; }

}  // namespace

void settle_libraries(char** argv) {
  const bool spin = !is_set("GOMP_SPINCOUNT") && !is_set("OMP_WAIT_POLICY");
  const bool blas = !is_set("OPENBLAS_NUM_THREADS");
  if (!spin && !blas) return;
  if (spin) setenv("GOMP_SPINCOUNT", kSpinCount, 1);
  if (blas) setenv("OPENBLAS_NUM_THREADS", "1", 1);
  std::error_code failed;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) execv(self.c_str(), argv);  // on failure the program goes on as it is: only slower
}

}  // namespace minnow::cli
