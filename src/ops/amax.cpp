#include "minnow/kernels/vector_math.hpp"
#include "minnow/ops/reduction.hpp"
#include "ops/reduction.hpp"

namespace minnow {
namespace ops {
namespace {

struct Amax : RowReduction<Amax> {
  static constexpr OpDoc kDoc{"amax", "amax(x, axes, keepdim) -> y", "y = the largest element over the axes",
                              "NumPy amax; gradient shared among equal ones as in PyTorch"};
  static constexpr bool kNeedsElements = true;
  template <class T>
  static T value(const T* x, Index n, const Attrs&) {
    return kernels::vmax(x, n);
  }
  template <class T>
  static void gradient(T* dx, const T* x, Index n, T y, T dout, const Attrs&) {
    const auto count = std::count(x, x + n, y);
    const T share = dout / static_cast<T>(count);
    for (Index i = 0; i < n; ++i) dx[i] = x[i] == y ? share : T{0};
  }
  static std::vector<Sample> samples() {
    std::vector<Sample> made = reduction_samples(-200, 200);
    made.push_back({.note = "ties",
                    .inputs = {Tensor::from<double>({3, 1, 3, 3, 0, 2, 2, -1}, {2, 4})},
                    .attrs = AttrBox::of(ReduceAttrs{Axes{1}}),
                    .smooth = false});
    made.push_back({.note = "no element",
                    .inputs = {sample_numbers({2, 0}, 0, 1)},
                    .attrs = AttrBox::of(ReduceAttrs{Axes{1}}),
                    .valid = false});
    return made;
  }
};

}  // namespace
MINNOW_OP(amax, Amax);
}  // namespace ops

Tensor amax(const Tensor& x, const Axes& axes, bool keepdim) {
  return apply_one(ops::op_amax, {x}, ops::ReduceAttrs{axes, keepdim});
}

}  // namespace minnow
