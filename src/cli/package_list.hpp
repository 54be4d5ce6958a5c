#pragma once
/// @file
/// Holds scripts/packages.txt, so that the program can say what is missing wherever it runs.

#include <string_view>

namespace minnow::cli {

/// @return the file as it was when the program was built; src/CMakeLists.txt writes the definition.
std::string_view package_list();

}  // namespace minnow::cli
