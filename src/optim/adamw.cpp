#include "minnow/optim/adamw.hpp"

#include "minnow/kernels/optimizer_steps.hpp"
#include "optim/view.hpp"

namespace minnow {
namespace {

std::vector<std::string> buffers_of(const AdamWOptions& options) {
  std::vector<std::string> names = {"exp_avg", "exp_avg_sq"};
  if (options.amsgrad) names.emplace_back("max_exp_avg_sq");
  return names;
}

}  // namespace

AdamW::AdamW(FlatLayout layout, const AdamWOptions& options, DType dtype)
    : FlatOptimizer(std::move(layout), dtype, buffers_of(options)), options_(options) {}

AdamW::AdamW(Index count, Index decayed, const AdamWOptions& options, DType dtype)
    : AdamW(FlatLayout{count, decayed, {}}, options, dtype) {}

void AdamW::update_range(const FlatRange& r) {
  const kernels::AdamWStep args{.lr = r.lr,
                                .beta1 = options_.beta1,
                                .beta2 = options_.beta2,
                                .eps = options_.eps,
                                .weight_decay = r.decays ? options_.weight_decay : 0,
                                .step = steps(),
                                .grad_scale = r.grad_scale};
  with_float(dtype(), [&]<class T>(T) {
    T* m = buffer<T>("exp_avg", r);
    T* v = buffer<T>("exp_avg_sq", r);
    T* largest = buffer<T>("max_exp_avg_sq", r);
    kernels::adam_step(r.parameter<T>(), r.gradient<T>(), m, v, largest, r.count, args, options_.decoupled);
  });
}

}  // namespace minnow
