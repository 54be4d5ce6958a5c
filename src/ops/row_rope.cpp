#include <fmt/format.h>

#include "minnow/autograd/op.hpp"
#include "minnow/base/error.hpp"
#include "minnow/kernels/rope.hpp"
#include "minnow/ops/position.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct RowRope {
  struct Attrs {
    Index n_head = 1;
    RopePairs pairs = RopePairs::kHalves;
  };
  static constexpr OpDoc kDoc{"row_rope", "row_rope(x, table, n_head, pairs) -> y",
                              "rope of heads that lie side by side in (B, T, H D), angles from a table",
                              "Su et al. 2021, RoFormer"};
  static constexpr Saves kSaves{.inputs = 0b10};  // table

  static kernels::RopeShape shape_of(const Shape& x, const Shape& table, const Attrs& attrs) {
    return {.outer = x[0],
            .time = x[1],
            .inner = attrs.n_head,
            .head_dim = x[2] / attrs.n_head,
            .rotary_dim = table[1],
            .interleaved = attrs.pairs == RopePairs::kInterleaved};
  }

  static Inferred infer(Specs specs, const Attrs& attrs) {
    const Shape& x = specs[0].shape;
    const Shape& table = specs[1].shape;
    const bool fits = attrs.n_head >= 1 && x.rank() == 3 && x[2] % attrs.n_head == 0 && table.rank() == 2 &&
                      table[0] == x[1] && table[1] % 2 == 0 && table[1] <= x[2] / attrs.n_head;
    if (!fits) {
      throw ShapeError(fmt::format(
          "[row_rope] x must be (B, T, H D) and the table (T, R), R even and at most D; got {} and {} for {} heads",
          x.str(), table.str(), attrs.n_head));
    }
    return {{specs[0]}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    kernels::rope(c.outputs[0].mutable_data<T>(), c.inputs[0].data<T>(), c.inputs[1].data<T>(),
                  shape_of(c.inputs[0].shape(), c.inputs[1].shape(), attrs), false);
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    if (c.wants(1)) {
      throw ShapeError("[row_rope] the table must be a constant; it wants a gradient. Hint: detach it");
    }
    if (!c.wants(0)) return;
    kernels::rope(c.dins[0].mutable_data<T>(), c.douts[0].data<T>(), c.inputs[1].data<T>(),
                  shape_of(c.specs[0].shape, c.specs[1].shape, attrs), true);
  }

  static std::vector<Sample> samples() {
    std::vector<Sample> made;
    const auto call = [&](const char* note, const Shape& x, const Shape& table, const Attrs& attrs, bool valid = true) {
      made.push_back({.note = note,
                      .inputs = {sample_numbers(x, -1, 1, 1), sample_numbers(table, -1, 1, 2)},
                      .attrs = AttrBox::of(attrs),
                      .valid = valid,
                      .constant = {0, 1}});
    };
    const RopePairs near = RopePairs::kInterleaved;
    call("halves", {2, 5, 24}, {5, 8}, {.n_head = 3});
    call("neighbours", {2, 5, 24}, {5, 8}, {3, near});
    call("part of the channels", {1, 4, 22}, {4, 6}, {.n_head = 2});
    call("neighbours in part of the channels", {1, 4, 22}, {4, 6}, {2, near});
    call("odd vector lengths", {1, 3, 76}, {3, 38}, {2, near});
    call("more than a chunk", {3, 40, 128}, {40, 32}, {.n_head = 4});
    call("no channels turn", {2, 3, 4}, {3, 0}, {.n_head = 2});
    call("no rows", {0, 3, 4}, {3, 4}, {.n_head = 1});
    call("odd table", {2, 3, 4}, {3, 3}, {}, false);
    call("table too wide", {2, 3, 8}, {3, 6}, {.n_head = 2}, false);
    call("another time", {2, 3, 4}, {4, 4}, {}, false);
    call("heads do not divide", {2, 4, 8}, {4, 2}, {.n_head = 3}, false);
    return made;
  }

  static Cost cost(Specs specs, const Attrs&) {
    const auto n = static_cast<double>(specs[0].shape.numel());
    return {3 * n, 2 * n * static_cast<double>(size_of(specs[0].dtype))};
  }
};

}  // namespace
MINNOW_OP(row_rope, RowRope);
}  // namespace ops

Tensor row_rope(const Tensor& x, const Tensor& table, Index n_head, RopePairs pairs) {
  return apply_one(ops::op_row_rope, {x, table}, ops::RowRope::Attrs{n_head, pairs});
}

}  // namespace minnow
