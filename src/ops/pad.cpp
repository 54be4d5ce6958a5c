#include "minnow/ops/shape.hpp"
#include "ops/check.hpp"
#include "ops/pieces.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct Pad {
  struct Attrs {
    std::vector<Index> widths;  ///< before and after the last axis, then the one before it, ...
    double value = 0;
  };
  static constexpr OpDoc kDoc{"pad", "pad(x, widths, value) -> y",
                              "x with elements of one value around it; widths = before and after of the last axis, "
                              "then of the one before it",
                              "PyTorch nn.functional.pad, mode constant"};
  static constexpr Saves kSaves{};
  static constexpr bool kStrided = true;

  static Inferred infer(Specs specs, const Attrs& attrs) {
    TensorSpec y = specs[0];
    const auto count = static_cast<Index>(attrs.widths.size());
    const bool negative = std::any_of(attrs.widths.begin(), attrs.widths.end(), [](Index width) { return width < 0; });
    if (count % 2 != 0 || count / 2 > y.shape.rank() || negative) {
      throw ShapeError(
          fmt::format("[pad] there must be two widths from 0 on for each of the last axes; got {} widths for {}. Hint: "
                      "slice() takes elements away",
                      count, y.str()));
    }
    for (Index i = 0; i < count; ++i) {
      Index& size = y.shape[y.shape.rank() - 1 - i / 2];
      size = plus("pad", size, attrs.widths[static_cast<std::size_t>(i)]);
    }
    return {{y}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    c.outputs[0].fill(attrs.value);
    inside(c.outputs[0], c.inputs[0].shape(), attrs).copy_from(c.inputs[0]);
  }
  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    c.dins[0].copy_from(inside(c.douts[0], c.specs[0].shape, attrs));
  }

  static std::vector<Sample> samples() {
    const auto with = [](std::vector<Index> widths, double value = 0) {
      return AttrBox::of(Attrs{std::move(widths), value});
    };
    const Tensor x = sample_numbers({3, 4, 5}, -1, 1);
    return {{.note = "two axes", .inputs = {x}, .attrs = with({1, 2, 0, 1}, 0.5)},
            {.note = "last axis", .inputs = {x}, .attrs = with({3, 0})},
            {.note = "nothing", .inputs = {x}, .attrs = with({})},
            {.note = "an empty one", .inputs = {sample_numbers({2, 0}, 0, 1)}, .attrs = with({1, 1}, 2)},
            {.note = "large", .inputs = {sample_numbers({90, 300}, -1, 1)}, .attrs = with({1, 1, 1, 1}, -1)},
            {.note = "odd", .inputs = {x}, .attrs = with({1}), .valid = false},
            {.note = "negative", .inputs = {x}, .attrs = with({1, -1}), .valid = false},
            {.note = "too many", .inputs = {x}, .attrs = with({1, 1, 1, 1, 1, 1, 1, 1}), .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs& attrs) { return moving_cost(infer(specs, attrs).outputs[0]); }

 private:
  /// @return the part of the padded tensor that x fills.
  static Tensor inside(const Tensor& padded, const Shape& x, const Attrs& attrs) {
    Index offset = padded.offset();
    for (std::size_t i = 0; i < attrs.widths.size(); i += 2) {
      offset += attrs.widths[i] * padded.strides()[x.rank() - 1 - static_cast<Index>(i) / 2];
    }
    return padded.as_strided(x, padded.strides(), offset);
  }
};

}  // namespace
MINNOW_OP(pad, Pad);
}  // namespace ops

Tensor pad(const Tensor& x, const std::vector<Index>& widths, double value) {
  return apply_one(ops::op_pad, {x}, ops::Pad::Attrs{widths, value});
}

}  // namespace minnow
