#pragma once
/// @file
/// What the engine tells the C library's heap.

namespace minnow {

/// Gives pages that the heap holds but nobody uses back to the system, where the C library can. It takes milliseconds:
/// for moments when much was freed and much is about to be taken.
void release_free_heap() noexcept;

}  // namespace minnow
