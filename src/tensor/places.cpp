#include "tensor/places.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "tensor/strided.hpp"

namespace minnow {
namespace {

/// Marks every place that an element takes. @return whether one was marked before.
bool a_place_is_taken_twice(const Shape& shape, const Shape& strides) {
  Index first = 0;
  Index last = 0;
  for (Index axis = 0; axis < shape.rank(); ++axis) {
    const Index reach = (shape[axis] - 1) * strides[axis];
    (reach < 0 ? first : last) += reach;
  }
  std::vector<bool> taken(static_cast<std::size_t>(last - first + 1));
  const StridedLoop<1> loop(shape, {strides});
  for (Index row = 0; row < loop.outer(); ++row) {
    for (Index i = 0; i < loop.inner(); ++i) {
      const auto at = static_cast<std::size_t>(loop.row_offset(0, row) + i * loop.inner_stride(0) - first);
      if (taken[at]) return true;
      taken[at] = true;
    }
  }
  return false;
}

}  // namespace

bool stays_inside(Index elements, const Shape& shape, const Shape& strides, Index offset) {
  Index first = offset;
  Index last = offset;
  for (Index axis = 0; axis < shape.rank(); ++axis) {
    Index reach = 0;
    Index& end = strides[axis] < 0 ? first : last;
    if (__builtin_mul_overflow(shape[axis] - 1, strides[axis], &reach) || __builtin_add_overflow(end, reach, &end)) {
      return false;
    }
  }
  return first >= 0 && last < elements;
}

bool elements_meet(const Shape& shape, const Shape& strides) {
  std::vector<std::pair<Index, Index>> axes;  // distance, size
  for (Index axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 0) return false;
    if (shape[axis] == 1) continue;
    if (strides[axis] == 0) return true;
    axes.emplace_back(std::abs(strides[axis]), shape[axis]);
  }
  std::sort(axes.begin(), axes.end());
  Index reach = 0;  // of all finer axes together
  for (const auto& [distance, size] : axes) {
    if (distance <= reach) return a_place_is_taken_twice(shape, strides);
    reach += distance * (size - 1);
  }
  return false;
}

}  // namespace minnow
