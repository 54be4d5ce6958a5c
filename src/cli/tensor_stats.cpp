#include "cli/tensor_stats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace minnow::cli {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20U;  // a multiple of every element's size

template <class T>
T load(std::span<const std::byte> bytes, std::size_t index) {
  T value{};
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

float from_bf16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U); }

/// IEEE 754 binary16: sign, 5 bits of exponent with bias 15, 10 of fraction.
float from_f16(std::uint16_t bits) {
  const int exponent = bits >> 10U & 0x1FU;
  const auto fraction = static_cast<float>(bits & 0x3FFU);
  float size = 0;
  if (exponent == 0x1F) {
    size = fraction == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  } else {
    size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024.F + fraction, exponent - 25);
  }
  return (bits & 0x8000U) != 0 ? -size : size;
}

/// Calls `use(value)` with the element in its own type (F16 and BF16 as float). @return what it returns
template <class Use>
auto with_value(FileDtype dtype, std::span<const std::byte> bytes, std::size_t i, const Use& use) {
  switch (dtype) {
    case FileDtype::kBool:
      return use(load<std::uint8_t>(bytes, i) != 0);
    case FileDtype::kU8:
      return use(load<std::uint8_t>(bytes, i));
    case FileDtype::kI8:
      return use(load<std::int8_t>(bytes, i));
    case FileDtype::kI16:
      return use(load<std::int16_t>(bytes, i));
    case FileDtype::kU16:
      return use(load<std::uint16_t>(bytes, i));
    case FileDtype::kF16:
      return use(from_f16(load<std::uint16_t>(bytes, i)));
    case FileDtype::kBf16:
      return use(from_bf16(load<std::uint16_t>(bytes, i)));
    case FileDtype::kI32:
      return use(load<std::int32_t>(bytes, i));
    case FileDtype::kU32:
      return use(load<std::uint32_t>(bytes, i));
    case FileDtype::kF32:
      return use(load<float>(bytes, i));
    case FileDtype::kF64:
      return use(load<double>(bytes, i));
    case FileDtype::kI64:
      return use(load<std::int64_t>(bytes, i));
    case FileDtype::kU64:
      return use(load<std::uint64_t>(bytes, i));
    default:
      return use(std::numeric_limits<double>::quiet_NaN());
  }
}

/// @param pieces calls what it is given for each piece of the bytes; run twice
template <class Pieces>
std::optional<TensorStats> stats_of(FileDtype dtype, const Pieces& pieces) {
  if (!readable(dtype)) return std::nullopt;
  const auto each = [&](const auto& use) {
    pieces([&](std::span<const std::byte> bytes) {
      const std::size_t count = bytes.size() * 8 / dtype_bits(dtype);
      for (std::size_t i = 0; i < count; ++i) use(value_at(dtype, bytes, i));
    });
  };
  TensorStats stats;
  stats.min = std::numeric_limits<double>::infinity();
  stats.max = -stats.min;
  double sum = 0;
  each([&](double value) {
    if (!std::isfinite(value)) {
      ++stats.not_finite;
      return;
    }
    ++stats.finite;
    stats.min = std::min(stats.min, value);
    stats.max = std::max(stats.max, value);
    sum += value;
  });
  if (stats.finite == 0) return TensorStats{.not_finite = stats.not_finite};
  stats.mean = sum / static_cast<double>(stats.finite);
  double squares = 0;
  each([&](double value) {
    if (std::isfinite(value)) squares += (value - stats.mean) * (value - stats.mean);
  });
  stats.std = std::sqrt(squares / static_cast<double>(stats.finite));
  return stats;
}

}  // namespace

bool readable(FileDtype dtype) {
  switch (dtype) {
    case FileDtype::kF4:
    case FileDtype::kF6E2m3:
    case FileDtype::kF6E3m2:
    case FileDtype::kF8E5m2:
    case FileDtype::kF8E4m3:
    case FileDtype::kF8E8m0:
    case FileDtype::kF8E4m3Fnuz:
    case FileDtype::kF8E5m2Fnuz:
    case FileDtype::kC64:
      return false;
    default:
      return true;
  }
}

double value_at(FileDtype dtype, std::span<const std::byte> bytes, std::size_t index) {
  return with_value(dtype, bytes, index, [](auto value) { return static_cast<double>(value); });
}

std::string text_at(FileDtype dtype, std::span<const std::byte> bytes, std::size_t index) {
  return with_value(dtype, bytes, index, [](auto value) {
    if constexpr (sizeof(value) == 1 && !std::is_same_v<decltype(value), bool>) {
      return fmt::format("{}", static_cast<int>(value));  // a number, not a character
    } else {
      return fmt::format("{}", value);
    }
  });
}

void for_each_piece(const SafetensorsFile& file, const TensorEntry& entry, std::uint64_t bytes,
                    const std::function<void(std::span<const std::byte>)>& use) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(bytes, kPieceBytes)));
  for (std::uint64_t done = 0; done < bytes; done += buffer.size()) {
    const auto piece = std::span(buffer).first(static_cast<std::size_t>(std::min(bytes - done, kPieceBytes)));
    file.read_part(entry, done, piece);
    use(piece);
  }
}

std::optional<TensorStats> tensor_stats(const SafetensorsFile& file, const TensorEntry& entry) {
  return stats_of(entry.dtype, [&](const auto& use) { for_each_piece(file, entry, entry.bytes(), use); });
}

std::optional<TensorStats> tensor_stats(FileDtype dtype, std::span<const std::byte> bytes) {
  return stats_of(dtype, [&](const auto& use) { use(bytes); });
}

std::int64_t element_count(std::span<const std::int64_t> shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

}  // namespace minnow::cli
