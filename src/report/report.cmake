# Dygraphs and the page's own parts become part of the program, so that a report opens without a network.
find_path(MINNOW_DYGRAPHS dygraph.min.js PATHS /usr/share/javascript/dygraphs /usr/share/nodejs/dygraphs/dist
          NO_CMAKE_FIND_ROOT_PATH)
if(NOT MINNOW_DYGRAPHS)
  message(FATAL_ERROR "dygraph.min.js was not found. Install libjs-dygraphs, or give -DMINNOW_DYGRAPHS=FOLDER.")
endif()
set(page ${CMAKE_CURRENT_SOURCE_DIR}/report/page)
set(MINNOW_PAGE_PARTS ${CMAKE_CURRENT_BINARY_DIR}/generated/page_parts.cpp)
add_custom_command(
  OUTPUT ${MINNOW_PAGE_PARTS}
  COMMAND ${CMAKE_COMMAND} -DDYGRAPHS=${MINNOW_DYGRAPHS} -DPAGE=${page} -DOUTPUT=${MINNOW_PAGE_PARTS}
          -P ${CMAKE_CURRENT_SOURCE_DIR}/report/embed.cmake
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/report/embed.cmake ${page}/page.js ${page}/page.css ${page}/dygraphs_license.txt
          ${page}/attention.js ${page}/attention.css ${page}/walk.js ${page}/walk.css
          ${MINNOW_DYGRAPHS}/dygraph.min.js ${MINNOW_DYGRAPHS}/dygraph.min.css
  COMMENT "Embedding the report page" VERBATIM)
