#include "ops/convolution.hpp"

namespace minnow {
namespace ops {
namespace {

struct Conv2d : Convolution<Conv2d, Conv2dOptions> {
  static constexpr OpDoc kDoc{"conv2d", "conv2d(x, weight, bias?, options) -> y",
                              "y[b, o, p] = bias[o] + sum_c,k weight[o, c, k] x[b, c, stride p + dilation k - padding]",
                              "PyTorch nn.functional.conv2d; stride = kernel size: ViT's patch embedding"};
  static constexpr Index kAxes = 2;

  static kernels::ConvSizes options(const Attrs& attrs) {
    kernels::ConvSizes s;
    s.groups = attrs.groups;
    s.stride = attrs.stride;
    s.padding = attrs.padding;
    s.dilation = attrs.dilation;
    return s;
  }

  static std::vector<Sample> samples() {
    return {sample("patches", {2, 3, 8, 12}, {6, 3, 4, 4}, {.stride = {4, 4}}, 6),
            sample("padded", {2, 2, 5, 6}, {3, 2, 3, 3}, {.padding = {1, 1}}, 3),
            sample("uneven, no bias", {1, 2, 7, 6}, {3, 2, 2, 3},
                   {.stride = {2, 1}, .padding = {0, 2}, .dilation = {3, 2}}, 0),
            sample("groups", {2, 4, 5, 5}, {6, 2, 3, 3}, {.stride = {2, 2}, .padding = {1, 1}, .groups = 2}, 6),
            sample("kernel 1", {2, 3, 4, 5}, {4, 3, 1, 1}, {}, 4),
            sample("patches left over", {1, 1, 7, 7}, {2, 1, 3, 3}, {.stride = {3, 3}}, 2),
            sample("no items", {0, 3, 4, 4}, {5, 3, 3, 3}, {}, 5),
            sample("large", {2, 20, 40, 33}, {18, 20, 3, 3}, {.padding = {1, 1}}, 18),
            sample("kernel too high", {2, 3, 4, 9}, {5, 3, 5, 3}, {}, 5, false),
            sample("channels differ", {2, 4, 9, 9}, {5, 3, 3, 3}, {}, 5, false),
            sample("wrong bias", {2, 3, 9, 9}, {5, 3, 3, 3}, {}, 4, false),
            sample("negative padding", {2, 3, 9, 9}, {5, 3, 3, 3}, {.padding = {-1, 0}}, 5, false),
            sample("three axes", {3, 9, 9}, {5, 3, 3, 3}, {}, 5, false)};
  }
};

}  // namespace
MINNOW_OP(conv2d, Conv2d);
}  // namespace ops

Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, const Conv2dOptions& options) {
  return apply_one(ops::op_conv2d, {x, weight, bias}, options);
}

}  // namespace minnow
