#include "minnow/ops/shape.hpp"
#include "ops/check.hpp"
#include "ops/pieces.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

/// y[j] = sum of x[0 .. j] along the middle one of three axes, or of x[j ..] when `reverse`; sums in f64.
template <class T>
void running_sums(T* y, const T* x, const AroundAxis& sizes, bool reverse) {
  constexpr Index kColumns = 64;
  const Index blocks = (sizes.inner + kColumns - 1) / kColumns;
  parallel_chunks(sizes.outer * blocks, [&](Index unit) {
    const Index first = unit / blocks * sizes.n * sizes.inner + unit % blocks * kColumns;
    const Index columns = std::min(kColumns, sizes.inner - unit % blocks * kColumns);
    double sums[kColumns] = {};
    for (Index j = 0; j < sizes.n; ++j) {
      const Index at = first + (reverse ? sizes.n - 1 - j : j) * sizes.inner;
      for (Index k = 0; k < columns; ++k) {
        sums[k] += static_cast<double>(x[at + k]);
        y[at + k] = static_cast<T>(sums[k]);
      }
    }
  });
}

struct Cumsum {
  struct Attrs {
    Index axis = 0;
  };
  static constexpr OpDoc kDoc{"cumsum", "cumsum(x, axis) -> y", "y[j] = x[0] + ... + x[j] along an axis",
                              "NumPy cumsum"};
  static constexpr Saves kSaves{};

  static Inferred infer(Specs specs, const Attrs& attrs) {
    check_floating("cumsum", specs[0]);
    (void)specs[0].shape.axis(attrs.axis, "cumsum");
    return {{specs[0]}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const Shape& shape = c.inputs[0].shape();
    running_sums(c.outputs[0].mutable_data<T>(), c.inputs[0].data<T>(),
                 AroundAxis(shape, shape.axis(attrs.axis, "cumsum")), false);
  }
  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    const Shape& shape = c.specs[0].shape;
    running_sums(c.dins[0].mutable_data<T>(), c.douts[0].data<T>(), AroundAxis(shape, shape.axis(attrs.axis, "cumsum")),
                 true);
  }

  static std::vector<Sample> samples() {
    const auto along = [](Index axis) { return AttrBox::of(Attrs{axis}); };
    const Tensor x = sample_numbers({3, 4, 5}, -1, 1);
    return {{.note = "first", .inputs = {x}, .attrs = along(0)},
            {.note = "middle", .inputs = {x}, .attrs = along(1)},
            {.note = "last", .inputs = {x}, .attrs = along(-1)},
            {.note = "empty", .inputs = {sample_numbers({2, 0}, 0, 1)}, .attrs = along(1)},
            {.note = "wide", .inputs = {sample_numbers({40, 300}, -1, 1)}, .attrs = along(0)},
            {.note = "no such axis", .inputs = {x}, .attrs = along(3), .valid = false},
            {.note = "ids", .inputs = {sample_ids({3}, 0, 4)}, .attrs = along(0), .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs&) {
    Cost all = moving_cost(specs[0]);
    all.flops = static_cast<double>(specs[0].shape.numel());
    return all;
  }
};

}  // namespace
MINNOW_OP(cumsum, Cumsum);
}  // namespace ops

Tensor cumsum(const Tensor& x, Index axis) { return apply_one(ops::op_cumsum, {x}, ops::Cumsum::Attrs{axis}); }

}  // namespace minnow
