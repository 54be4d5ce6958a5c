#include "minnow/optim/optimizer.hpp"

#include <fmt/format.h>

#include "minnow/base/error.hpp"
#include "optim/view.hpp"

namespace minnow {

void Optimizer::step(Tensor& parameters, const Tensor& gradients, double lr, double grad_scale) {
  const TensorSpec wanted{{layout_.count}, dtype_};
  if (parameters.spec() != wanted || gradients.spec() != wanted) {
    throw ShapeError(fmt::format("[optimizer] parameters and gradients must be {}; got {} and {}", wanted.str(),
                                 parameters.spec().str(), gradients.spec().str()));
  }
  ++steps_;
  update(parameters, gradients, lr, grad_scale);
}

FlatOptimizer::FlatOptimizer(FlatLayout layout, DType dtype, std::vector<std::string> buffers)
    : Optimizer(std::move(layout), dtype) {
  for (std::string& name : buffers) {
    buffers_.push_back({std::move(name), Tensor::zeros({this->layout().count}, dtype)});
  }
}

void FlatOptimizer::update(Tensor& parameters, const Tensor& gradients, double lr, double grad_scale) {
  const Index decayed = layout().decayed;
  update_range({parameters, gradients, 0, decayed, true, lr, grad_scale});
  update_range({parameters, gradients, decayed, layout().count - decayed, false, lr, grad_scale});
}

std::vector<Optimizer::Named> FlatOptimizer::state() const {
  std::vector<Named> all;
  for (const FlatPart& part : layout().parts) {
    for (const Named& one : buffers_) all.push_back({one.name + "." + part.name, view_of(one.tensor, part)});
  }
  return all;
}

}  // namespace minnow
