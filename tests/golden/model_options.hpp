#pragma once
/// @file
/// Options that blocks and models share.

#include <string>

#include "golden/golden_case.hpp"
#include "minnow/config/config.hpp"
#include "minnow/kernels/activation.hpp"
#include "minnow/ops/position.hpp"

namespace minnow::golden {

/// @return the activation of that name. Throws: Unsupported.
inline Activation model_activation(const std::string& name) {
  if (name == "gelu_tanh") return Activation::kGeluTanh;
  if (name == "gelu_erf") return Activation::kGeluErf;
  if (name == "relu") return Activation::kRelu;
  throw Unsupported("option activation is " + name);
}

/// The same as the kernels name it.
inline kernels::Activation kernel_activation(const std::string& name) {
  const Activation kind = model_activation(name);
  if (kind == Activation::kGeluTanh) return kernels::Activation::kGeluTanh;
  return kind == Activation::kGeluErf ? kernels::Activation::kGeluErf : kernels::Activation::kRelu;
}

/// @return the channels that turn together, by the name of the style. Throws: Unsupported.
inline RopePairs rope_pairs(const std::string& style) {
  if (style == "half") return RopePairs::kHalves;
  if (style == "interleaved") return RopePairs::kInterleaved;
  throw Unsupported("option rope_style is " + style);
}

}  // namespace minnow::golden
