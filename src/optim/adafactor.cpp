#include "minnow/optim/adafactor.hpp"

#include <algorithm>
#include <cmath>

#include "minnow/kernels/adafactor.hpp"
#include "optim/view.hpp"

namespace minnow {

Adafactor::Adafactor(FlatLayout layout, const AdafactorOptions& options, DType dtype)
    : Optimizer(std::move(layout), dtype), options_(options) {
  Index most = 0;
  for (const FlatPart& part : this->layout().parts) {
    const bool matrix = part.shape.rank() >= 2;
    Moments moments;
    moments.cols = matrix ? part.shape.back() : part.shape.numel();
    moments.rows = matrix && moments.cols > 0 ? part.shape.numel() / moments.cols : 1;
    if (matrix) moments.row = Tensor::zeros({moments.rows}, dtype);
    moments.col = Tensor::zeros({moments.cols}, dtype);
    most = std::max(most, kernels::adafactor_scratch_size(moments.rows, moments.cols));
    moments_.push_back(std::move(moments));
  }
  scratch_ = Tensor::empty({most}, DType::f64);
}

void Adafactor::update(Tensor& parameters, const Tensor& gradients, double lr, double grad_scale) {
  const auto step = static_cast<double>(steps());
  for (std::size_t i = 0; i < moments_.size(); ++i) {
    const FlatPart& part = layout().parts[i];
    Moments& m = moments_[i];
    const kernels::AdafactorStep args{.lr = lr,
                                      .new_weight = std::pow(step, -options_.beta2_decay),
                                      .relative = std::min(lr, 1 / std::sqrt(step)),
                                      .eps1 = options_.eps1,
                                      .eps2 = options_.eps2,
                                      .clip = options_.clip,
                                      .weight_decay = part.begin < layout().decayed ? options_.weight_decay : 0,
                                      .grad_scale = grad_scale};
    with_float(dtype(), [&]<class T>(T) {
      kernels::adafactor_step(parameters.mutable_data<T>() + part.begin, gradients.data<T>() + part.begin,
                              m.row.defined() ? m.row.mutable_data<T>() : nullptr, m.col.mutable_data<T>(), m.rows,
                              m.cols, args, scratch_.mutable_data<double>());
    });
  }
}

std::vector<Optimizer::Named> Adafactor::state() const {
  std::vector<Named> all;
  for (std::size_t i = 0; i < moments_.size(); ++i) {
    const std::string& name = layout().parts[i].name;
    const Moments& m = moments_[i];
    if (m.row.defined()) all.push_back({"row_var." + name, m.row});
    all.push_back({(m.row.defined() ? "col_var." : "variance.") + name, m.col});
  }
  return all;
}

}  // namespace minnow
