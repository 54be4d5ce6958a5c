#include "minnow/kernels/vector_math.hpp"

#include <cmath>

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vector_math.cpp"
#include "hwy/foreach_target.h"
#include "kernels/simd_math.hpp"
// clang-format on
#include "kernels/reference/vector_math.hpp"

HWY_BEFORE_NAMESPACE();
namespace minnow::kernels::HWY_NAMESPACE {

#define MINNOW_MAP(name, function)                                       \
  void name(float* y, const float* x, Index n) {                         \
    map1<false>(y, x, n, [](V v) MINNOW_LAMBDA { return function(v); }); \
  }
MINNOW_MAP(exp_array, exp_full)
MINNOW_MAP(log_array, log_full)
MINNOW_MAP(tanh_array, tanh_full)
MINNOW_MAP(sigmoid_array, sigmoid_full)
MINNOW_MAP(erf_array, erf_full)
MINNOW_MAP(sin_array, trig_full<false>)
MINNOW_MAP(cos_array, trig_full<true>)
MINNOW_MAP(sqrt_array, hn::Sqrt)
#undef MINNOW_MAP

float max_array(const float* x, Index n) { return row_max(x, n); }

float exp_sum_array(float* y, const float* x, float shift, Index n) {
  const V shift_v = set(shift);
  Sums sums;
  for_vectors(n, [&](Index i, Index k, Index count) MINNOW_LAMBDA {
    const V e = exp_full(hn::Sub(load(x + i, count), shift_v));
    store(e, y + i, count);
    // Lanes past the end hold e^-shift, which must not be counted.
    sums.add(k, count == kLanes ? e : load(y + i, count));
  });
  return sums.total();
}

float softmax_row_array(float* y, const float* x, Index n) {
  const float top = row_max(x, n);
  if (top == -__builtin_inff()) {
    map1<false>(y, x, n, [](V) MINNOW_LAMBDA { return hn::Zero(D()); });
    return top;
  }
  const float sum = exp_sum<true>(y, x, top, n);
  const V factor = set(1.0F / sum);
  map1<false>(y, y, n, [&](V v) MINNOW_LAMBDA { return hn::Mul(v, factor); });
  return top + std::log(sum);
}

}  // namespace minnow::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace minnow::kernels {

#define MINNOW_DEFINE(name, array, plain)                               \
  HWY_EXPORT(array);                                                    \
  template <>                                                           \
  void name<float>(float* y, const float* x, Index n) {                 \
    HWY_DYNAMIC_DISPATCH(array)(y, x, n);                               \
  }                                                                     \
  template <>                                                           \
  void name<double>(double* y, const double* x, Index n) {              \
    reference::map(y, x, n, [](double value) { return plain(value); }); \
  }
MINNOW_DEFINE(vexp, exp_array, std::exp)
MINNOW_DEFINE(vlog, log_array, std::log)
MINNOW_DEFINE(vtanh, tanh_array, std::tanh)
MINNOW_DEFINE(vsigmoid, sigmoid_array, reference::sigmoid)
MINNOW_DEFINE(verf, erf_array, std::erf)
MINNOW_DEFINE(vsin, sin_array, std::sin)
MINNOW_DEFINE(vcos, cos_array, std::cos)
MINNOW_DEFINE(vsqrt, sqrt_array, std::sqrt)
#undef MINNOW_DEFINE

HWY_EXPORT(max_array);
HWY_EXPORT(exp_sum_array);
HWY_EXPORT(softmax_row_array);

template <>
float vmax<float>(const float* x, Index n) {
  return HWY_DYNAMIC_DISPATCH(max_array)(x, n);
}
template <>
double vmax<double>(const double* x, Index n) {
  return reference::vmax(x, n);
}
template <>
float vexp_sum<float>(float* y, const float* x, float shift, Index n) {
  return HWY_DYNAMIC_DISPATCH(exp_sum_array)(y, x, shift, n);
}
template <>
double vexp_sum<double>(double* y, const double* x, double shift, Index n) {
  return reference::vexp_sum(y, x, shift, n);
}
template <>
float softmax_row<float>(float* y, const float* x, Index n) {
  return HWY_DYNAMIC_DISPATCH(softmax_row_array)(y, x, n);
}
template <>
double softmax_row<double>(double* y, const double* x, Index n) {
  return reference::softmax_row(y, x, n);
}

}  // namespace minnow::kernels
#endif  // HWY_ONCE
