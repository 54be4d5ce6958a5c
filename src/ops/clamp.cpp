#include <fmt/format.h>

#include <cmath>

#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Bounds {
  std::optional<double> min, max;
};

struct Clamp : Unary<Clamp, Bounds> {
  static constexpr OpDoc kDoc{"clamp", "clamp(x, min?, max?) -> y", "y = min, x or max: x held between the bounds",
                              "NumPy clip"};
  static constexpr Saves kSaves{.inputs = 0b1};

  static Inferred infer(Specs specs, const Bounds& bounds) {
    if (!bounds.min && !bounds.max) throw ShapeError("[clamp] at least one bound must be given; got none");
    if ((bounds.min && std::isnan(*bounds.min)) || (bounds.max && std::isnan(*bounds.max))) {
      throw ShapeError("[clamp] bounds must be numbers; got NaN");
    }
    if (bounds.min && bounds.max && !(*bounds.min <= *bounds.max)) {
      throw ShapeError(fmt::format("[clamp] min must not exceed max; got min {} and max {}", *bounds.min, *bounds.max));
    }
    return Unary<Clamp, Bounds>::infer(specs, bounds);
  }

  template <class T>
  static bool below(T x, const Bounds& bounds) {
    return bounds.min && x < static_cast<T>(*bounds.min);
  }
  template <class T>
  static bool above(T x, const Bounds& bounds) {
    return bounds.max && x > static_cast<T>(*bounds.max);
  }
  template <class T>
  static void map(T* y, const T* x, Index n, const Bounds& bounds) {
    for (Index i = 0; i < n; ++i) {
      y[i] = x[i];
      if (below(x[i], bounds)) y[i] = static_cast<T>(*bounds.min);
      if (above(x[i], bounds)) y[i] = static_cast<T>(*bounds.max);
    }
  }
  template <class T>
  static T slope(T x, T, const Bounds& bounds) {
    return below(x, bounds) || above(x, bounds) ? T{0} : T{1};
  }

  static std::vector<Sample> samples() {
    std::vector<Sample> made = unary_samples(-0.4, 0.7, AttrBox::of(Bounds{-0.5, 0.75}));
    const Tensor far = Tensor::from<double>({-3, -1, 0.25, 2, 9}, {5});
    made.push_back({.note = "both bounds", .inputs = {far}, .attrs = AttrBox::of(Bounds{-0.5, 0.75})});
    made.push_back({.note = "min alone", .inputs = {far}, .attrs = AttrBox::of(Bounds{-0.5, {}})});
    made.push_back({.note = "max alone", .inputs = {far}, .attrs = AttrBox::of(Bounds{{}, 0.75})});
    made.push_back({.note = "on the bounds", .inputs = {far}, .attrs = AttrBox::of(Bounds{-1, 2}), .smooth = false});
    made.push_back({.note = "no bound", .inputs = {far}, .attrs = AttrBox::of(Bounds{}), .valid = false});
    made.push_back({.note = "min above max", .inputs = {far}, .attrs = AttrBox::of(Bounds{1, 0}), .valid = false});
    return made;
  }
};

}  // namespace
MINNOW_OP(clamp, Clamp);
}  // namespace ops

Tensor clamp(const Tensor& x, std::optional<double> min, std::optional<double> max) {
  return apply_one(ops::op_clamp, {x}, ops::Bounds{min, max});
}

}  // namespace minnow
