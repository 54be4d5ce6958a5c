/// @file
/// The program `minnow`: finds the verb, runs it, and turns every failure into a message and a documented exit code.

#include "cli/called_name.hpp"
#include "cli/frame.hpp"
#include "cli/libraries.hpp"

int main(int argc, char** argv) {
  minnow::cli::settle_libraries(argv);
  if (argc > 0) minnow::cli::set_called_name(argv[0]);
  return minnow::cli::run({argv + (argc > 0 ? 1 : 0), argv + argc});
}
