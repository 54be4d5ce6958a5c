#include "minnow/nn/parameter.hpp"

#include <fmt/format.h>

#include "kernels/random_normal.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/parallel.hpp"
#include "minnow/base/philox.hpp"
#include "minnow/nn/streams.hpp"

namespace minnow {
namespace {

constexpr Index kNumbersPerChunk = 1 << 14;

void fill_normal(float* to, Index count, double std, const RandomKey& key) {
  parallel_ranges(count, kNumbersPerChunk, [&](Index begin, Index end, Index) {
    kernels::fill_random_normal(key, static_cast<std::uint64_t>(begin), static_cast<std::size_t>(end - begin), std,
                                to + begin);
  });
}

/// The same numbers as in f32.
void fill_normal(double* to, Index count, double std, const RandomKey& key) {
  parallel_ranges(count, kNumbersPerChunk, [&](Index begin, Index end, Index) {
    for (Index i = begin; i < end; ++i)
      to[i] = static_cast<float>(std * random_normal(key, static_cast<std::uint64_t>(i)));
  });
}

void fill_parameter(Tensor& tensor, const Initializer& init, const RandomKey& key) {
  switch (init.kind) {
    case Initializer::Kind::kZeros:
      return tensor.fill(0);
    case Initializer::Kind::kOnes:
      return tensor.fill(1);
    case Initializer::Kind::kNormal:
      break;
  }
  if (tensor.dtype() == DType::f64) {
    fill_normal(tensor.mutable_data<double>(), tensor.numel(), init.std, key);
  } else {
    fill_normal(tensor.mutable_data<float>(), tensor.numel(), init.std, key);
  }
}

}  // namespace

Tensor ParameterList::add(std::string name, const Shape& shape, const Initializer& init,
                          std::vector<Index> matrix_rows) {
  if (!places_.emplace(name, parameters_.size()).second) {
    throw ShapeError(fmt::format("[parameters] names must differ; got {} twice", name));
  }
  parameters_.push_back(
      {std::move(name), set_requires_grad(Tensor::empty(shape, dtype_)), init, std::move(matrix_rows)});
  return parameters_.back().tensor;
}

void ParameterList::initialize(std::uint64_t seed) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    fill_parameter(parameters_[i].tensor, parameters_[i].init,
                   {.seed = seed, .stream = kStreamInit + static_cast<std::uint32_t>(i)});
  }
}

const Tensor& ParameterList::at(std::string_view name) const {
  const auto found = places_.find(name);
  if (found != places_.end()) return parameters_[found->second].tensor;
  throw CheckpointError(
      fmt::format("[parameters] the model must have the tensor asked for; got '{}'; it has {} tensors, {} first", name,
                  parameters_.size(), parameters_.empty() ? "none" : parameters_.front().name));
}

Index ParameterList::count() const {
  Index total = 0;
  for (const Parameter& parameter : parameters_) total += parameter.tensor.numel();
  return total;
}

}  // namespace minnow
