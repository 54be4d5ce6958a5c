#include "kernels/onednn_library.hpp"

#ifdef MINNOW_HAS_ONEDNN
#include <dlfcn.h>
#include <fmt/format.h>

namespace minnow::kernels {
namespace {

std::string last_load_error() {
  const char* const text = ::dlerror();
  return text != nullptr ? text : "the system does not say why";
}

OnednnLibrary load_onednn() {
  OnednnLibrary library;
  const std::string name = fmt::format("libdnnl.so.{}", DNNL_VERSION_MAJOR);
  void* const handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays: its code is on the stacks of threads
  if (handle == nullptr) {
    library.refusal = fmt::format("{} cannot be loaded ({})", name, last_load_error());
    return library;
  }
#define MINNOW_ONEDNN_LOAD(name)                                                           \
  library.name = reinterpret_cast<decltype(library.name)>(::dlsym(handle, "dnnl_" #name)); \
  if (library.name == nullptr) library.refusal = fmt::format("libdnnl lacks a function ({})", last_load_error());
  MINNOW_ONEDNN_FUNCTIONS(MINNOW_ONEDNN_LOAD)
#undef MINNOW_ONEDNN_LOAD
  if (!library.refusal.empty()) return library;
  library.set_verbose(0);  // it writes to stdout
  if (library.engine_create(&library.engine, dnnl_cpu, 0) != dnnl_success) {
    library.engine = nullptr;
    library.refusal = "oneDNN does not know this processor";
  }
  return library;
}

}  // namespace

const OnednnLibrary& onednn_library() {
  static const OnednnLibrary kLibrary = load_onednn();
  return kLibrary;
}

}  // namespace minnow::kernels
#endif
