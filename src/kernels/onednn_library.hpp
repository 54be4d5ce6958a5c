#pragma once
/// @file
/// The functions of oneDNN that the products use, loaded when they are first asked for: the library is large (39 MB; 3
/// MB of memory and 4 ms at every start), and only runs with compute.gemm = "onednn" need it.

#ifdef MINNOW_HAS_ONEDNN
#include <oneapi/dnnl/dnnl.h>

#include <string>

namespace minnow::kernels {

// clang-format off
#define MINNOW_ONEDNN_FUNCTIONS(X) \
  X(engine_create) X(stream_create) X(stream_destroy) X(set_verbose) X(version) \
  X(memory_desc_init_by_strides) X(memory_desc_get_size) X(memory_create) X(memory_destroy) X(memory_set_data_handle) \
  X(matmul_desc_init) X(primitive_attr_create) X(primitive_attr_destroy) X(primitive_attr_set_scratchpad_mode) \
  X(primitive_attr_set_post_ops) X(post_ops_create) X(post_ops_destroy) X(post_ops_append_sum) \
  X(primitive_desc_create) X(primitive_desc_destroy) X(primitive_desc_query) X(primitive_desc_query_md) \
  X(primitive_create) X(primitive_destroy) X(primitive_execute)
// clang-format on

struct OnednnLibrary {
#define MINNOW_ONEDNN_MEMBER(name) decltype(&dnnl_##name) name = nullptr;
  MINNOW_ONEDNN_FUNCTIONS(MINNOW_ONEDNN_MEMBER)
#undef MINNOW_ONEDNN_MEMBER
  dnnl_engine_t engine = nullptr;  ///< of the processor; null: the library cannot be used
  std::string refusal;             ///< why not
};

/// @return the library, loaded by the first call and for good. Never prints, whatever ONEDNN_VERBOSE says.
const OnednnLibrary& onednn_library();

}  // namespace minnow::kernels
#endif
