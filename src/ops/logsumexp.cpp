#include <limits>

#include "minnow/kernels/vector_math.hpp"
#include "minnow/ops/reduction.hpp"
#include "ops/reduction.hpp"

namespace minnow {
namespace ops {
namespace {

struct LogSumExp : RowReduction<LogSumExp> {
  static constexpr OpDoc kDoc{"logsumexp", "logsumexp(x, axes, keepdim) -> y", "y = ln of the sum of e^x over the axes",
                              "Blanchard, Higham, Higham 2021, Accurately computing the log-sum-exp"};
  static constexpr bool kNeedsElements = false;
  template <class T>
  static T value(const T* x, Index n, const Attrs&) {
    const T largest = kernels::vmax(x, n);
    if (!std::isfinite(largest)) return largest;  // -inf: nothing but -inf; +inf and NaN win over everything
    constexpr Index kBlock = 256;
    T powers[kBlock];
    double sum = 0;
    for (Index first = 0; first < n; first += kBlock) {
      sum += static_cast<double>(kernels::vexp_sum(powers, x + first, largest, std::min(kBlock, n - first)));
    }
    return static_cast<T>(static_cast<double>(largest) + std::log(sum));
  }
  template <class T>
  static void gradient(T* dx, const T* x, Index n, T y, T dout, const Attrs&) {
    if (std::isinf(y)) {
      const auto infinite = y > T{0} ? std::count(x, x + n, y) : 1;
      for (Index i = 0; i < n; ++i) dx[i] = y > T{0} && x[i] == y ? dout / static_cast<T>(infinite) : T{0};
      return;
    }
    kernels::vexp_sum(dx, x, y, n);
    for (Index i = 0; i < n; ++i) dx[i] *= dout;
  }
  static std::vector<Sample> samples() {
    std::vector<Sample> made = reduction_samples(-3, 3);
    constexpr double kInf = std::numeric_limits<double>::infinity();
    made.push_back({.note = "infinities",
                    .inputs = {Tensor::from<double>({1, -kInf, -kInf, -kInf, 2, kInf, 210, 200, 190}, {3, 3})},
                    .attrs = AttrBox::of(ReduceAttrs{Axes{1}}),
                    .smooth = false});
    return made;
  }
};

}  // namespace
MINNOW_OP(logsumexp, LogSumExp);
}  // namespace ops

Tensor logsumexp(const Tensor& x, const Axes& axes, bool keepdim) {
  return apply_one(ops::op_logsumexp, {x}, ops::ReduceAttrs{axes, keepdim});
}

}  // namespace minnow
