#include "tensor/convert.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "minnow/kernels/convert.hpp"
#include "tensor/strided.hpp"

namespace minnow {
namespace {

constexpr Index kElementsPerChunk = 1 << 15;

/// @return the nearest whole number towards 0 that `To` has; 0 for NaN. The language leaves both open.
template <class To, class From>
To whole(From value) {
  if (std::isnan(value)) return 0;
  constexpr auto kEnd = -static_cast<From>(std::numeric_limits<To>::min());  // the first too large: a power of 2
  if (value >= kEnd) return std::numeric_limits<To>::max();
  if (value < -kEnd) return std::numeric_limits<To>::min();
  return static_cast<To>(value);
}

template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<From, BFloat16>) {
    return convert<To>(kernels::f32_from_bf16(value.bits));
  } else if constexpr (std::is_same_v<To, BFloat16>) {
    return BFloat16{kernels::bf16_from_f32(static_cast<float>(value))};
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return whole<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class From>
void convert_row(const From* from, Index from_stride, To* to, Index to_stride, Index count) {
  if constexpr (std::is_same_v<To, From>) {
    if (from_stride == 1 && to_stride == 1) {
      std::memcpy(static_cast<void*>(to), from, static_cast<std::size_t>(count) * sizeof(To));
      return;
    }
  }
  if (from_stride == 0 && to_stride == 1) {
    std::fill_n(to, count, convert<To>(*from));
    return;
  }
  for (Index i = 0; i < count; ++i) to[i * to_stride] = convert<To>(from[i * from_stride]);
}

template <class To, class From>
void convert_all(const Tensor& from, const Tensor& to) {
  const StridedLoop<2> loop(from.shape(), {from.strides(), to.strides()});
  const auto* source = reinterpret_cast<const From*>(from.raw());
  auto* target = reinterpret_cast<To*>(to.raw());
  const Index pieces = std::max<Index>(1, loop.inner() / kElementsPerChunk);  // long rows are cut
  const Index piece = (loop.inner() + pieces - 1) / pieces;
  const Index rows_per_chunk = std::max<Index>(1, kElementsPerChunk / std::max<Index>(1, loop.inner()));
  parallel_ranges(loop.outer() * pieces, rows_per_chunk, [&](Index begin, Index end, Index) {
    for (Index i = begin; i < end; ++i) {
      const Index row = i / pieces;
      const Index first = i % pieces * piece;
      const Index count = std::min(piece, loop.inner() - first);
      if (count <= 0) continue;
      convert_row(source + loop.row_offset(0, row) + first * loop.inner_stride(0), loop.inner_stride(0),
                  target + loop.row_offset(1, row) + first * loop.inner_stride(1), loop.inner_stride(1), count);
    }
  });
}

template <class From>
void convert_from(const Tensor& from, const Tensor& to) {
  switch (to.dtype()) {
    case DType::f32:
      return convert_all<float, From>(from, to);
    case DType::f64:
      return convert_all<double, From>(from, to);
    case DType::bf16:
      return convert_all<BFloat16, From>(from, to);
    case DType::i32:
      return convert_all<std::int32_t, From>(from, to);
    case DType::i64:
      return convert_all<std::int64_t, From>(from, to);
    case DType::boolean:
      return convert_all<bool, From>(from, to);
  }
}

}  // namespace

void convert_strided(const Tensor& from, const Tensor& to) {
  if (from.numel() == 0) return;
  switch (from.dtype()) {
    case DType::f32:
      return convert_from<float>(from, to);
    case DType::f64:
      return convert_from<double>(from, to);
    case DType::bf16:
      return convert_from<BFloat16>(from, to);
    case DType::i32:
      return convert_from<std::int32_t>(from, to);
    case DType::i64:
      return convert_from<std::int64_t>(from, to);
    case DType::boolean:
      return convert_from<bool>(from, to);
  }
}

}  // namespace minnow
