#pragma once
/// @file
/// Options that blocks and models share.

#include <string>

#include "golden/golden_case.hpp"
#include "minnow/config/config.hpp"
#include "minnow/kernels/activation.hpp"

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
  switch (model_activation(name)) {
    case Activation::kGeluTanh:
      return kernels::Activation::kGeluTanh;
    case Activation::kGeluErf:
      return kernels::Activation::kGeluErf;
    case Activation::kRelu:
      break;
  }
  return kernels::Activation::kRelu;
}

}  // namespace minnow::golden
