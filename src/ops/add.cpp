#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Add : Binary<Add> {
  static constexpr OpDoc kDoc{"add", "add(a, b) -> y", "y = a + b", "NumPy add"};
  static constexpr Saves kSaves{};
  template <class T>
  static T value(T a, T b) {
    return a + b;
  }
  static constexpr bool kPassesGradient = true;
  static std::vector<Sample> samples() { return binary_samples(-2, 2, -2, 2); }
};

}  // namespace
MINNOW_OP(add, Add);
}  // namespace ops

Tensor add(const Tensor& a, const Tensor& b) { return apply_one(ops::op_add, {a, b}, NoAttrs{}); }

}  // namespace minnow
