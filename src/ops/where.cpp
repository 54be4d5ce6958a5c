#include <fmt/format.h>

#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Where {
  using Attrs = NoAttrs;
  static constexpr OpDoc kDoc{"where", "where(cond, a, b) -> y", "y = a where cond is true, else b", "NumPy where"};
  static constexpr Saves kSaves{.inputs = 0b001};
  static constexpr bool kStrided = true;

  static Inferred infer(Specs specs, const Attrs&) {
    if (specs[0].dtype != DType::boolean) {
      throw ShapeError(fmt::format("[where] cond must be bool; got {}", specs[0].str()));
    }
    check_floating("where", specs[1]);
    check_floating("where", specs[2]);
    const Shape values = broadcast(specs[1].shape, specs[2].shape, "where");
    return {{{broadcast(specs[0].shape, values, "where"), specs[1].dtype}}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs&) {
    const Tensor& y = c.outputs[0];
    const auto strides = [&](const Tensor& x) { return broadcast_strides(x.shape(), x.strides(), y.shape()); };
    const StridedLoop<4> loop(y.shape(),
                              {strides(c.inputs[0]), strides(c.inputs[1]), strides(c.inputs[2]), y.strides()});
    const bool* cond = c.inputs[0].data<bool>();
    const T* a = c.inputs[1].data<T>();
    const T* b = c.inputs[2].data<T>();
    T* to = c.outputs[0].mutable_data<T>();
    parallel_pieces(loop, [&](const std::array<Index, 4>& at, Index n) {
      for (Index k = 0; k < n; ++k) {
        to[at[3] + k] = cond[at[0] + k * loop.inner_stride(0)] ? a[at[1] + k * loop.inner_stride(1)]
                                                               : b[at[2] + k * loop.inner_stride(2)];
      }
    });
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs&) {
    for (std::size_t i : {1U, 2U}) {
      if (!c.wants(i)) continue;
      const bool chosen = i == 1;
      Tensor local = Tensor::empty(c.douts[0].shape(), c.douts[0].dtype());
      run_binary_as<bool, T, T>(c.inputs[0], c.douts[0], local,
                                [chosen](bool cond, T dout) { return cond == chosen ? dout : T{0}; });
      sum_to<T>(local, c.dins[i]);
    }
  }

  static std::vector<Sample> samples() {
    const AttrBox attrs = AttrBox::of(NoAttrs{});
    std::vector<Sample> made;
    struct Shapes {
      Shape cond, a, b;
    };
    for (const Shapes& s : {Shapes{{5}, {5}, {5}}, Shapes{{3, 1}, {2, 1, 4}, {}}, Shapes{{}, {3}, {2, 1}},
                            Shapes{{40, 500}, {40, 500}, {500}}, Shapes{{0, 2}, {2}, {0, 1}}}) {
      made.push_back(
          {.note = s.cond.str() + " " + s.a.str() + " " + s.b.str(),
           .inputs = {sample_mask(s.cond, 0.5), sample_numbers(s.a, -2, 2, 1), sample_numbers(s.b, -2, 2, 2)},
           .attrs = attrs});
    }
    made.push_back({.note = "sizes 3 and 4",
                    .inputs = {sample_mask({3}, 0.5), sample_numbers({4}, 0, 1), sample_numbers({4}, 0, 1)},
                    .attrs = attrs,
                    .valid = false});
    made.push_back({.note = "numbers as condition",
                    .inputs = {sample_numbers({4}, 0, 1), sample_numbers({4}, 0, 1), sample_numbers({4}, 0, 1)},
                    .attrs = attrs,
                    .valid = false});
    return made;
  }

  static Cost cost(Specs specs, const Attrs& attrs) {
    const auto n = static_cast<double>(infer(specs, attrs).outputs[0].shape.numel());
    return {n, n * (1 + 3 * static_cast<double>(size_of(specs[1].dtype)))};
  }
};

}  // namespace
MINNOW_OP(where, Where);
}  // namespace ops

Tensor where(const Tensor& cond, const Tensor& a, const Tensor& b) {
  return apply_one(ops::op_where, {cond, a, b}, NoAttrs{});
}

}  // namespace minnow
