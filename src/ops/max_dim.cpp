#include "minnow/ops/reduction.hpp"
#include "ops/largest.hpp"

namespace minnow {
namespace ops {
namespace {

struct MaxDim {
  using Attrs = LargestAttrs;
  static constexpr OpDoc kDoc{"max_dim", "max_dim(x, axis, keepdim) -> values, indices",
                              "the largest element along the axis, and the first index where it stands",
                              "PyTorch max over a dimension"};
  static constexpr bool kStrided = true;
  static constexpr Saves kSaves{.outputs = 0b10};

  static Inferred infer(Specs specs, const Attrs& attrs) {
    const Shape result = split_one_axis("max_dim", specs[0], attrs).result;
    return {{{result, specs[0].dtype}, {result, DType::i64}}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const AxisSplit split = split_one_axis("max_dim", c.inputs[0].spec(), attrs);
    const Tensor rows = split.permuted(c.inputs[0]).contiguous();
    const T* x = rows.data<T>();
    T* value = c.outputs[0].mutable_data<T>();
    auto* index = c.outputs[1].mutable_data<std::int64_t>();
    parallel_ranges(c.outputs[0].numel(), 64, [&](Index begin, Index end, Index) {
      for (Index row = begin; row < end; ++row) {
        index[row] = index_of_largest(x + row * split.width, split.width);
        value[row] = x[row * split.width + index[row]];
      }
    });
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    const AxisSplit split = split_one_axis("max_dim", c.specs[0], attrs);
    Tensor target = split.permuted(c.dins[0]);
    Tensor rows = Tensor::zeros(target.shape(), target.dtype());
    T* dx = rows.mutable_data<T>();
    const T* dout = c.douts[0].data<T>();
    const auto* index = c.outputs[1].data<std::int64_t>();
    for (Index row = 0; row < c.douts[0].numel(); ++row) dx[row * split.width + index[row]] = dout[row];
    target.copy_from(rows);
  }

  static Cost cost(Specs specs, const Attrs&) { return reduction_cost(specs); }
  static std::vector<Sample> samples() { return largest_samples(); }
};

}  // namespace
MINNOW_OP(max_dim, MaxDim);
}  // namespace ops

std::pair<Tensor, Tensor> max_dim(const Tensor& x, Index axis, bool keepdim) {
  std::vector<Tensor> results =
      apply(ops::op_max_dim, std::array<Tensor, 1>{x}, AttrBox::of(ops::LargestAttrs{axis, keepdim}));
  return {std::move(results[0]), std::move(results[1])};
}

}  // namespace minnow
