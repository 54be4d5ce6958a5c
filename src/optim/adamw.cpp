#include "minnow/optim/adamw.hpp"

#include <fmt/format.h>

#include "minnow/base/error.hpp"
#include "minnow/kernels/optimizer.hpp"

namespace minnow {
namespace {

template <class T>
void run(Tensor& parameters, const Tensor& gradients, Tensor& m, Tensor& v, Index decayed,
         const kernels::AdamWStep& args) {
  T* p = parameters.mutable_data<T>();
  const T* g = gradients.data<T>();
  T* pm = m.mutable_data<T>();
  T* pv = v.mutable_data<T>();
  kernels::adamw_step(p, g, pm, pv, decayed, args);
  kernels::AdamWStep plain = args;
  plain.weight_decay = 0;
  kernels::adamw_step(p + decayed, g + decayed, pm + decayed, pv + decayed, parameters.numel() - decayed, plain);
}

}  // namespace

AdamW::AdamW(Index count, Index decayed, const AdamWOptions& options, DType dtype)
    : decayed_(decayed),
      options_(options),
      exp_avg_(Tensor::zeros({count}, dtype)),
      exp_avg_sq_(Tensor::zeros({count}, dtype)) {}

void AdamW::step(Tensor& parameters, const Tensor& gradients, double lr, double grad_scale) {
  if (parameters.spec() != exp_avg_.spec() || gradients.spec() != exp_avg_.spec()) {
    throw ShapeError(fmt::format("[adamw] parameters and gradients must be {}; got {} and {}", exp_avg_.spec().str(),
                                 parameters.spec().str(), gradients.spec().str()));
  }
  ++steps_;
  const kernels::AdamWStep args{.lr = lr,
                                .beta1 = options_.beta1,
                                .beta2 = options_.beta2,
                                .eps = options_.eps,
                                .weight_decay = options_.weight_decay,
                                .step = steps_,
                                .grad_scale = grad_scale};
  if (parameters.dtype() == DType::f64) {
    run<double>(parameters, gradients, exp_avg_, exp_avg_sq_, decayed_, args);
  } else {
    run<float>(parameters, gradients, exp_avg_, exp_avg_sq_, decayed_, args);
  }
}

}  // namespace minnow
