#include "minnow/train/flat_parameters.hpp"

#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "tensor/heap.hpp"

namespace minnow {

FlatParameters::FlatParameters(ParameterList& list) {
  const auto decays = [](const Tensor& x) { return x.rank() >= 2; };
  for (const Parameter& parameter : list.all()) {
    if (decays(parameter.tensor)) decayed_ += parameter.tensor.numel();
  }
  Index matrix = 0;
  Index vector = decayed_;
  for (const Parameter& parameter : list.all()) {
    Index& next = decays(parameter.tensor) ? matrix : vector;
    slices_.push_back({parameter.name, parameter.tensor, next, parameter.matrix_rows});
    next += parameter.tensor.numel();
  }
  const DType dtype = list.all().empty() ? DType::f32 : list.all().front().tensor.dtype();
  values_ = Tensor::empty({list.count()}, dtype);
  for (Slice& slice : slices_) {
    Tensor place = view(values_, slice);
    place.copy_from(slice.parameter);
    slice.parameter.move_to(place);
  }
  release_free_heap();  // the parameters' first places
}

FlatLayout FlatParameters::layout() const {
  FlatLayout layout{count(), decayed_, {}};
  for (const Slice& slice : slices_) {
    layout.parts.push_back({slice.name, slice.parameter.shape(), slice.begin, slice.matrix_rows});
  }
  return layout;
}

Tensor FlatParameters::view(const Tensor& flat, const Slice& slice) {
  const Shape& shape = slice.parameter.shape();
  return flat.as_strided(shape, shape.contiguous_strides(), slice.begin);
}

void FlatParameters::collect_gradients_in(const Tensor& flat, GradientBuffer holds) const {
  for (const Slice& slice : slices_) set_grad(slice.parameter, view(flat, slice), holds);
}

void FlatParameters::finish_gradients() const {
  for (const Slice& slice : slices_) (void)grad(slice.parameter);
}

const std::string& FlatParameters::name_at(Index at) const {
  for (const Slice& slice : slices_) {
    if (at >= slice.begin && at < slice.begin + slice.parameter.numel()) return slice.name;
  }
  throw ShapeError("[flat_parameters] the element must lie in the buffer; got one outside");
}

}  // namespace minnow
