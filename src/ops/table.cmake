# Writes the table of operations: every src/ops/NAME.cpp defines `op_NAME`. Sorted, so the order is fixed; no static
# initialisation, so a static library loses none of them; a new file is picked up by a plain rebuild.
file(GLOB op_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/ops/*.cpp)
set(op_names "")
foreach(file ${op_files})
  get_filename_component(name ${file} NAME_WE)
  list(APPEND op_names ${name})
endforeach()
list(SORT op_names)
set(MINNOW_OP_EXTERNS "")
set(MINNOW_OP_ROWS "")
foreach(name ${op_names})
  string(APPEND MINNOW_OP_EXTERNS "extern const Op op_${name};\n")
  string(APPEND MINNOW_OP_ROWS "      &op_${name},\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/op_table.cpp CONTENT
"// Written by src/ops/table.cmake from the files in src/ops.
#include \"ops/registry/table.hpp\"

namespace minnow {
namespace ops {
@MINNOW_OP_EXTERNS@}  // namespace ops

std::span<const Op* const> builtin_ops() {
  using namespace ops;
  static constexpr const Op* kTable[] = {
@MINNOW_OP_ROWS@  };
  return kTable;
}

}  // namespace minnow
" @ONLY)
set(MINNOW_OP_TABLE ${CMAKE_CURRENT_BINARY_DIR}/generated/op_table.cpp)
