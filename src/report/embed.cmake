# Writes the parts of a report's page as C++: cmake -DDYGRAPHS=FOLDER -DPAGE=FOLDER -DOUTPUT=FILE -P embed.cmake
# A raw string literal holds any text without its own end mark; compilers take it in pieces of at most 64 KiB by the
# standard's minimum, GCC and Clang in one.
set(code "// Written by src/report/embed.cmake.\n#include \"report/page_parts.hpp\"\n\nnamespace minnow {\n\n")
function(embed name path)
  file(READ "${path}" text)
  string(REGEX REPLACE "(//# sourceMappingURL=[^\n]*|/\\*# sourceMappingURL=[^\n]*\\*/)" "" text "${text}")
  if(text MATCHES "\\)minnow_page\"" OR text MATCHES "</[sS][cCtT]")
    message(FATAL_ERROR "${path} holds the end mark of a literal, a script or a style")
  endif()
  set(code "${code}const std::string_view ${name} = R\"minnow_page(${text})minnow_page\";\n\n" PARENT_SCOPE)
endfunction()
embed(kDygraphsScript "${DYGRAPHS}/dygraph.min.js")
embed(kDygraphsStyle "${DYGRAPHS}/dygraph.min.css")
embed(kDygraphsLicense "${PAGE}/dygraphs_license.txt")
embed(kPageScript "${PAGE}/page.js")
embed(kPageStyle "${PAGE}/page.css")
file(WRITE "${OUTPUT}" "${code}}  // namespace minnow\n")
