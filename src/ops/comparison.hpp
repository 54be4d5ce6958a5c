#pragma once
/// @file
/// Makes comparisons: two tensors of one type in, a mask out, no gradient.

#include "ops/elementwise.hpp"

namespace minnow::ops {

/// mask = a ? b with NumPy's broadcasting, for f32, f64, i32 and i64. F brings kDoc and
///   template <class T> static bool value(T a, T b);
template <class F>
struct Comparison {
  using Attrs = NoAttrs;
  static constexpr bool kStrided = true;

  static Inferred infer(Specs specs, const Attrs&) {
    const DType dtype = specs[0].dtype;
    if (dtype != specs[1].dtype || dtype == DType::boolean || dtype == DType::bf16) {
      throw ShapeError(fmt::format("[{}] both sides must be of one type, f32, f64, i32 or i64; got {} and {}",
                                   F::kDoc.name, specs[0].str(), specs[1].str()));
    }
    return {{{broadcast(specs[0].shape, specs[1].shape, F::kDoc.name.data()), DType::boolean}}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs&) {
    switch (c.inputs[0].dtype()) {
      case DType::i32:
        return compare<std::int32_t>(c);
      case DType::i64:
        return compare<std::int64_t>(c);
      default:
        return compare<T>(c);
    }
  }

  static Cost cost(Specs specs, const Attrs& attrs) {
    const auto n = static_cast<double>(infer(specs, attrs).outputs[0].shape.numel());
    const auto in = static_cast<double>(specs[0].shape.numel() + specs[1].shape.numel());
    return {n, n + in * static_cast<double>(size_of(specs[0].dtype))};
  }

  static std::vector<Sample> samples() {
    std::vector<Sample> made = binary_samples(-2, 2, -2, 2);
    const AttrBox attrs = AttrBox::of(NoAttrs{});
    made.push_back({.note = "ids", .inputs = {sample_ids({4, 5}, 0, 3, 1), sample_ids({5}, 0, 3, 2)}, .attrs = attrs});
    made.push_back({.note = "two types",
                    .inputs = {sample_ids({5}, 0, 3), sample_numbers({5}, 0, 3)},
                    .attrs = attrs,
                    .valid = false});
    return made;
  }

 private:
  template <class T>
  static void compare(const ForwardContext& c) {
    run_binary_as<T, T, bool>(c.inputs[0], c.inputs[1], c.outputs[0],
                              [](T a, T b) { return F::template value<T>(a, b); });
  }
};

}  // namespace minnow::ops
