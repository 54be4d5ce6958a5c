#pragma once
/// @file
/// Which bytes are taken at which time: answers where a buffer fits, for its whole lifetime, without looking at each
/// other buffer.

#include <cstddef>
#include <map>
#include <vector>

namespace minnow {

/// Bytes [begin, end) of a block.
struct ByteRange {
  std::size_t begin = 0, end = 0;
};

/// Points of time [begin, end), at least one.
struct Lifetime {
  std::size_t begin = 0, end = 0;
};

/// A set of bytes as ranges that neither overlap nor touch.
class RangeSet {
 public:
  void add(ByteRange range);
  /// @return the lowest offset from `from` on where `bytes` bytes are free.
  [[nodiscard]] std::size_t lowest_gap(std::size_t from, std::size_t bytes) const;

 private:
  std::map<std::size_t, std::size_t> end_of_;  // begin to end
};

/// A tree over time. A lifetime splits into at most 2 log2(n) nodes; each node knows the bytes taken during all of its
/// time and those taken at some moment of it, so that a search asks O(log n) sets instead of n buffers.
/// Source: the segment tree of de Berg et al., Computational Geometry, section 10.3.
class LifetimeMap {
 public:
  /// @param moments times run over [0, moments)
  explicit LifetimeMap(std::size_t moments);
  /// @return the lowest offset at which `bytes` bytes are free during all of `life`.
  [[nodiscard]] std::size_t lowest_gap(const Lifetime& life, std::size_t bytes) const;
  /// Takes bytes for a lifetime.
  void add(const Lifetime& life, const ByteRange& range);

 private:
  /// Calls visit(node) for the nodes whose times together make up `life`.
  template <class Visit>
  void for_parts(const Lifetime& life, Visit&& visit) const;
  /// Calls visit(node) for every node above one of these parts, and perhaps for some below: those lie within `life`.
  template <class Visit>
  void for_paths(const Lifetime& life, Visit&& visit) const;

  std::size_t leaves_;            // a power of two; node 1 is the root, node i has the children 2i and 2i + 1
  std::vector<RangeSet> always_;  // by node: taken by lifetimes of which the node is a part
  std::vector<RangeSet> ever_;    // by node: taken by lifetimes that share a moment with the node
};

}  // namespace minnow
