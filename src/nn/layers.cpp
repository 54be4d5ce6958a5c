#include "minnow/nn/layers.hpp"

#include <cmath>

#include "minnow/ops/dropout.hpp"
#include "minnow/ops/linear.hpp"
#include "minnow/ops/norm.hpp"

namespace minnow::nn {

Linear Linear::make(ParameterList& list, const std::string& name, Index in, Index out, bool bias,
                    const Initializer& init, std::vector<Index> matrix_rows) {
  Linear layer;
  layer.weight = list.add(name + ".weight", {out, in}, init, std::move(matrix_rows));
  if (bias) layer.bias = list.add(name + ".bias", {out}, Initializer::zeros());
  return layer;
}

Tensor Linear::operator()(const Tensor& x, std::optional<kernels::Activation> activation) const {
  return linear(x, weight, bias, activation);
}

Norm Norm::make(ParameterList& list, const std::string& name, Index width, NormType type, bool bias, double eps) {
  Norm layer;
  layer.type = type;
  layer.eps = eps;
  layer.weight = list.add(name + ".weight", {width}, Initializer::ones());
  if (bias && type == NormType::kLayer) layer.bias = list.add(name + ".bias", {width}, Initializer::zeros());
  return layer;
}

Tensor Norm::operator()(const Tensor& x) const {
  return type == NormType::kRms ? rms_norm(x, {x.size(-1)}, weight, eps)
                                : layer_norm(x, {x.size(-1)}, weight, bias, eps);
}

std::pair<Tensor, Tensor> Norm::add(const Tensor& x, const Tensor& residual) const {
  return type == NormType::kRms ? add_rms_norm(x, residual, weight, eps)
                                : add_layer_norm(x, residual, weight, bias, eps);
}

Tensor dropout_at(const Tensor& x, double p, Index site, const ForwardMode& mode) {
  if (!mode.training || p == 0) return x;
  if (mode.sequences.defined()) {
    const Index per_token = x.size(1) == 0 ? 0 : x.numel() / x.size(1);
    return dropout(x, p, mode.dropout_key(site), static_cast<std::uint64_t>(mode.sequences.first_token * per_token));
  }
  const Index per_sequence = x.size(0) == 0 ? 0 : x.numel() / x.size(0);
  return dropout(x, p, mode.dropout_key(site), static_cast<std::uint64_t>(mode.first_sequence * per_sequence));
}

Tensor sinusoidal_table(Index first, Index length, Index width, DType dtype) {
  Tensor table = Tensor::empty({length, width}, DType::f64);
  auto* to = table.mutable_data<double>();
  for (Index t = 0; t < length; ++t) {
    for (Index i = 0; i < width; ++i) {
      const double angle = static_cast<double>(first + t) /
                           std::pow(10000.0, static_cast<double>(i - i % 2) / static_cast<double>(width));
      to[t * width + i] = i % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
  }
  return table.to(dtype);
}

Tensor rotary_table(Index first, Index length, Index rotary_dim, double theta, DType dtype) {
  const Index half = rotary_dim / 2;
  Tensor table = Tensor::empty({length, rotary_dim}, DType::f64);
  auto* to = table.mutable_data<double>();
  for (Index t = 0; t < length; ++t) {
    for (Index i = 0; i < half; ++i) {
      const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(rotary_dim);
      const double angle = static_cast<double>(first + t) * std::pow(theta, exponent);
      to[t * rotary_dim + i] = std::cos(angle);
      to[t * rotary_dim + half + i] = std::sin(angle);
    }
  }
  return table.to(dtype);
}

}  // namespace minnow::nn
