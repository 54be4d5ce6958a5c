#include "cli/libraries.hpp"

#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace minnow::cli {
namespace {

constexpr const char* kSpinCount = "1000";  // tens of microseconds: longer than the gap between two loops of a step

// Of glibc's heap: blocks from this size on come from the system and go back to it, so that the tensors of an
// evaluation leave no holes between them. Its own threshold grows with what is freed, up to 32 MiB; peaks were up
// to 1.4 times as high.
constexpr int kOwnMappingBytes = 256 << 10;

bool is_set(const char* name) { return std::getenv(name) != nullptr; }

}  // namespace

void settle_libraries(char** argv) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, kOwnMappingBytes);
#endif
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
