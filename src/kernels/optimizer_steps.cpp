#include "minnow/kernels/optimizer_steps.hpp"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/optimizer_steps.cpp"
#include "hwy/foreach_target.h"
#include "kernels/simd.hpp"
// clang-format on
#include "kernels/reference/optimizer_steps.hpp"

HWY_BEFORE_NAMESPACE();
namespace minnow::kernels::HWY_NAMESPACE {

HWY_INLINE V constant(double value) { return set(static_cast<float>(value)); }

// grad_scale grad + weight_decay param, for coupled decay.
struct Gradient {
  V scale, decay;
  template <class Args>
  HWY_INLINE explicit Gradient(const Args& a) : scale(constant(a.grad_scale)), decay(constant(a.weight_decay)) {}
  HWY_INLINE Gradient(double grad_scale, double weight_decay)
      : scale(constant(grad_scale)), decay(constant(weight_decay)) {}
  HWY_INLINE V at(V grad, V param) const { return hn::MulAdd(scale, grad, hn::Mul(decay, param)); }
};

void sgd_array(float* param, const float* grad, float* velocity, Index n, const SgdStep& a) {
  const Gradient gradient(a);
  const V lr = constant(a.lr);
  const V momentum = constant(a.first ? 0 : a.momentum);
  const V fresh = constant(a.first ? 1 : 1 - a.dampening);
  const V ahead = constant(a.momentum);
  for_vectors(n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
    const V p = load(param + i, count);
    const V g = gradient.at(load(grad + i, count), p);
    V d = g;
    if (velocity != nullptr) {
      const V speed = hn::MulAdd(momentum, load(velocity + i, count), hn::Mul(fresh, g));
      store(speed, velocity + i, count);
      d = a.nesterov ? hn::MulAdd(ahead, speed, g) : speed;
    }
    store(hn::NegMulAdd(lr, d, p), param + i, count);
  });
}

void adam_array(float* param, const float* grad, float* m, float* v, float* largest, Index n,
                const reference::AdamWConstants& c, double coupled) {
  const Gradient gradient(c.grad_scale, coupled);
  const V decay = constant(c.decay);
  const V step_size = constant(c.step_size);
  const V root_correction = constant(c.root_correction);
  const V beta1 = constant(c.beta1);
  const V new1 = constant(c.new1);
  const V beta2 = constant(c.beta2);
  const V new2 = constant(c.new2);
  const V eps = constant(c.eps);
  for_vectors(n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
    const V p = load(param + i, count);
    const V g = gradient.at(load(grad + i, count), p);
    const V m_new = hn::MulAdd(beta1, load(m + i, count), hn::Mul(new1, g));
    const V v_new = hn::MulAdd(beta2, load(v + i, count), hn::Mul(hn::Mul(new2, g), g));
    store(m_new, m + i, count);
    store(v_new, v + i, count);
    V root = v_new;
    if (largest != nullptr) {
      root = hn::Max(v_new, load(largest + i, count));
      store(root, largest + i, count);
    }
    const V denominator = hn::MulAdd(hn::Sqrt(root), root_correction, eps);
    store(hn::Sub(hn::Mul(p, decay), hn::Div(hn::Mul(step_size, m_new), denominator)), param + i, count);
  });
}

void adagrad_array(float* param, const float* grad, float* sum, Index n, const AdagradStep& a) {
  const Gradient gradient(a);
  const V lr = constant(a.lr);
  const V eps = constant(a.eps);
  for_vectors(n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
    const V p = load(param + i, count);
    const V g = gradient.at(load(grad + i, count), p);
    const V total = hn::MulAdd(g, g, load(sum + i, count));
    store(total, sum + i, count);
    store(hn::Sub(p, hn::Div(hn::Mul(lr, g), hn::Add(hn::Sqrt(total), eps))), param + i, count);
  });
}

void rmsprop_array(float* param, const float* grad, float* v, float* mean, float* velocity, Index n,
                   const RmspropStep& a) {
  const Gradient gradient(a);
  const V lr = constant(a.lr);
  const V eps = constant(a.eps);
  const V alpha = constant(a.alpha);
  const V fresh = constant(1 - a.alpha);
  const V momentum = constant(a.momentum);
  for_vectors(n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
    const V p = load(param + i, count);
    const V g = gradient.at(load(grad + i, count), p);
    V square = hn::MulAdd(alpha, load(v + i, count), hn::Mul(hn::Mul(fresh, g), g));
    store(square, v + i, count);
    if (mean != nullptr) {
      const V centre = hn::MulAdd(alpha, load(mean + i, count), hn::Mul(fresh, g));
      store(centre, mean + i, count);
      square = hn::NegMulAdd(centre, centre, square);
      square = hn::IfThenZeroElse(hn::Lt(square, hn::Zero(D())), square);  // rounding; NaN stays
    }
    V d = hn::Div(g, hn::Add(hn::Sqrt(square), eps));
    if (velocity != nullptr) {
      d = hn::MulAdd(momentum, load(velocity + i, count), d);
      store(d, velocity + i, count);
    }
    store(hn::NegMulAdd(lr, d, p), param + i, count);
  });
}

void lion_array(float* param, const float* grad, float* m, Index n, const LionStep& a) {
  const V scale = constant(a.grad_scale);
  const V lr = constant(a.lr);
  const V decay = constant(1 - a.lr * a.weight_decay);
  const V beta1 = constant(a.beta1);
  const V new1 = constant(1 - a.beta1);
  const V beta2 = constant(a.beta2);
  const V new2 = constant(1 - a.beta2);
  for_vectors(n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
    const V g = hn::Mul(scale, load(grad + i, count));
    const V old = load(m + i, count);
    const V c = hn::MulAdd(beta1, old, hn::Mul(new1, g));
    // lr with the sign of c; 0 and NaN as they are
    const V moved = hn::IfThenElse(hn::Gt(hn::Abs(c), hn::Zero(D())), hn::CopySign(lr, c), c);
    store(hn::MulAdd(beta2, old, hn::Mul(new2, g)), m + i, count);
    store(hn::Sub(hn::Mul(load(param + i, count), decay), moved), param + i, count);
  });
}

void muon_momentum_array(float* update, const float* grad, float* velocity, Index n, double momentum, bool nesterov,
                         double grad_scale) {
  const V keep = constant(momentum);
  const V fresh = constant((1 - momentum) * grad_scale);
  for_vectors(n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
    const V g = hn::Mul(fresh, load(grad + i, count));
    const V speed = hn::MulAdd(keep, load(velocity + i, count), g);
    store(speed, velocity + i, count);
    store(nesterov ? hn::MulAdd(keep, speed, g) : speed, update + i, count);
  });
}

void scale_add_array(float* y, double b, const float* x, double a, Index n) {
  const V of_x = constant(a);
  const V of_y = constant(b);
  for_vectors(n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
    store(hn::MulAdd(of_x, load(x + i, count), hn::Mul(of_y, load(y + i, count))), y + i, count);
  });
}

void average_array(float* average, const float* param, Index n, double decay) {
  const V fresh = constant(1 - decay);
  for_vectors(n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
    const V old = load(average + i, count);
    store(hn::MulAdd(fresh, hn::Sub(load(param + i, count), old), old), average + i, count);
  });
}

}  // namespace minnow::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace minnow::kernels {

HWY_EXPORT(sgd_array);
HWY_EXPORT(adam_array);
HWY_EXPORT(adagrad_array);
HWY_EXPORT(rmsprop_array);
HWY_EXPORT(lion_array);
HWY_EXPORT(muon_momentum_array);
HWY_EXPORT(scale_add_array);
HWY_EXPORT(average_array);

namespace {

template <class T>
T* at(T* array, Index begin) {
  return array != nullptr ? array + begin : nullptr;
}

}  // namespace

template <class T>
void sgd_step(T* param, const T* grad, T* velocity, Index n, const SgdStep& args) {
  parallel_ranges(n, kFlatChunk, [&](Index begin, Index end, Index) {
    if constexpr (std::is_same_v<T, float>) {
      HWY_DYNAMIC_DISPATCH(sgd_array)(param + begin, grad + begin, at(velocity, begin), end - begin, args);
    } else {
      reference::sgd(param + begin, grad + begin, at(velocity, begin), end - begin, args);
    }
  });
}

template <class T>
void adam_step(T* param, const T* grad, T* m, T* v, T* largest, Index n, const AdamWStep& args, bool decoupled) {
  reference::AdamWConstants constants(args);
  if (!decoupled) constants.decay = 1;
  const double coupled = decoupled ? 0 : args.weight_decay;
  parallel_ranges(n, kFlatChunk, [&](Index begin, Index end, Index) {
    if constexpr (std::is_same_v<T, float>) {
      HWY_DYNAMIC_DISPATCH(adam_array)
      (param + begin, grad + begin, m + begin, v + begin, at(largest, begin), end - begin, constants, coupled);
    } else {
      reference::adam(param + begin, grad + begin, m + begin, v + begin, at(largest, begin), end - begin, constants,
                      coupled);
    }
  });
}

template <class T>
void adamw_step(T* param, const T* grad, T* m, T* v, Index n, const AdamWStep& args) {
  adam_step<T>(param, grad, m, v, nullptr, n, args, true);
}

template <class T>
void adagrad_step(T* param, const T* grad, T* sum, Index n, const AdagradStep& args) {
  parallel_ranges(n, kFlatChunk, [&](Index begin, Index end, Index) {
    if constexpr (std::is_same_v<T, float>) {
      HWY_DYNAMIC_DISPATCH(adagrad_array)(param + begin, grad + begin, sum + begin, end - begin, args);
    } else {
      reference::adagrad(param + begin, grad + begin, sum + begin, end - begin, args);
    }
  });
}

template <class T>
void rmsprop_step(T* param, const T* grad, T* v, T* mean, T* velocity, Index n, const RmspropStep& args) {
  parallel_ranges(n, kFlatChunk, [&](Index begin, Index end, Index) {
    if constexpr (std::is_same_v<T, float>) {
      HWY_DYNAMIC_DISPATCH(rmsprop_array)
      (param + begin, grad + begin, v + begin, at(mean, begin), at(velocity, begin), end - begin, args);
    } else {
      reference::rmsprop(param + begin, grad + begin, v + begin, at(mean, begin), at(velocity, begin), end - begin,
                         args);
    }
  });
}

template <class T>
void lion_step(T* param, const T* grad, T* m, Index n, const LionStep& args) {
  parallel_ranges(n, kFlatChunk, [&](Index begin, Index end, Index) {
    if constexpr (std::is_same_v<T, float>) {
      HWY_DYNAMIC_DISPATCH(lion_array)(param + begin, grad + begin, m + begin, end - begin, args);
    } else {
      reference::lion(param + begin, grad + begin, m + begin, end - begin, args);
    }
  });
}

template <class T>
void muon_momentum(T* update, const T* grad, T* velocity, Index n, double momentum, bool nesterov, double grad_scale) {
  parallel_ranges(n, kFlatChunk, [&](Index begin, Index end, Index) {
    if constexpr (std::is_same_v<T, float>) {
      HWY_DYNAMIC_DISPATCH(muon_momentum_array)
      (update + begin, grad + begin, velocity + begin, end - begin, momentum, nesterov, grad_scale);
    } else {
      reference::muon_momentum(update + begin, grad + begin, velocity + begin, end - begin, momentum, nesterov,
                               grad_scale);
    }
  });
}

template <class T>
void scale_add(T* y, double b, const T* x, double a, Index n) {
  parallel_ranges(n, kFlatChunk, [&](Index begin, Index end, Index) {
    if constexpr (std::is_same_v<T, float>) {
      HWY_DYNAMIC_DISPATCH(scale_add_array)(y + begin, b, x + begin, a, end - begin);
    } else {
      reference::scale_add(y + begin, b, x + begin, a, end - begin);
    }
  });
}

template <class T>
void average_step(T* average, const T* param, Index n, double decay) {
  parallel_ranges(n, kFlatChunk, [&](Index begin, Index end, Index) {
    if constexpr (std::is_same_v<T, float>) {
      HWY_DYNAMIC_DISPATCH(average_array)(average + begin, param + begin, end - begin, decay);
    } else {
      reference::average(average + begin, param + begin, end - begin, decay);
    }
  });
}

#define MINNOW_INSTANTIATE(T)                                                          \
  template void sgd_step<T>(T*, const T*, T*, Index, const SgdStep&);                  \
  template void adam_step<T>(T*, const T*, T*, T*, T*, Index, const AdamWStep&, bool); \
  template void adamw_step<T>(T*, const T*, T*, T*, Index, const AdamWStep&);          \
  template void adagrad_step<T>(T*, const T*, T*, Index, const AdagradStep&);          \
  template void rmsprop_step<T>(T*, const T*, T*, T*, T*, Index, const RmspropStep&);  \
  template void lion_step<T>(T*, const T*, T*, Index, const LionStep&);                \
  template void muon_momentum<T>(T*, const T*, T*, Index, double, bool, double);       \
  template void scale_add<T>(T*, double, const T*, double, Index);                     \
  template void average_step<T>(T*, const T*, Index, double);
MINNOW_INSTANTIATE(float)
MINNOW_INSTANTIATE(double)
#undef MINNOW_INSTANTIATE

}  // namespace minnow::kernels
#endif  // HWY_ONCE
