#include "minnow/ops/shape.hpp"
#include "ops/indexed_lines.hpp"
#include "ops/pieces.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct IndexSelect {
  struct Attrs {
    Index axis = 0;
  };
  static constexpr OpDoc kDoc{"index_select", "index_select(x, axis, index) -> y",
                              "y[i, j, k] = x[i, index[j], k] for axis 1", "PyTorch index_select; NumPy take"};
  static constexpr Saves kSaves{.inputs = 0b10};

  static Inferred infer(Specs specs, const Attrs& attrs) {
    check_floating("index_select", specs[0]);
    check_ids("index_select", specs[1]);
    TensorSpec y = specs[0];
    const Index axis = y.shape.axis(attrs.axis, "index_select");
    if (specs[1].shape.rank() != 1) {
      throw ShapeError(fmt::format("[index_select] the index must have one axis; got {}", specs[1].shape.str()));
    }
    y.shape[axis] = specs[1].shape[0];
    return {{y}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const Index axis = c.inputs[0].shape().axis(attrs.axis, "index_select");
    check_places("index_select", c.inputs[1], c.inputs[0].size(axis));
    const AroundAxis from(c.inputs[0].shape(), axis);
    const Index count = c.inputs[1].numel();
    const T* x = c.inputs[0].data<T>();
    T* y = c.outputs[0].mutable_data<T>();
    if (c.outputs[0].numel() == 0) return;
    with_ids(c.inputs[1], [&](const auto* ids) {
      parallel_ranges(from.outer * count, std::max<Index>(1, 8192 / from.inner), [&](Index begin, Index end, Index) {
        for (Index row = begin; row < end; ++row) {
          const Index source = row / count * from.n + static_cast<Index>(ids[row % count]);
          std::copy_n(x + source * from.inner, from.inner, y + row * from.inner);
        }
      });
    });
  }

  /// Columns of `inner` are cut, not the index: rows that are chosen twice are added by one thread, in order.
  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    if (!c.wants(0)) return;
    const AroundAxis to(c.specs[0].shape, c.specs[0].shape.axis(attrs.axis, "index_select"));
    const Index count = c.inputs[1].numel();
    c.dins[0].fill(0);
    T* dx = c.dins[0].mutable_data<T>();
    const T* dout = c.douts[0].data<T>();
    constexpr Index kColumns = 256;
    const Index blocks = (to.inner + kColumns - 1) / kColumns;
    with_ids(c.inputs[1], [&](const auto* ids) {
      parallel_chunks(to.outer * blocks, [&](Index unit) {
        const Index outer = unit / blocks;
        const Index first = unit % blocks * kColumns;
        const Index n = std::min(kColumns, to.inner - first);
        for (Index j = 0; j < count; ++j) {
          T* sum = dx + (outer * to.n + static_cast<Index>(ids[j])) * to.inner + first;
          const T* row = dout + (outer * count + j) * to.inner + first;
          for (Index k = 0; k < n; ++k) sum[k] += row[k];
        }
      });
    });
  }

  static std::vector<Sample> samples() {
    const auto along = [](Index axis) { return AttrBox::of(Attrs{axis}); };
    const Tensor x = sample_numbers({3, 4, 5}, -1, 1);
    return {{.note = "middle, repeated", .inputs = {x, sample_ids({7}, 0, 4)}, .attrs = along(1)},
            {.note = "last, i32", .inputs = {x, sample_ids({2}, 0, 5).to(DType::i32)}, .attrs = along(-1)},
            {.note = "first", .inputs = {x, sample_ids({4}, 0, 3)}, .attrs = along(0)},
            {.note = "nothing", .inputs = {x, sample_ids({0}, 0, 4)}, .attrs = along(1)},
            {.note = "large", .inputs = {sample_numbers({50, 600}, -1, 1), sample_ids({70}, 0, 50)}, .attrs = along(0)},
            {.note = "too large", .inputs = {x, Tensor::full({2}, 4, DType::i64)}, .attrs = along(1), .valid = false},
            {.note = "negative", .inputs = {x, Tensor::full({2}, -1, DType::i64)}, .attrs = along(1), .valid = false},
            {.note = "two axes", .inputs = {x, sample_ids({2, 2}, 0, 4)}, .attrs = along(1), .valid = false},
            {.note = "no such axis", .inputs = {x, sample_ids({2}, 0, 3)}, .attrs = along(3), .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs& attrs) { return moving_cost(infer(specs, attrs).outputs[0]); }
};

}  // namespace
MINNOW_OP(index_select, IndexSelect);
}  // namespace ops

Tensor index_select(const Tensor& x, Index axis, const Tensor& index) {
  return apply_one(ops::op_index_select, {x, index}, ops::IndexSelect::Attrs{axis});
}

}  // namespace minnow
