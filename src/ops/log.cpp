#include "minnow/kernels/vector_math.hpp"
#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Log : Unary<Log> {
  static constexpr OpDoc kDoc{"log", "log(x) -> y", "y = ln x", "NumPy log"};
  static constexpr Saves kSaves{.inputs = 0b1};
  template <class T>
  static void map(T* y, const T* x, Index n, const Attrs&) {
    kernels::vlog(y, x, n);
  }
  template <class T>
  static T slope(T x, T, const Attrs&) {
    return T{1} / x;
  }
  static std::vector<Sample> samples() { return unary_samples(0.1, 3); }
};

}  // namespace
MINNOW_OP(log, Log);
}  // namespace ops

Tensor log(const Tensor& x) { return apply_one(ops::op_log, {x}, NoAttrs{}); }

}  // namespace minnow
