/// @file
/// The program `minnow`: finds the verb, runs it, and turns every failure into a message and a documented exit code.

#include "cli/frame.hpp"
#include "cli/libraries.hpp"

int main(int argc, char** argv) {
  minnow::cli::settle_libraries(argv);
  return minnow::cli::run({argv + (argc > 0 ? 1 : 0), argv + argc});
}
