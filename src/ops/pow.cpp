#include <cmath>

#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Pow : Binary<Pow> {
  static constexpr OpDoc kDoc{"pow", "pow(a, b) -> y", "y = a^b; 0^0 = 1", "NumPy power"};
  static constexpr Saves kSaves{.inputs = 0b11};
  template <class T>
  static T value(T a, T b) {
    return std::pow(a, b);
  }
  template <class T>
  static T slope_a(T a, T b) {
    return b == T{0} ? T{0} : b * std::pow(a, b - T{1});
  }
  template <class T>
  static T slope_b(T a, T b) {
    return a == T{0} && b >= T{0} ? T{0} : std::pow(a, b) * std::log(a);
  }
  static std::vector<Sample> samples() { return binary_samples(0.3, 3, -2, 3); }
};

}  // namespace
MINNOW_OP(pow, Pow);
}  // namespace ops

Tensor pow(const Tensor& a, const Tensor& b) { return apply_one(ops::op_pow, {a, b}, NoAttrs{}); }

}  // namespace minnow
