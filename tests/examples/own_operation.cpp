// An operation of one's own, outside the library: squared ReLU, y = max(x, 0)^2 (So et al. 2021, Primer), with its
// gradient, the check of that gradient, and its place among the others.

#include <cstdio>
#include <cstdlib>
#include <minnow/minnow.hpp>

namespace mine {

using namespace minnow;

struct SquaredRelu {
  using Attrs = NoAttrs;  // it has no options
  static constexpr OpDoc kDoc{"squared_relu", "squared_relu(x) -> y", "y = max(x, 0)^2", "So et al. 2021, Primer"};
  static constexpr Saves kSaves{.inputs = 0b1};  // backward reads x

  static Inferred infer(Specs specs, const Attrs&) {
    if (!is_floating(specs[0].dtype)) throw ShapeError("[squared_relu] x must be f32 or f64; got " + specs[0].str());
    return {{specs[0]}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs&) {
    const T* x = c.inputs[0].data<T>();
    T* y = c.outputs[0].mutable_data<T>();
    parallel_ranges(c.inputs[0].numel(), 4096, [&](Index begin, Index end, Index) {
      for (Index i = begin; i < end; ++i) y[i] = x[i] > 0 ? x[i] * x[i] : T{0};
    });
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs&) {
    const T* x = c.inputs[0].data<T>();
    const T* dout = c.douts[0].data<T>();
    T* dx = c.dins[0].mutable_data<T>();
    parallel_ranges(c.dins[0].numel(), 4096, [&](Index begin, Index end, Index) {
      for (Index i = begin; i < end; ++i) dx[i] = x[i] > 0 ? 2 * x[i] * dout[i] : T{0};
    });
  }

  // Example calls: the operation's benchmark and the library's generated tests run on them.
  static std::vector<Sample> samples() {
    return {{.note = "either side", .inputs = {Tensor::from(std::vector<double>{-2, -0.5, 0.25, 1, 3}, {5})}},
            {.note = "ids", .inputs = {Tensor::zeros({2}, DType::i64)}, .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs&) {
    const auto n = static_cast<double>(specs[0].shape.numel());
    return {2 * n, 2 * n * static_cast<double>(size_of(specs[0].dtype))};
  }
};

constinit const Op op_squared_relu = make_op<SquaredRelu>();

Tensor squared_relu(const Tensor& x) { return apply_one(op_squared_relu, {x}, NoAttrs{}); }

}  // namespace mine

int main() {
  using namespace minnow;
  register_op(mine::op_squared_relu);
  const Op* found = find_op("squared_relu");
  std::printf("%zu operations, mine among them: %s\n", all_ops().size(), found != nullptr ? "yes" : "no");

  bool right = found == &mine::op_squared_relu;
  for (const Sample& sample : mine::SquaredRelu::samples()) {
    if (!sample.valid) continue;
    const GradientCheck worst =
        check_gradient([](std::span<const Tensor> in) { return mine::squared_relu(in[0]); }, sample.inputs);
    std::printf("gradient of \"%s\": %s\n", sample.note.c_str(), worst.str().c_str());
    right = right && worst.relative < 1e-6;
  }

  // It goes together with every other operation.
  const Tensor x = set_requires_grad(Tensor::from(std::vector<float>{-1, 2, 3}, {3}));
  backward(sum(mine::squared_relu(x) * 0.5));
  const std::vector<float> slopes = grad(x).to_vector<float>();
  std::printf("slopes of sum(squared_relu(x) / 2) at -1, 2, 3: %g %g %g\n", static_cast<double>(slopes[0]),
              static_cast<double>(slopes[1]), static_cast<double>(slopes[2]));
  return right && slopes == std::vector<float>{0, 2, 3} ? EXIT_SUCCESS : EXIT_FAILURE;
}
