#include "minnow/kernels/activation.hpp"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/activation.cpp"
#include "hwy/foreach_target.h"
#include "kernels/activation_functions.hpp"
// clang-format on
#include "kernels/reference/activation.hpp"
#include "kernels/row_chunks.hpp"

HWY_BEFORE_NAMESPACE();
namespace minnow::kernels::HWY_NAMESPACE {

template <class F>
HWY_INLINE void forward(float* y, const float* x, Index n, bool add) {
  const auto f = [](V v) MINNOW_LAMBDA { return F::value(v); };
  if (add) {
    map1<true>(y, x, n, f);
  } else {
    map1<false>(y, x, n, f);
  }
}

template <class F>
HWY_INLINE void backward(float* dx, const float* x, const float* dout, Index n, bool add) {
  const auto f = [](V v, V d) MINNOW_LAMBDA { return F::gradient(F::both(v).slope, d); };
  if (add) {
    map2<true>(dx, x, dout, n, f);
  } else {
    map2<false>(dx, x, dout, n, f);
  }
}

void activation_array(Activation kind, float* y, const float* x, Index n, bool add) {
  switch (kind) {
    case Activation::kRelu:
      return forward<Relu>(y, x, n, add);
    case Activation::kGeluTanh:
      return forward<GeluTanh>(y, x, n, add);
    case Activation::kGeluErf:
      return forward<GeluErf>(y, x, n, add);
    case Activation::kSilu:
      return forward<Silu>(y, x, n, add);
  }
}

void activation_slope_array(Activation kind, float* dx, const float* x, const float* dout, Index n, bool add) {
  switch (kind) {
    case Activation::kRelu:
      return backward<Relu>(dx, x, dout, n, add);
    case Activation::kGeluTanh:
      return backward<GeluTanh>(dx, x, dout, n, add);
    case Activation::kGeluErf:
      return backward<GeluErf>(dx, x, dout, n, add);
    case Activation::kSilu:
      return backward<Silu>(dx, x, dout, n, add);
  }
}

void multiply_slope_array(Activation kind, float* dx, const float* slope, const float* dout, Index n) {
  if (kind == Activation::kRelu) {
    map2<false>(dx, slope, dout, n, [](V s, V d) MINNOW_LAMBDA { return Relu::gradient(s, d); });
  } else {
    map2<false>(dx, slope, dout, n, [](V s, V d) MINNOW_LAMBDA { return Smooth::gradient(s, d); });
  }
}

void swiglu_row(float* y, const float* gate, const float* up, Index n) {
  map2<false>(y, gate, up, n, [](V g, V u) MINNOW_LAMBDA { return hn::Mul(Silu::value(g), u); });
}

void swiglu_slope_row(float* dgate, float* dup, const float* gate, const float* up, const float* dout, Index n,
                      bool add) {
  for_vectors(n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
    const V g = load(gate + i, count);
    const V d = load(dout + i, count);
    const ValueSlope silu = Silu::both(g);
    V dg = hn::Mul(hn::Mul(d, load(up + i, count)), silu.slope);
    V du = hn::Mul(d, silu.value);
    if (add) {
      dg = hn::Add(dg, load(dgate + i, count));
      du = hn::Add(du, load(dup + i, count));
    }
    store(dg, dgate + i, count);
    store(du, dup + i, count);
  });
}

}  // namespace minnow::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace minnow::kernels {

HWY_EXPORT(activation_array);
HWY_EXPORT(activation_slope_array);
HWY_EXPORT(multiply_slope_array);
HWY_EXPORT(swiglu_row);
HWY_EXPORT(swiglu_slope_row);

namespace {

constexpr Index kChunk = 8192;  // elements: 32 KB of f32 per array, a few microseconds of work

void swiglu_rows(float* y, const float* gate, const float* up, Index n) {
  HWY_DYNAMIC_DISPATCH(swiglu_row)(y, gate, up, n);
}
void swiglu_rows(double* y, const double* gate, const double* up, Index n) {
  reference::swiglu_forward_row(y, gate, up, n);
}
void swiglu_slope_rows(float* dgate, float* dup, const float* gate, const float* up, const float* dout, Index n,
                       bool add) {
  HWY_DYNAMIC_DISPATCH(swiglu_slope_row)(dgate, dup, gate, up, dout, n, add);
}
void swiglu_slope_rows(double* dgate, double* dup, const double* gate, const double* up, const double* dout, Index n,
                       bool add) {
  reference::swiglu_backward_row(dgate, dup, gate, up, dout, n, add);
}

void multiply_slopes(Activation kind, float* dx, const float* slope, const float* dout, Index n) {
  HWY_DYNAMIC_DISPATCH(multiply_slope_array)(kind, dx, slope, dout, n);
}
void multiply_slopes(Activation kind, double* dx, const double* slope, const double* dout, Index n) {
  for (Index i = 0; i < n; ++i) dx[i] = reference::gradient(kind, slope[i], dout[i]);
}

}  // namespace

template <>
void activation_forward_serial<float>(Activation kind, float* y, const float* x, Index n, bool add) {
  HWY_DYNAMIC_DISPATCH(activation_array)(kind, y, x, n, add);
}
template <>
void activation_forward_serial<double>(Activation kind, double* y, const double* x, Index n, bool add) {
  reference::activation_forward(kind, y, x, n, add);
}
template <>
void activation_backward_serial<float>(Activation kind, float* dx, const float* x, const float* dout, Index n,
                                       bool add) {
  HWY_DYNAMIC_DISPATCH(activation_slope_array)(kind, dx, x, dout, n, add);
}
template <>
void activation_backward_serial<double>(Activation kind, double* dx, const double* x, const double* dout, Index n,
                                        bool add) {
  reference::activation_backward(kind, dx, x, dout, n, add);
}

template <class T>
void activation_forward(Activation kind, T* y, const T* x, Index n, bool add) {
  parallel_ranges(n, kChunk, [=](Index begin, Index end, Index) {
    activation_forward_serial(kind, y + begin, x + begin, end - begin, add);
  });
}

template <class T>
void activation_backward(Activation kind, T* dx, const T* x, const T* dout, Index n, bool add) {
  parallel_ranges(n, kChunk, [=](Index begin, Index end, Index) {
    activation_backward_serial(kind, dx + begin, x + begin, dout + begin, end - begin, add);
  });
}

template <class T>
void activation_backward_by_slope(Activation kind, T* dx, const T* slope, const T* dout, Index n) {
  parallel_ranges(n, kChunk, [=](Index begin, Index end, Index) {
    multiply_slopes(kind, dx + begin, slope + begin, dout + begin, end - begin);
  });
}

template <class T>
void swiglu_forward(T* y, Index y_stride, const T* gate, const T* up, Index x_stride, Index rows, Index n) {
  parallel_ranges(rows, rows_per_chunk(n), [=](Index begin, Index end, Index) {
    for (Index row = begin; row < end; ++row) {
      swiglu_rows(y + row * y_stride, gate + row * x_stride, up + row * x_stride, n);
    }
  });
}

template <class T>
void swiglu_backward(T* dgate, T* dup, const T* gate, const T* up, Index x_stride, const T* dout, Index y_stride,
                     Index rows, Index n, bool add) {
  parallel_ranges(rows, rows_per_chunk(n), [=](Index begin, Index end, Index) {
    for (Index row = begin; row < end; ++row) {
      const Index at = row * x_stride;
      swiglu_slope_rows(dgate + at, dup + at, gate + at, up + at, dout + row * y_stride, n, add);
    }
  });
}

#define MINNOW_INSTANTIATE(T)                                                               \
  template void activation_forward<T>(Activation, T*, const T*, Index, bool);               \
  template void activation_backward<T>(Activation, T*, const T*, const T*, Index, bool);    \
  template void activation_backward_by_slope<T>(Activation, T*, const T*, const T*, Index); \
  template void swiglu_forward<T>(T*, Index, const T*, const T*, Index, Index, Index);      \
  template void swiglu_backward<T>(T*, T*, const T*, const T*, Index, const T*, Index, Index, Index, bool);
MINNOW_INSTANTIATE(float)
MINNOW_INSTANTIATE(double)
#undef MINNOW_INSTANTIATE

}  // namespace minnow::kernels
#endif  // HWY_ONCE
