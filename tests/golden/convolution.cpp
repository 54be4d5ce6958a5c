// Adapters of the kind convolution.

#include "minnow/ops/convolution.hpp"

#include "golden/adapter.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/shape.hpp"

namespace minnow::golden {
namespace {

Outcome conv_1d(Call& call) {
  const Tensor& weight = call.param("weight");
  call.options.require("kernel", weight.size(2));
  call.options.require("in_channels", weight.size(1));
  call.options.require("out_channels", weight.size(0));
  const Conv1dOptions options{.stride = call.options.integer("stride"), .padding = call.options.integer("padding")};
  const Tensor bias = call.options.flag("bias") ? call.param("bias") : Tensor();
  return {{{"y", conv1d(call.in("x"), weight, bias, options)}}};
}

/// The same numbers as an image and as a row of patches.
Outcome conv_2d(Call& call) {
  const Tensor& weight = call.param("weight");
  const auto pair = [&](const char* name) {
    const Shape two = call.options.integers(name);
    return std::array<Index, 2>{two[0], two[1]};
  };
  if (pair("kernel") != std::array<Index, 2>{weight.size(2), weight.size(3)}) throw Unsupported("another kernel");
  call.options.require("in_channels", weight.size(1));
  call.options.require("out_channels", weight.size(0));
  const Conv2dOptions options{.stride = pair("stride"), .padding = pair("padding")};
  const Tensor y = conv2d(call.in("x"), weight, call.param("bias"), options);
  return {{{"y", y}, {"tokens", transpose(reshape(y, {y.size(0), y.size(1), -1}), 1, 2)}}};
}

/// What stands in front of Whisper's encoder: two convolutions, the second one halves the time.
Outcome whisper_stem(Call& call) {
  const Tensor& x = call.in("x");
  call.options.require("n_mels", x.size(1));
  call.options.require("d_model", call.param("conv1.weight").size(0));
  call.options.require("activation", "gelu_erf");
  const Tensor first = gelu_erf(conv1d(x, call.param("conv1.weight"), call.param("conv1.bias"), {.padding = 1}));
  const Tensor second =
      gelu_erf(conv1d(first, call.param("conv2.weight"), call.param("conv2.bias"), {.stride = 2, .padding = 1}));
  return {{{"y", transpose(second, 1, 2)}}};
}

}  // namespace

AdapterTable convolution_adapters() {
  return {{"conv1d", conv_1d}, {"conv2d", conv_2d}, {"whisper_stem", whisper_stem}};
}

}  // namespace minnow::golden
