#include <fmt/format.h>

#include <array>
#include <cmath>

#include "minnow/base/error.hpp"
#include "minnow/ops/position.hpp"
#include "ops/check.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

/// From which places of the old axis a place of the new one is made, and with which weights (0 where fewer are needed).
struct Taps {
  std::array<Index, 4> at{};
  std::array<double, 4> weight{};
};

/// Keys' kernel with a = -0.75, at distance `x` from the sample.
double cubic(double x) {
  constexpr double kA = -0.75;
  x = std::abs(x);
  if (x <= 1) return ((kA + 2) * x - (kA + 3)) * x * x + 1;
  return x < 2 ? ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA : 0;
}

std::vector<Taps> taps_of(Index from, Index to, Interpolation mode) {
  std::vector<Taps> axis(static_cast<std::size_t>(to));
  const auto held = [&](Index i) { return std::clamp<Index>(i, 0, from - 1); };
  for (Index i = 0; i < to; ++i) {
    Taps& taps = axis[static_cast<std::size_t>(i)];
    double place = (static_cast<double>(i) + 0.5) * static_cast<double>(from) / static_cast<double>(to) - 0.5;
    if (mode == Interpolation::kBilinear) place = std::max(0.0, place);
    const double below = std::floor(place);
    const double share = place - below;
    const auto base = static_cast<Index>(below);
    if (mode == Interpolation::kBilinear) {
      taps.at = {held(base), held(base + 1), 0, 0};
      taps.weight = {1 - share, share, 0, 0};
      continue;
    }
    for (Index k = 0; k < 4; ++k) {
      taps.at[static_cast<std::size_t>(k)] = held(base + k - 1);
      taps.weight[static_cast<std::size_t>(k)] = cubic(share - static_cast<double>(k - 1));
    }
  }
  return axis;
}

struct InterpolatePosEmbed {
  using Attrs = GridResize;
  static constexpr OpDoc kDoc{"interpolate_pos_embed", "interpolate_pos_embed(table, resize) -> y",
                              "the grid behind the class tokens, read at (i + 0.5) old / new - 0.5 along each axis",
                              "Keys 1981, bicubic; Dosovitskiy et al. 2021, ViT"};
  static constexpr Saves kSaves{};

  static Inferred infer(Specs specs, const Attrs& attrs) {
    check_floating("interpolate_pos_embed", specs[0]);
    const Shape& table = specs[0].shape;
    constexpr const char* kWho = "interpolate_pos_embed";
    const bool sizes = attrs.old_height > 0 && attrs.old_width > 0 && attrs.new_height > 0 && attrs.new_width > 0 &&
                       attrs.cls_tokens >= 0;
    if (!sizes || table.rank() != 3 || table[0] != 1 ||
        table[1] != plus(kWho, attrs.cls_tokens, times(kWho, attrs.old_height, attrs.old_width))) {
      throw ShapeError(fmt::format(
          "[interpolate_pos_embed] the table must be (1, {} + {} * {}, C) and all sizes above 0; got {} for {} * {}",
          attrs.cls_tokens, attrs.old_height, attrs.old_width, table.str(), attrs.new_height, attrs.new_width));
    }
    const Index rows = plus(kWho, attrs.cls_tokens, times(kWho, attrs.new_height, attrs.new_width));
    return {{{{1, rows, table[2]}, specs[0].dtype}}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const Index width = c.inputs[0].size(2);
    const T* from = c.inputs[0].data<T>();
    T* to = c.outputs[0].mutable_data<T>();
    std::copy_n(from, attrs.cls_tokens * width, to);
    from += attrs.cls_tokens * width;
    to += attrs.cls_tokens * width;
    const std::vector<Taps> rows = taps_of(attrs.old_height, attrs.new_height, attrs.mode);
    const std::vector<Taps> columns = taps_of(attrs.old_width, attrs.new_width, attrs.mode);
    parallel_chunks(attrs.new_height, [&](Index i) {
      std::vector<double> sum(static_cast<std::size_t>(width));
      for (Index j = 0; j < attrs.new_width; ++j) {
        std::fill(sum.begin(), sum.end(), 0.0);
        for_each_tap(rows[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(j)], attrs.old_width,
                     [&](Index cell, double weight) {
                       for (Index k = 0; k < width; ++k) {
                         sum[static_cast<std::size_t>(k)] += weight * static_cast<double>(from[cell * width + k]);
                       }
                     });
        T* out = to + (i * attrs.new_width + j) * width;
        for (Index k = 0; k < width; ++k) out[k] = static_cast<T>(sum[static_cast<std::size_t>(k)]);
      }
    });
  }

  /// In chunks of channels, so that every sum has one owner; a table of positions is small.
  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    const Index width = c.specs[0].shape[2];
    const T* dout = c.douts[0].data<T>();
    T* dx = c.dins[0].mutable_data<T>();
    std::copy_n(dout, attrs.cls_tokens * width, dx);
    dout += attrs.cls_tokens * width;
    dx += attrs.cls_tokens * width;
    const std::vector<Taps> rows = taps_of(attrs.old_height, attrs.new_height, attrs.mode);
    const std::vector<Taps> columns = taps_of(attrs.old_width, attrs.new_width, attrs.mode);
    const Index cells = attrs.old_height * attrs.old_width;
    parallel_ranges(width, 32, [&](Index begin, Index end, Index) {
      const Index n = end - begin;
      std::vector<double> sums(static_cast<std::size_t>(cells * n), 0.0);
      for (Index i = 0; i < attrs.new_height; ++i) {
        for (Index j = 0; j < attrs.new_width; ++j) {
          const T* row = dout + (i * attrs.new_width + j) * width + begin;
          for_each_tap(rows[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(j)], attrs.old_width,
                       [&](Index cell, double weight) {
                         double* sum = sums.data() + cell * n;
                         for (Index k = 0; k < n; ++k) sum[k] += weight * static_cast<double>(row[k]);
                       });
        }
      }
      for (Index cell = 0; cell < cells; ++cell) {
        for (Index k = 0; k < n; ++k) {
          dx[cell * width + begin + k] = static_cast<T>(sums[static_cast<std::size_t>(cell * n + k)]);
        }
      }
    });
  }

  static std::vector<Sample> samples() {
    using enum Interpolation;
    const Tensor table = sample_numbers({1, 1 + 12, 5}, -1, 1);
    return {{.note = "bilinear, larger", .inputs = {table}, .attrs = AttrBox::of(Attrs{4, 3, 7, 5, kBilinear, 1})},
            {.note = "bilinear, smaller", .inputs = {table}, .attrs = AttrBox::of(Attrs{4, 3, 2, 1, kBilinear, 1})},
            {.note = "bicubic, larger", .inputs = {table}, .attrs = AttrBox::of(Attrs{4, 3, 7, 5, kBicubic, 1})},
            {.note = "bicubic, smaller", .inputs = {table}, .attrs = AttrBox::of(Attrs{3, 4, 1, 3, kBicubic, 1})},
            {.note = "no class token, wide",
             .inputs = {sample_numbers({1, 4, 70}, -1, 1)},
             .attrs = AttrBox::of(Attrs{2, 2, 3, 3, kBicubic, 0})},
            {.note = "another grid",
             .inputs = {table},
             .attrs = AttrBox::of(Attrs{4, 4, 7, 5, kBilinear, 1}),
             .valid = false},
            {.note = "to nothing",
             .inputs = {table},
             .attrs = AttrBox::of(Attrs{4, 3, 0, 5, kBilinear, 1}),
             .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs& attrs) {
    const auto width = static_cast<double>(specs[0].shape[2]);
    const auto cells = static_cast<double>(attrs.new_height * attrs.new_width);
    const double taps = attrs.mode == Interpolation::kBilinear ? 4 : 16;
    return {2 * taps * cells * width, (cells * width + static_cast<double>(specs[0].shape.numel())) *
                                          static_cast<double>(size_of(specs[0].dtype))};
  }

 private:
  template <class Body>
  static void for_each_tap(const Taps& row, const Taps& column, Index old_width, Body body) {
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < 4; ++b) {
        const double weight = row.weight[a] * column.weight[b];
        if (weight != 0) body(row.at[a] * old_width + column.at[b], weight);
      }
    }
  }
};

}  // namespace
MINNOW_OP(interpolate_pos_embed, InterpolatePosEmbed);
}  // namespace ops

Tensor interpolate_pos_embed(const Tensor& table, const GridResize& resize) {
  return apply_one(ops::op_interpolate_pos_embed, {table}, resize);
}

}  // namespace minnow
