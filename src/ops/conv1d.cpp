#include "ops/convolution.hpp"

namespace minnow {
namespace ops {
namespace {

struct Conv1d : Convolution<Conv1d, Conv1dOptions> {
  static constexpr OpDoc kDoc{"conv1d", "conv1d(x, weight, bias?, options) -> y",
                              "y[b, o, t] = bias[o] + sum_c,k weight[o, c, k] x[b, c, stride t + dilation k - padding]",
                              "PyTorch nn.functional.conv1d"};
  static constexpr Index kAxes = 1;

  static kernels::ConvSizes options(const Attrs& attrs) {
    kernels::ConvSizes s;
    s.groups = attrs.groups;
    s.stride[1] = attrs.stride;
    s.padding[1] = attrs.padding;
    s.dilation[1] = attrs.dilation;
    return s;
  }

  static std::vector<Sample> samples() {
    return {sample("padded", {2, 3, 9}, {5, 3, 3}, {.padding = 1}, 5),
            sample("stride 2, no bias", {2, 3, 9}, {5, 3, 5}, {.stride = 2, .padding = 2}, 0),
            sample("dilated", {1, 2, 11}, {3, 2, 3}, {.stride = 3, .padding = 4, .dilation = 2}, 3),
            sample("groups", {2, 6, 8}, {4, 3, 3}, {.padding = 1, .groups = 2}, 4),
            sample("each channel alone", {2, 4, 7}, {4, 1, 3}, {.groups = 4}, 4),
            sample("kernel 1", {2, 3, 6}, {4, 3, 1}, {}, 4),
            sample("padding beyond the kernel", {1, 1, 2}, {1, 1, 2}, {.padding = 5}, 1),
            sample("no items", {0, 3, 9}, {5, 3, 3}, {}, 5),
            sample("large", {3, 40, 700}, {24, 40, 3}, {.stride = 2, .padding = 1}, 24),
            sample("kernel too large", {2, 3, 4}, {5, 3, 5}, {}, 5, false),
            sample("channels differ", {2, 4, 9}, {5, 3, 3}, {}, 5, false),
            sample("groups do not divide", {2, 6, 9}, {5, 3, 3}, {.groups = 2}, 5, false),
            sample("wrong bias", {2, 3, 9}, {5, 3, 3}, {}, 4, false),
            sample("stride 0", {2, 3, 9}, {5, 3, 3}, {.stride = 0}, 5, false),
            sample("two axes", {3, 9}, {5, 3, 3}, {}, 5, false)};
  }
};

}  // namespace
MINNOW_OP(conv1d, Conv1d);
}  // namespace ops

Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias, const Conv1dOptions& options) {
  return apply_one(ops::op_conv1d, {x, weight, bias}, options);
}

}  // namespace minnow
