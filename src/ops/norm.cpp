#include "minnow/ops/reduction.hpp"
#include "ops/reduction.hpp"

namespace minnow {
namespace ops {
namespace {

struct Norm : RowReduction<Norm> {
  static constexpr OpDoc kDoc{"norm", "norm(x, axes, keepdim) -> y", "y = sqrt(sum of x^2 over the axes)",
                              "NumPy linalg.norm; gradient 0 at 0 as in PyTorch"};
  static constexpr bool kNeedsElements = false;
  template <class T>
  static T value(const T* x, Index n, const Attrs&) {
    double largest = 0;
    for (Index i = 0; i < n; ++i) largest = std::max(largest, std::abs(static_cast<double>(x[i])));
    const double scale = largest > 0 && std::isfinite(largest) ? largest : 1;  // squares neither overflow nor vanish
    double squares = 0;
    for (Index i = 0; i < n; ++i) squares += static_cast<double>(x[i]) / scale * (static_cast<double>(x[i]) / scale);
    return static_cast<T>(scale * std::sqrt(squares));
  }
  template <class T>
  static void gradient(T* dx, const T* x, Index n, T y, T dout, const Attrs&) {
    for (Index i = 0; i < n; ++i) dx[i] = y == T{0} ? T{0} : dout * (x[i] / y);
  }
  static std::vector<Sample> samples() {
    std::vector<Sample> made = reduction_samples(0.2, 2);
    made.push_back({.note = "zeros, small and large numbers",
                    .inputs = {Tensor::from<double>({0, 0, 1e-30, 1e-30, 3e25, -4e25}, {3, 2})},
                    .attrs = AttrBox::of(ReduceAttrs{Axes{1}}),
                    .smooth = false});
    return made;
  }
};

}  // namespace
MINNOW_OP(norm, Norm);
}  // namespace ops

Tensor norm(const Tensor& x, const Axes& axes, bool keepdim) {
  return apply_one(ops::op_norm, {x}, ops::ReduceAttrs{axes, keepdim});
}

}  // namespace minnow
