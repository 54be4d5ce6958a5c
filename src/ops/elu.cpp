#include <cmath>

#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Elu : Unary<Elu> {
  static constexpr OpDoc kDoc{"elu", "elu(x) -> y", "y = x for x > 0, else e^x - 1",
                              "Clevert, Unterthiner, Hochreiter 2016, alpha = 1"};
  static constexpr Saves kSaves{.outputs = 0b1};
  template <class T>
  static void map(T* y, const T* x, Index n, const Attrs&) {
    for (Index i = 0; i < n; ++i) y[i] = x[i] > T{0} ? x[i] : std::expm1(x[i]);
  }
  template <class T>
  static T slope(T, T y, const Attrs&) {
    return y > T{0} ? T{1} : y + T{1};
  }
  static std::vector<Sample> samples() { return unary_samples(-2, 2); }
};

}  // namespace
MINNOW_OP(elu, Elu);
}  // namespace ops

Tensor elu(const Tensor& x) { return apply_one(ops::op_elu, {x}, NoAttrs{}); }

}  // namespace minnow
