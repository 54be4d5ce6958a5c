#pragma once
/// @file
/// Gives libraries the settings that they read only while the program is loaded, or before it takes memory.

namespace minnow::cli {

/// Lets glibc's heap give large blocks back to the system. Then starts the program anew, once, with
/// OPENBLAS_NUM_THREADS=1 where the user did not set it: OpenBLAS is called serially, its own idle threads would only
/// spin; and where the system gives it no threads it ends the process. Returns when there is nothing to change, or when
/// the program cannot be started anew. In a program that calls it, this happens by itself before any library is set up;
/// the call is for builds with sanitizers, where that is too early.
void settle_libraries(char** argv);

}  // namespace minnow::cli
