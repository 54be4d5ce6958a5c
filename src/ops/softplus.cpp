#include <cmath>

#include "minnow/kernels/vector_math.hpp"
#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Softplus : Unary<Softplus> {
  static constexpr OpDoc kDoc{"softplus", "softplus(x) -> y", "y = ln(1 + e^x)",
                              "Dugas et al. 2001; without the threshold of PyTorch"};
  static constexpr Saves kSaves{.inputs = 0b1};
  template <class T>
  static void map(T* y, const T* x, Index n, const Attrs&) {
    for (Index i = 0; i < n; ++i) y[i] = std::log1p(std::exp(-std::abs(x[i]))) + (x[i] < T{0} ? T{0} : x[i]);
  }
  template <class T>
  static void slopes(T* s, const T* x, const T*, Index n, const Attrs&) {
    kernels::vsigmoid(s, x, n);
  }
  static std::vector<Sample> samples() { return unary_samples(-3, 3); }
};

}  // namespace
MINNOW_OP(softplus, Softplus);
}  // namespace ops

Tensor softplus(const Tensor& x) { return apply_one(ops::op_softplus, {x}, NoAttrs{}); }

}  // namespace minnow
