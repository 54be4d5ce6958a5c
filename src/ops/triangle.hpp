#pragma once
/// @file
/// Keeps one side of a diagonal of the last two axes: tril and triu.

#include <algorithm>

#include "minnow/ops/shape.hpp"
#include "ops/check.hpp"
#include "ops/pieces.hpp"
#include "ops/samples.hpp"

namespace minnow::ops {

/// Options of tril and triu.
struct TriangleAttrs {
  Index diagonal = 0;
};

/// y = x on one side of the diagonal, 0 on the other, whatever stands there. F brings kDoc and kLower.
template <class F>
struct Triangle {
  using Attrs = TriangleAttrs;
  static constexpr Saves kSaves{};

  static Inferred infer(Specs specs, const Attrs&) {
    check_floating(F::kDoc.name, specs[0]);
    if (specs[0].shape.rank() < 2) {
      throw ShapeError(fmt::format("[{}] x must have two axes or more; got {}", F::kDoc.name, specs[0].str()));
    }
    return {{specs[0]}, {}};
  }
  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    keep(c.outputs[0].template mutable_data<T>(), c.inputs[0].template data<T>(), c.inputs[0].shape(), attrs.diagonal);
  }
  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    keep(c.dins[0].template mutable_data<T>(), c.douts[0].template data<T>(), c.specs[0].shape, attrs.diagonal);
  }

  static std::vector<Sample> samples() {
    std::vector<Sample> made;
    for (Index diagonal : {0, 1, -1, 9, -9}) {
      made.push_back({.note = fmt::format("diagonal {}", diagonal),
                      .inputs = {sample_numbers({2, 4, 5}, -1, 1)},
                      .attrs = AttrBox::of(Attrs{diagonal})});
    }
    made.push_back({.note = "empty", .inputs = {sample_numbers({3, 0}, 0, 1)}, .attrs = AttrBox::of(Attrs{})});
    made.push_back({.note = "large", .inputs = {sample_numbers({200, 150}, -1, 1)}, .attrs = AttrBox::of(Attrs{-3})});
    made.push_back(
        {.note = "one axis", .inputs = {sample_numbers({4}, 0, 1)}, .attrs = AttrBox::of(Attrs{}), .valid = false});
    return made;
  }

  static Cost cost(Specs specs, const Attrs&) { return moving_cost(specs[0]); }

 private:
  template <class T>
  static void keep(T* y, const T* x, const Shape& shape, Index diagonal) {
    const Index rows = shape[shape.rank() - 2];
    const Index columns = shape.back();
    if (shape.numel() == 0) return;
    diagonal = std::clamp(diagonal, -rows, columns);
    parallel_ranges(shape.numel() / columns, std::max<Index>(1, 8192 / columns), [&](Index begin, Index end, Index) {
      for (Index row = begin; row < end; ++row) {
        // tril keeps columns below `border`, triu those from it on.
        const Index border = std::clamp<Index>(row % rows + diagonal + (F::kLower ? 1 : 0), 0, columns);
        const T* from = x + row * columns;
        T* to = y + row * columns;
        if (F::kLower) {
          std::fill(std::copy_n(from, border, to), to + columns, T{0});
        } else {
          std::fill_n(to, border, T{0});
          std::copy(from + border, from + columns, to + border);
        }
      }
    });
  }
};

}  // namespace minnow::ops
