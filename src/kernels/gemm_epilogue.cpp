#include "kernels/gemm_epilogue.hpp"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm_epilogue.cpp"  // NOLINT(bugprone-suspicious-include)
#include "hwy/foreach_target.h"
#include "kernels/activation_functions.hpp"
// clang-format on
#include "kernels/reference/activation.hpp"

HWY_BEFORE_NAMESPACE();
namespace minnow::kernels::HWY_NAMESPACE {

struct Unchanged {
  static HWY_INLINE V value(V x) { return x; }
  static HWY_INLINE ValueSlope both(V x) { return {x, set(1.0F)}; }
};

// One pass over the part: a row's vectors are read and written once.
template <class F, bool kSlope>
HWY_INLINE void finish_rows(const GemmEpilogue<float>& e, float* c, Index ldc, const GemmPart& part) {
  const float* bias = e.bias != nullptr ? e.bias + part.col : nullptr;
  for (Index row = part.row; row < part.row + part.rows; ++row) {
    float* y = c + row * ldc + part.col;
    float* slope = kSlope ? e.slope + row * e.ld_slope + part.col : nullptr;
    const float* residual = e.residual != nullptr ? e.residual + row * e.ld_residual + part.col : nullptr;
    for_vectors(part.cols, [&](Index i, Index, Index count) MINNOW_LAMBDA {
      V v = load(y + i, count);
      if (bias != nullptr) v = hn::Add(v, load(bias + i, count));
      if constexpr (kSlope) {
        const ValueSlope both = F::both(v);
        store(both.slope, slope + i, count);
        v = both.value;
      } else {
        v = F::value(v);
      }
      if (residual != nullptr) v = hn::Add(v, load(residual + i, count));
      store(v, y + i, count);
    });
  }
}

template <class F>
HWY_INLINE void finish_with(const GemmEpilogue<float>& e, float* c, Index ldc, const GemmPart& part) {
  e.slope != nullptr ? finish_rows<F, true>(e, c, ldc, part) : finish_rows<F, false>(e, c, ldc, part);
}

void finish_part_f32(const GemmEpilogue<float>& e, float* c, Index ldc, const GemmPart& part) {
  if (!e.activation) return finish_with<Unchanged>(e, c, ldc, part);
  switch (*e.activation) {
    case Activation::kRelu:
      return finish_with<Relu>(e, c, ldc, part);
    case Activation::kGeluTanh:
      return finish_with<GeluTanh>(e, c, ldc, part);
    case Activation::kGeluErf:
      return finish_with<GeluErf>(e, c, ldc, part);
    case Activation::kSilu:
      return finish_with<Silu>(e, c, ldc, part);
  }
}

}  // namespace minnow::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace minnow::kernels {

HWY_EXPORT(finish_part_f32);

template <>
void finish_part<float>(const GemmEpilogue<float>& epilogue, float* c, Index ldc, const GemmPart& part) {
  HWY_DYNAMIC_DISPATCH(finish_part_f32)(epilogue, c, ldc, part);
}

template <>
void finish_part<double>(const GemmEpilogue<double>& e, double* c, Index ldc, const GemmPart& part) {
  for (Index row = part.row; row < part.row + part.rows; ++row) {
    double* y = c + row * ldc + part.col;
    if (e.bias != nullptr) {
      for (Index i = 0; i < part.cols; ++i) y[i] += e.bias[part.col + i];
    }
    for (Index i = 0; i < part.cols; ++i) {
      const auto both = e.activation ? reference::activation(*e.activation, y[i]) : reference::Point<double>{y[i], 1};
      if (e.slope != nullptr) e.slope[row * e.ld_slope + part.col + i] = both.slope;
      y[i] = both.value;
    }
    if (e.residual != nullptr) {
      const double* residual = e.residual + row * e.ld_residual + part.col;
      for (Index i = 0; i < part.cols; ++i) y[i] += residual[i];
    }
  }
}

}  // namespace minnow::kernels
#endif  // HWY_ONCE
