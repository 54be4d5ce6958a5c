// Adapters of the kind matmul.

#include "golden/adapter.hpp"
#include "minnow/ops/linear.hpp"
#include "minnow/ops/shape.hpp"

namespace minnow::golden {
namespace {

Outcome product(Call& call) { return {{{"y", matmul(call.in("a"), call.in("b"))}}}; }

Outcome product_of_transposed(Call& call) {
  return {{{"y", matmul(transpose(call.in("a"), -2, -1), transpose(call.in("b"), -2, -1))}}};
}

Outcome affine(Call& call) {
  const Tensor bias = call.options.flag("bias") ? call.param("bias") : Tensor();
  return {{{"y", linear(call.in("x"), call.param("weight"), bias)}}};
}

}  // namespace

AdapterTable matmul_adapters() {
  return {{"matmul", product}, {"matmul_transposed", product_of_transposed}, {"linear", affine}};
}

}  // namespace minnow::golden
