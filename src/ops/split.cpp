#include <fmt/ranges.h>

#include "minnow/ops/shape.hpp"
#include "ops/check.hpp"
#include "ops/pieces.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

/// Copies, unlike slices: the gradients of all parts then meet in one pass, without a zero tensor for each.
struct Split {
  struct Attrs {
    Index axis = 0;
    std::vector<Index> sizes;
  };
  static constexpr OpDoc kDoc{"split", "split(x, axis, sizes) -> ys", "x cut along an axis into parts of the sizes",
                              "PyTorch split"};
  static constexpr Saves kSaves{};
  static constexpr bool kStrided = true;

  static Inferred infer(Specs specs, const Attrs& attrs) {
    const Shape& x = specs[0].shape;
    const Index axis = x.axis(attrs.axis, "split");
    const bool negative = std::any_of(attrs.sizes.begin(), attrs.sizes.end(), [](Index size) { return size < 0; });
    Index left = x[axis];
    for (std::size_t i = 0; i < attrs.sizes.size() && !negative && left >= 0; ++i) {
      left = attrs.sizes[i] > left ? -1 : left - attrs.sizes[i];
    }
    if (negative || left != 0 || attrs.sizes.empty()) {
      throw ShapeError(fmt::format("[split] the sizes must be 0 or more and add up to axis {} of {}; got {}", axis,
                                   x.str(), fmt::join(attrs.sizes, ", ")));
    }
    Inferred parts;
    for (Index size : attrs.sizes) {
      parts.outputs.push_back(specs[0]);
      parts.outputs.back().shape[axis] = size;
    }
    return parts;
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const Index axis = c.inputs[0].shape().axis(attrs.axis, "split");
    Index begin = 0;
    for (Tensor& y : c.outputs) {
      y.copy_from(piece(c.inputs[0], axis, begin, y.size(axis)));
      begin += y.size(axis);
    }
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    const Index axis = c.specs[0].shape.axis(attrs.axis, "split");
    Index begin = 0;
    for (const Tensor& dout : c.douts) {
      piece(c.dins[0], axis, begin, dout.size(axis)).copy_from(dout);
      begin += dout.size(axis);
    }
  }

  static std::vector<Sample> samples() {
    const auto into = [](Index axis, std::vector<Index> sizes) { return AttrBox::of(Attrs{axis, std::move(sizes)}); };
    const Tensor x = sample_numbers({3, 5, 4}, -1, 1);
    return {{.note = "uneven", .inputs = {x}, .attrs = into(1, {1, 2, 2})},
            {.note = "last axis, one part empty", .inputs = {x}, .attrs = into(-1, {3, 0, 1})},
            {.note = "one part", .inputs = {x}, .attrs = into(0, {3})},
            {.note = "forty parts",
             .inputs = {sample_numbers({40, 3}, -1, 1)},
             .attrs = into(0, std::vector<Index>(40, 1))},
            {.note = "large", .inputs = {sample_numbers({70, 384}, -1, 1)}, .attrs = into(1, {128, 128, 128})},
            {.note = "too much", .inputs = {x}, .attrs = into(1, {3, 3}), .valid = false},
            {.note = "negative", .inputs = {x}, .attrs = into(1, {6, -1}), .valid = false},
            {.note = "no parts", .inputs = {sample_numbers({0}, 0, 1)}, .attrs = into(0, {}), .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs&) { return moving_cost(specs[0]); }
};

}  // namespace
MINNOW_OP(split, Split);
}  // namespace ops

std::vector<Tensor> split(const Tensor& x, Index axis, const std::vector<Index>& sizes) {
  return apply(ops::op_split, std::span(&x, 1), AttrBox::of(ops::Split::Attrs{axis, sizes}));
}

std::vector<Tensor> split_equal(const Tensor& x, Index axis, Index parts) {
  ops::check_given("split_equal", x);
  const Index size = x.shape()[x.shape().axis(axis, "split_equal")];
  if (parts < 1 || size % parts != 0) {
    throw ShapeError(fmt::format("[split_equal] the number of parts must divide axis {} of {}; got {}", axis,
                                 x.shape().str(), parts));
  }
  return split(x, axis, std::vector<Index>(static_cast<std::size_t>(parts), size / parts));
}

}  // namespace minnow
