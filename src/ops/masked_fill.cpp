#include <fmt/format.h>

#include "minnow/ops/shape.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct MaskedFill {
  struct Attrs {
    double value = 0;
  };
  static constexpr OpDoc kDoc{"masked_fill", "masked_fill(x, mask, value) -> y", "y = value where mask is true, else x",
                              "PyTorch masked_fill"};
  static constexpr Saves kSaves{.inputs = 0b10};
  static constexpr bool kStrided = true;

  static Inferred infer(Specs specs, const Attrs&) {
    check_floating("masked_fill", specs[0]);
    if (specs[1].dtype != DType::boolean ||
        broadcast(specs[0].shape, specs[1].shape, "masked_fill") != specs[0].shape) {
      throw ShapeError(fmt::format("[masked_fill] the mask must be bool and broadcast to x; got {} for {}",
                                   specs[1].str(), specs[0].str()));
    }
    return {{specs[0]}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const T value = static_cast<T>(attrs.value);
    run_binary_as<T, bool, T>(c.inputs[0], c.inputs[1], c.outputs[0],
                              [value](T x, bool masked) { return masked ? value : x; });
  }
  template <class T>
  static void backward(const BackwardContext& c, const Attrs&) {
    if (!c.wants(0)) return;
    run_binary_as<T, bool, T>(c.douts[0], c.inputs[1], c.dins[0],
                              [](T dout, bool masked) { return masked ? T{0} : dout; });
  }

  static std::vector<Sample> samples() {
    const Tensor x = sample_numbers({3, 4, 5}, -1, 1);
    const auto with = [](double value) { return AttrBox::of(Attrs{value}); };
    return {{.note = "column", .inputs = {x, sample_mask({4, 1}, 0.5)}, .attrs = with(-1e9)},
            {.note = "all of it", .inputs = {x, sample_mask({3, 4, 5}, 0.3)}, .attrs = with(2)},
            {.note = "one flag", .inputs = {x, Tensor::full({}, 1, DType::boolean)}, .attrs = with(0)},
            {.note = "large", .inputs = {sample_numbers({90, 300}, -1, 1), sample_mask({300}, 0.5)}, .attrs = with(1)},
            {.note = "empty", .inputs = {sample_numbers({0, 3}, 0, 1), sample_mask({3}, 0.5)}, .attrs = with(1)},
            {.note = "a mask larger than x",
             .inputs = {sample_numbers({3}, 0, 1), sample_mask({2, 3}, 0.5)},
             .attrs = with(1),
             .valid = false},
            {.note = "numbers for a mask", .inputs = {x, x}, .attrs = with(1), .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs&) {
    const auto n = static_cast<double>(specs[0].shape.numel());
    return {n, n * (1 + 2 * static_cast<double>(size_of(specs[0].dtype)))};
  }
};

}  // namespace
MINNOW_OP(masked_fill, MaskedFill);
}  // namespace ops

Tensor masked_fill(const Tensor& x, const Tensor& mask, double value) {
  return apply_one(ops::op_masked_fill, {x, mask}, ops::MaskedFill::Attrs{value});
}

}  // namespace minnow
