#include "cli/libraries.hpp"

#include <alloca.h>
#include <malloc.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

// Sanitizers set themselves up before anything else runs, and later than this file wants to.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MINNOW_STARTS_LATE 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define MINNOW_STARTS_LATE 1
#endif
#endif

namespace minnow::cli {
namespace {

constexpr std::size_t kLongestPath = 4096;  // PATH_MAX of Linux

// Of glibc's heap: blocks from this size on come from the system and go back to it, so that the tensors of an
// evaluation leave no holes between them. Its own threshold grows with what is freed, up to 32 MiB; peaks were up
// to 1.4 times as high.
constexpr int kOwnMappingBytes = 256 << 10;

bool is_set(char** environment, std::string_view name) {
  for (; *environment != nullptr; ++environment) {
    if (std::strncmp(*environment, name.data(), name.size()) == 0 && (*environment)[name.size()] == '=') return true;
  }
  return false;
}

/// See settle_libraries. Calls nothing but the system: libraries, libc among them, may not have run their own
/// constructors yet.
void start_anew(char** argv, char** environment) {
  static std::array<char, 32> blas_threads{"OPENBLAS_NUM_THREADS=1"};
  static std::array<char, kLongestPath> self{};
  if (is_set(environment, "OPENBLAS_NUM_THREADS")) return;
  std::size_t count = 0;
  while (environment[count] != nullptr) ++count;
  auto* fresh = static_cast<char**>(alloca((count + 2) * sizeof(char*)));
  for (std::size_t i = 0; i < count; ++i) fresh[i] = environment[i];
  fresh[count++] = blas_threads.data();
  fresh[count] = nullptr;
  // The path itself, since the name that `ps` shows is made from it.
  const long length = ::syscall(SYS_readlink, "/proc/self/exe", self.data(), self.size() - 1);
  if (length > 0) ::syscall(SYS_execve, self.data(), argv, fresh);  // on failure the program goes on as it is
}

#ifndef MINNOW_STARTS_LATE
extern "C" void minnow_before_libraries(int, char** argv, char** environment) { start_anew(argv, environment); }
/// Functions in this section run before the constructors of shared libraries: that of OpenBLAS starts its threads, and
/// ends the process where it gets none.
__attribute__((section(".preinit_array"), used)) void (*const kBeforeLibraries)(int, char**,
                                                                                char**) = &minnow_before_libraries;
#endif

}  // namespace

void settle_libraries(char** argv) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, kOwnMappingBytes);
#endif
  start_anew(argv, environ);
}

}  // namespace minnow::cli
