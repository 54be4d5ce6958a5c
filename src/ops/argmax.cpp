#include "minnow/ops/reduction.hpp"
#include "ops/largest.hpp"

namespace minnow {
namespace ops {
namespace {

struct Argmax {
  using Attrs = LargestAttrs;
  static constexpr OpDoc kDoc{"argmax", "argmax(x, axis, keepdim) -> index",
                              "index of the first largest element along the axis", "NumPy argmax"};
  static constexpr bool kStrided = true;

  static Inferred infer(Specs specs, const Attrs& attrs) {
    return {{{split_one_axis("argmax", specs[0], attrs).result, DType::i64}}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const AxisSplit split = split_one_axis("argmax", c.inputs[0].spec(), attrs);
    const Tensor rows = split.permuted(c.inputs[0]).contiguous();
    const T* x = rows.data<T>();
    auto* index = c.outputs[0].mutable_data<std::int64_t>();
    parallel_ranges(c.outputs[0].numel(), 64, [&](Index begin, Index end, Index) {
      for (Index row = begin; row < end; ++row) index[row] = index_of_largest(x + row * split.width, split.width);
    });
  }

  static Cost cost(Specs specs, const Attrs&) { return reduction_cost(specs); }
  static std::vector<Sample> samples() { return largest_samples(); }
};

}  // namespace
MINNOW_OP(argmax, Argmax);
}  // namespace ops

Tensor argmax(const Tensor& x, Index axis, bool keepdim) {
  return apply_one(ops::op_argmax, {x}, ops::LargestAttrs{axis, keepdim});
}

}  // namespace minnow
