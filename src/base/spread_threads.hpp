#pragma once
/// @file
/// Moves threads apart that the system put on the same processor.

#include <span>

namespace minnow {

/// A thread of this process, and the processor that it was seen on last.
struct SeenThread {
  int id;         ///< of the system
  int processor;  ///< -1: none yet
};

/// Moves each of `workers` that shares a processor with the calling thread, or with a worker before it, to one of the
/// allowed processors that none of them is on, where there is one. It may go anywhere afterwards, as before.
/// Linux wakes a thread where the one that wakes it runs when its own processor is busy at that moment, be it for
/// microseconds, and both share that processor until somebody notices: a spinning team does the work of one thread.
/// @return how many were moved
int spread_threads(std::span<const SeenThread> workers);

}  // namespace minnow
