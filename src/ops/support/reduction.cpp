#include "ops/reduction.hpp"

namespace minnow::ops {

AxisSplit::AxisSplit(const char* who, const Shape& x, const Axes& axes, bool keepdim) : kept(x) {
  std::array<bool, Shape::kMaxRank> reduced{};
  if (axes.empty()) reduced.fill(true);
  for (Index given : axes) {
    bool& mark = reduced[static_cast<std::size_t>(x.axis(given, who))];
    if (mark) throw ShapeError(fmt::format("[{}] no axis must stand twice; got {}", who, axes.str()));
    mark = true;
  }
  Shape reduced_axes;
  for (Index axis = 0; axis < x.rank(); ++axis) {
    if (reduced[static_cast<std::size_t>(axis)]) {
      reduced_axes.push_back(axis);
      width *= x[axis];
      kept[axis] = 1;
    } else {
      order.push_back(axis);
      result.push_back(x[axis]);
    }
  }
  for (Index axis : reduced_axes) order.push_back(axis);
  if (keepdim) result = kept;
}

Tensor AxisSplit::permuted(const Tensor& x) const {
  Shape sizes;
  Shape strides;
  for (Index axis : order) {
    sizes.push_back(x.shape()[axis]);
    strides.push_back(x.strides()[axis]);
  }
  return x.as_strided(sizes, strides, x.offset());
}

Cost reduction_cost(Specs specs) {
  const auto n = static_cast<double>(specs[0].shape.numel());
  return {n, n * static_cast<double>(size_of(specs[0].dtype))};
}

std::vector<Sample> reduction_samples(double low, double high, double correction, bool singles) {
  struct Call {
    Shape shape;
    Axes axes;
    bool keepdim = false;
  };
  std::vector<Call> calls = {
      {{3, 4, 5}, {}},    {{3, 4, 5}, {0}}, {{3, 4, 5}, {-1}, true},  {{3, 4, 5}, {0, 2}}, {{3, 4, 5}, {2, 0}, true},
      {{3, 4, 5}, {1}},   {{17}, {}, true}, {{2, 3, 2, 3}, {-3, -1}}, {{70, 300}, {1}},    {{300, 70}, {0}},
      {{33, 10, 5}, {1}}, {{0, 3}, {1}},    {{5000, 3}, {0}}};
  if (singles) calls.insert(calls.end(), {{{}, {}}, {{4, 1, 2}, {1}}, {{1, 6}, {0}, true}});
  std::vector<Sample> samples;
  samples.reserve(calls.size() + 2);
  for (const Call& call : calls) {
    samples.push_back({call.shape.str() + " over " + call.axes.str(),
                       {sample_numbers(call.shape, low, high, static_cast<unsigned>(samples.size()))},
                       AttrBox::of(ReduceAttrs{call.axes, call.keepdim, correction})});
  }
  for (const Axes& axes : {Axes{2}, Axes{0, -2}}) {
    samples.push_back({.note = "(3, 4) over " + axes.str(),
                       .inputs = {sample_numbers({3, 4}, low, high)},
                       .attrs = AttrBox::of(ReduceAttrs{axes, false, correction}),
                       .valid = false});
  }
  return samples;
}

}  // namespace minnow::ops
