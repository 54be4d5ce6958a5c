# oneDNN for compute.gemm = "onednn". Its header is compiled against; the library itself is loaded when a run asks for it
# (src/kernels/onednn_library.cpp), so that nobody else pays for 39 MB, and a program built with it runs without.
set(MINNOW_ONEDNN AUTO CACHE STRING "Matrix products by oneDNN 2 on request: AUTO (where its header is), ON or OFF")
set_property(CACHE MINNOW_ONEDNN PROPERTY STRINGS AUTO ON OFF)

set(MINNOW_HAS_ONEDNN OFF)
if(MINNOW_ONEDNN)
  find_path(MINNOW_ONEDNN_INCLUDE oneapi/dnnl/dnnl.h DOC "Folder of oneDNN's headers")
  mark_as_advanced(MINNOW_ONEDNN_INCLUDE)
  set(onednn_major 0)
  if(MINNOW_ONEDNN_INCLUDE)
    file(STRINGS ${MINNOW_ONEDNN_INCLUDE}/oneapi/dnnl/dnnl_version.h onednn_major REGEX "define DNNL_VERSION_MAJOR")
    string(REGEX REPLACE ".* ([0-9]+)$" "\\1" onednn_major "${onednn_major}")
  endif()
  if(onednn_major EQUAL 2)  # version 3 has another interface
    set(MINNOW_HAS_ONEDNN ON)
  elseif(NOT MINNOW_ONEDNN STREQUAL "AUTO")
    message(FATAL_ERROR "MINNOW_ONEDNN=ON needs the headers of oneDNN 2 (Debian: libdnnl-dev); found version ${onednn_major}")
  endif()
endif()
message(STATUS "Products by oneDNN: ${MINNOW_HAS_ONEDNN}")
