/// @file
/// The program `minnow`: finds the verb, runs it, and turns every failure into a message and a documented exit code.

#include "cli/frame.hpp"

int main(int argc, char** argv) { return minnow::cli::run({argv + (argc > 0 ? 1 : 0), argv + argc}); }
