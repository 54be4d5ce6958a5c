#pragma once
/// @file
/// Sorts distances into T5's buckets.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "minnow/base/error.hpp"
#include "minnow/ops/position.hpp"

namespace minnow::ops {

/// Throws: ShapeError, naming `who`, for options that leave no bucket for long distances.
inline void check_buckets(const char* who, const T5BiasOptions& options) {
  const Index buckets = options.bidirectional ? options.num_buckets / 2 : options.num_buckets;
  const bool whole = !options.bidirectional || options.num_buckets % 2 == 0;
  if (buckets < 2 || !whole || options.max_distance <= buckets / 2) {
    throw ShapeError(fmt::format(
        "[{}] num_buckets must be 2 or more on each side and max_distance above half of them; got {} {}, "
        "max_distance {}",
        who, options.num_buckets, options.bidirectional ? "on both sides" : "on one side", options.max_distance));
  }
}

/// @return the bucket of the distance key - query.
inline Index t5_bucket_of(Index distance, const T5BiasOptions& options) {
  constexpr Index kFar = std::numeric_limits<Index>::max();  // what is farther shares its bucket
  distance = std::max(distance, -kFar);
  Index buckets = options.num_buckets;
  Index first = 0;
  if (options.bidirectional) {
    buckets /= 2;
    if (distance > 0) first = buckets;
    if (distance < 0) distance = -distance;
  } else {
    distance = distance < 0 ? -distance : 0;
  }
  const Index exact = buckets / 2;
  if (distance < exact) return first + distance;
  const auto start = static_cast<double>(exact);
  const double share = std::log(static_cast<double>(distance) / start) /
                       std::log(static_cast<double>(options.max_distance) / start) *
                       static_cast<double>(buckets - exact);
  // Exact powers must not fall below their whole number by a rounding: no other distance comes as near to one.
  constexpr double kRounding = 1e-9;
  return first + std::min(buckets - 1, exact + static_cast<Index>(std::floor(share + kRounding)));
}

}  // namespace minnow::ops
