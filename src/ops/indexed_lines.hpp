#pragma once
/// @file
/// Walks an index tensor along one axis together with the tensor it points into: gather and scatter_add.

#include <array>

#include "minnow/kernels/embedding.hpp"
#include "ops/check.hpp"
#include "ops/ids.hpp"
#include "tensor/strided.hpp"

namespace minnow::ops {

/// Throws: ShapeError, naming `who`, unless `index` holds ids, has as many axes as `x` and reaches over none of x's
/// axes but `axis`.
inline void check_index(const char* who, const TensorSpec& x, const TensorSpec& index, Index axis) {
  check_floating(who, x);
  check_ids(who, index);
  bool fits = x.shape.rank() == index.shape.rank();
  for (Index i = 0; i < x.shape.rank() && fits; ++i) fits = i == axis || index.shape[i] <= x.shape[i];
  if (!fits) {
    throw ShapeError(fmt::format("[{}] the index must fit into x but for axis {}; got {} for {}", who, axis,
                                 index.shape.str(), x.shape.str()));
  }
}

/// Throws: DataError, naming `who`, for an index outside [0, size).
inline void check_places(const char* who, const Tensor& index, Index size) {
  with_ids(index, [&](const auto* ids) {
    const Index bad = kernels::first_id_out_of_range(ids, index.numel(), size);
    if (bad >= 0) {
      throw DataError(fmt::format("[{}] indices must lie in [0, {}); got {} at place {} of index {}", who, size,
                                  ids[bad], bad, index.shape().str()));
    }
  });
}

/// Calls body(at_x, at_other) for each element of the contiguous `index`: at_x is the place it points to in a tensor
/// with strides `x`, at_other its own place in a tensor with strides `other`. Lines along the axis run in order by one
/// thread, so several elements may point to one place.
template <class Body>
void for_each_indexed(const Tensor& index, Index axis, Shape x, Shape other, Body body) {
  constexpr Index kLines = 64;
  Shape sizes = index.shape();
  Shape own = index.strides();
  const Index count = sizes[axis];
  const Index step_x = x[axis];
  const Index step_other = other[axis];
  const Index step_own = own[axis];
  for (Shape* shape : {&sizes, &own, &x, &other}) shape->erase(axis);
  if (index.numel() == 0) return;
  const StridedLoop<3> loop(sizes, {x, other, own});
  with_ids(index, [&](const auto* ids) {
    parallel_ranges(loop.outer() * loop.inner(), kLines, [&](Index begin, Index end, Index) {
      std::array<std::array<Index, kLines>, 3> first{};
      for (Index line = begin; line < end; ++line) {
        for (std::size_t k = 0; k < 3; ++k) {
          first[k][static_cast<std::size_t>(line - begin)] =
              loop.row_offset(k, line / loop.inner()) + line % loop.inner() * loop.inner_stride(k);
        }
      }
      for (Index j = 0; j < count; ++j) {  // neighbouring lines lie side by side in memory
        for (std::size_t k = 0; k < static_cast<std::size_t>(end - begin); ++k) {
          body(first[0][k] + static_cast<Index>(ids[first[2][k] + j * step_own]) * step_x,
               first[1][k] + j * step_other);
        }
      }
    });
  });
}

}  // namespace minnow::ops
