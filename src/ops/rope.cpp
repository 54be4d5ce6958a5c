#include <fmt/format.h>

#include <cmath>

#include "minnow/base/error.hpp"
#include "minnow/ops/position.hpp"
#include "ops/check.hpp"
#include "ops/ids.hpp"
#include "ops/samples.hpp"
#include "tensor/strided.hpp"

namespace minnow {
namespace ops {
namespace {

/// Where the rows of a (..., T, D) tensor begin, numbered in row-major order.
class Rows {
 public:
  Rows(const Shape& shape, const Shape& strides) : loop_(without_last(shape), {without_last(strides)}) {}
  [[nodiscard]] Index offset(Index row) const {
    return loop_.row_offset(0, row / loop_.inner()) + row % loop_.inner() * loop_.inner_stride(0);
  }

 private:
  static Shape without_last(const Shape& from) {
    return Shape(std::span(from.begin(), static_cast<std::size_t>(from.rank() - 1)));
  }
  StridedLoop<1> loop_;
};

/// Turns one row by the angles whose cosines and sines are given; `turn` is -1 to turn back.
template <class T>
void turn_row(T* y, const T* x, const T* cosine, const T* sine, Index half, RopePairs pairs, T turn) {
  if (pairs == RopePairs::kHalves) {
    for (Index i = 0; i < half; ++i) {
      const T a = x[i];
      const T b = x[i + half];
      y[i] = a * cosine[i] - b * (turn * sine[i]);
      y[i + half] = b * cosine[i] + a * (turn * sine[i]);
    }
    return;
  }
  for (Index i = 0; i < half; ++i) {
    const T a = x[2 * i];
    const T b = x[2 * i + 1];
    y[2 * i] = a * cosine[i] - b * (turn * sine[i]);
    y[2 * i + 1] = b * cosine[i] + a * (turn * sine[i]);
  }
}

struct Rope {
  using Attrs = RopeOptions;
  static constexpr OpDoc kDoc{"rope", "rope(x, positions, options) -> y",
                              "(a, b) -> (a cos - b sin, b cos + a sin) for each pair of channels, turned by "
                              "position * theta^(-2i / rotary_dim)",
                              "Su et al. 2021, RoFormer"};
  static constexpr Saves kSaves{};  // aux: cosines and sines, a row for each position
  static constexpr bool kStrided = true;

  static Index turned(const Shape& x, const Attrs& attrs) {
    return attrs.rotary_dim == 0 ? x.back() : attrs.rotary_dim;
  }

  static Inferred infer(Specs specs, const Attrs& attrs) {
    check_floating("rope", specs[0]);
    check_ids("rope", specs[1]);
    const Shape& x = specs[0].shape;
    const Shape& positions = specs[1].shape;
    const bool shared = x.rank() >= 2 && positions == Shape{x[x.rank() - 2]};
    const bool each = x.rank() >= 3 && positions == Shape{x[0], x[x.rank() - 2]};
    if (!shared && !each) {
      throw ShapeError(fmt::format("[rope] x must be (..., T, D) and positions (T) or (B, T); got {} and {}", x.str(),
                                   positions.str()));
    }
    const Index rotary = turned(x, attrs);
    if (rotary < 0 || rotary % 2 != 0 || rotary > x.back()) {
      throw ShapeError(fmt::format("[rope] rotary_dim must be even and at most {}; got {}", x.back(), rotary));
    }
    if (!(attrs.theta > 0)) throw ShapeError(fmt::format("[rope] theta must be above 0; got {}", attrs.theta));
    const TensorSpec table{{specs[1].shape.numel(), rotary / 2}, specs[0].dtype};
    return {{specs[0]}, {table, table}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    fill_tables<T>(c, attrs);
    const Tensor& x = c.inputs[0];
    turn<T>(c.outputs[0], x.strides().back() == 1 || x.size(-1) == 1 ? x : x.contiguous(), c.aux, attrs, T{1});
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    turn<T>(c.dins[0], c.douts[0], c.aux, attrs, T{-1});
  }

  static std::vector<Sample> samples() {
    const auto with = [](RopePairs pairs, Index rotary, double theta = 10000) {
      return AttrBox::of(Attrs{pairs, theta, rotary});
    };
    const Tensor x = sample_numbers({2, 3, 5, 8}, -1, 1);
    const Tensor five = Tensor::from(std::vector<std::int64_t>{0, 1, 2, 3, 4}, {5});
    const Tensor late = Tensor::from(std::vector<std::int32_t>{7, 1000, 3, 3, 250}, {5});
    return {
        {.note = "halves", .inputs = {x, five}, .attrs = with(RopePairs::kHalves, 0)},
        {.note = "interleaved", .inputs = {x, five}, .attrs = with(RopePairs::kInterleaved, 0)},
        {.note = "some channels, i32", .inputs = {x, late}, .attrs = with(RopePairs::kHalves, 4, 500000)},
        {.note = "some interleaved", .inputs = {x, late}, .attrs = with(RopePairs::kInterleaved, 6)},
        {.note = "positions per sequence",
         .inputs = {x, sample_ids({2, 5}, 0, 90)},
         .attrs = with(RopePairs::kHalves, 0)},
        {.note = "two axes", .inputs = {sample_numbers({5, 2}, -1, 1), five}, .attrs = with(RopePairs::kHalves, 0)},
        {.note = "many rows",
         .inputs = {sample_numbers({3, 4, 80, 32}, -1, 1), sample_ids({80}, 0, 2000)},
         .attrs = with(RopePairs::kHalves, 0)},
        {.note = "no rows", .inputs = {sample_numbers({0, 5, 4}, -1, 1), five}, .attrs = with(RopePairs::kHalves, 0)},
        {.note = "odd", .inputs = {x, five}, .attrs = with(RopePairs::kHalves, 3), .valid = false},
        {.note = "too wide", .inputs = {x, five}, .attrs = with(RopePairs::kHalves, 10), .valid = false},
        {.note = "too few positions",
         .inputs = {x, sample_ids({4}, 0, 9)},
         .attrs = with(RopePairs::kHalves, 0),
         .valid = false},
        {.note = "numbers for positions",
         .inputs = {x, sample_numbers({5}, 0, 9)},
         .attrs = with(RopePairs::kHalves, 0),
         .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs&) {
    const auto n = static_cast<double>(specs[0].shape.numel());
    return {3 * n, 2 * n * static_cast<double>(size_of(specs[0].dtype))};
  }

 private:
  template <class T>
  static void fill_tables(const ForwardContext& c, const Attrs& attrs) {
    const Index half = c.aux[0].size(1);
    T* cosine = c.aux[0].mutable_data<T>();
    T* sine = c.aux[1].mutable_data<T>();
    const Tensor positions = c.inputs[1].contiguous();
    std::vector<double> steps(static_cast<std::size_t>(half));
    for (Index i = 0; i < half; ++i) {
      steps[static_cast<std::size_t>(i)] = std::pow(attrs.theta, -static_cast<double>(i) / static_cast<double>(half));
    }
    with_ids(positions, [&](const auto* at) {
      parallel_ranges(positions.numel(), 64, [&](Index begin, Index end, Index) {
        for (Index row = begin; row < end; ++row) {
          for (Index i = 0; i < half; ++i) {
            const double angle = static_cast<double>(at[row]) * steps[static_cast<std::size_t>(i)];
            cosine[row * half + i] = static_cast<T>(std::cos(angle));
            sine[row * half + i] = static_cast<T>(std::sin(angle));
          }
        }
      });
    });
  }

  /// y (contiguous) = x turned; x's rows have unit stride.
  template <class T>
  static void turn(Tensor y, const Tensor& x, std::span<const Tensor> tables, const Attrs& attrs, T direction) {
    if (x.numel() == 0) return;
    const Index width = x.size(-1);
    const Index time = x.size(-2);
    const Index half = tables[0].size(1);
    const Index rows = x.numel() / width;
    const Index rows_per_sequence = tables[0].size(0) == time ? rows : rows / x.size(0);
    const T* cosine = tables[0].data<T>();
    const T* sine = tables[1].data<T>();
    const T* from = x.data<T>();
    T* to = y.mutable_data<T>();
    const Rows place(x.shape(), x.strides());
    parallel_ranges(rows, std::max<Index>(1, 8192 / width), [&](Index begin, Index end, Index) {
      for (Index row = begin; row < end; ++row) {
        const T* in = from + place.offset(row);
        T* out = to + row * width;
        const Index at = (row / rows_per_sequence * time + row % time) * half;
        turn_row(out, in, cosine + at, sine + at, half, attrs.pairs, direction);
        std::copy(in + 2 * half, in + width, out + 2 * half);
      }
    });
  }
};

}  // namespace
MINNOW_OP(rope, Rope);
}  // namespace ops

Tensor rope(const Tensor& x, const Tensor& positions, const RopeOptions& options) {
  return apply_one(ops::op_rope, {x, positions}, options);
}

}  // namespace minnow
