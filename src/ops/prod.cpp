#include "minnow/ops/reduction.hpp"
#include "ops/reduction.hpp"

namespace minnow {
namespace ops {
namespace {

struct Prod : RowReduction<Prod> {
  static constexpr OpDoc kDoc{"prod", "prod(x, axes, keepdim) -> y", "y = product of x over the axes", "NumPy prod"};
  static constexpr bool kNeedsElements = false;
  template <class T>
  static T value(const T* x, Index n, const Attrs&) {
    double product = 1;
    for (Index i = 0; i < n; ++i) product *= static_cast<double>(x[i]);
    return static_cast<T>(product);
  }
  /// Products of what stands before and behind each element: never y / x, which is wrong beside a zero.
  template <class T>
  static void gradient(T* dx, const T* x, Index n, T, T dout, const Attrs&) {
    std::vector<double> before(static_cast<std::size_t>(n));
    double product = 1;
    for (Index i = 0; i < n; ++i) {
      before[static_cast<std::size_t>(i)] = product;
      product *= static_cast<double>(x[i]);
    }
    double behind = static_cast<double>(dout);
    for (Index i = n - 1; i >= 0; --i) {
      dx[i] = static_cast<T>(before[static_cast<std::size_t>(i)] * behind);
      behind *= static_cast<double>(x[i]);
    }
  }
  static std::vector<Sample> samples() {
    std::vector<Sample> made = reduction_samples(0.9, 1.1);
    made.push_back({.note = "zeros",
                    .inputs = {Tensor::from<double>({1, 2, 3, 4, 0, 6, 0, 8, 0}, {3, 3})},
                    .attrs = AttrBox::of(ReduceAttrs{Axes{1}})});
    return made;
  }
};

}  // namespace
MINNOW_OP(prod, Prod);
}  // namespace ops

Tensor prod(const Tensor& x, const Axes& axes, bool keepdim) {
  return apply_one(ops::op_prod, {x}, ops::ReduceAttrs{axes, keepdim});
}

}  // namespace minnow
