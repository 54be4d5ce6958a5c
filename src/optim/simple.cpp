#include "minnow/optim/simple.hpp"

#include "minnow/kernels/optimizer_steps.hpp"
#include "optim/view.hpp"

namespace minnow {
namespace {

constexpr const char* kVelocity = "momentum_buffer";
constexpr const char* kSum = "sum";
constexpr const char* kSquares = "square_avg";
constexpr const char* kMean = "grad_avg";

std::vector<std::string> buffers_of(const RmspropOptions& options) {
  std::vector<std::string> names = {kSquares};
  if (options.centered) names.emplace_back(kMean);
  if (options.momentum > 0) names.emplace_back(kVelocity);
  return names;
}

}  // namespace

Sgd::Sgd(FlatLayout layout, const SgdOptions& options, DType dtype)
    : FlatOptimizer(std::move(layout), dtype,
                    options.momentum > 0 ? std::vector<std::string>{kVelocity} : std::vector<std::string>{}),
      options_(options) {}

void Sgd::update_range(const FlatRange& r) {
  const kernels::SgdStep args{.lr = r.lr,
                              .momentum = options_.momentum,
                              .dampening = options_.dampening,
                              .nesterov = options_.nesterov,
                              .weight_decay = r.decays ? options_.weight_decay : 0,
                              .first = steps() == 1,
                              .grad_scale = r.grad_scale};
  with_float(dtype(), [&]<class T>(T) {
    kernels::sgd_step(r.parameter<T>(), r.gradient<T>(), buffer<T>(kVelocity, r), r.count, args);
  });
}

Adagrad::Adagrad(FlatLayout layout, const AdagradOptions& options, DType dtype)
    : FlatOptimizer(std::move(layout), dtype, {kSum}), options_(options) {
  buffer(0).fill(options.initial_accumulator);
}

void Adagrad::update_range(const FlatRange& r) {
  const kernels::AdagradStep args{.lr = r.lr / (1 + options_.lr_decay * static_cast<double>(steps() - 1)),
                                  .eps = options_.eps,
                                  .weight_decay = r.decays ? options_.weight_decay : 0,
                                  .grad_scale = r.grad_scale};
  with_float(dtype(), [&]<class T>(T) {
    kernels::adagrad_step(r.parameter<T>(), r.gradient<T>(), buffer<T>(kSum, r), r.count, args);
  });
}

Rmsprop::Rmsprop(FlatLayout layout, const RmspropOptions& options, DType dtype)
    : FlatOptimizer(std::move(layout), dtype, buffers_of(options)), options_(options) {}

void Rmsprop::update_range(const FlatRange& r) {
  const kernels::RmspropStep args{.lr = r.lr,
                                  .alpha = options_.alpha,
                                  .eps = options_.eps,
                                  .momentum = options_.momentum,
                                  .weight_decay = r.decays ? options_.weight_decay : 0,
                                  .grad_scale = r.grad_scale};
  with_float(dtype(), [&]<class T>(T) {
    kernels::rmsprop_step(r.parameter<T>(), r.gradient<T>(), buffer<T>(kSquares, r), buffer<T>(kMean, r),
                          buffer<T>(kVelocity, r), r.count, args);
  });
}

Lion::Lion(FlatLayout layout, const LionOptions& options, DType dtype)
    : FlatOptimizer(std::move(layout), dtype, {"exp_avg"}), options_(options) {}

void Lion::update_range(const FlatRange& r) {
  const kernels::LionStep args{.lr = r.lr,
                               .beta1 = options_.beta1,
                               .beta2 = options_.beta2,
                               .weight_decay = r.decays ? options_.weight_decay : 0,
                               .grad_scale = r.grad_scale};
  with_float(dtype(), [&]<class T>(T) {
    kernels::lion_step(r.parameter<T>(), r.gradient<T>(), buffer<T>("exp_avg", r), r.count, args);
  });
}

}  // namespace minnow
