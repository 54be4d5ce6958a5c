#include <array>
#include <limits>

#include "minnow/io/safetensors.hpp"

namespace minnow {

namespace {

struct DtypeRow {
  std::string_view name;
  unsigned bits;
};

// In the order of FileDtype, which is the order in which the reference sorts tensors (last first).
constexpr std::array<DtypeRow, 22> kDtypes{
    {{"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},          {"I8", 8},
     {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
     {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32},        {"F32", 32},
     {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64}}};

}  // namespace

unsigned dtype_bits(FileDtype dtype) { return kDtypes.at(static_cast<std::size_t>(dtype)).bits; }

std::string_view dtype_name(FileDtype dtype) { return kDtypes.at(static_cast<std::size_t>(dtype)).name; }

std::optional<FileDtype> dtype_from_name(std::string_view name) {
  for (std::size_t row = 0; row < kDtypes.size(); ++row) {
    if (kDtypes[row].name == name) return static_cast<FileDtype>(row);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> tensor_bytes(FileDtype dtype, std::span<const std::int64_t> shape) {
  std::uint64_t bits = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(bits, static_cast<std::uint64_t>(size), &bits)) return std::nullopt;
  }
  if (__builtin_mul_overflow(bits, std::uint64_t{dtype_bits(dtype)}, &bits) || bits % 8 != 0) return std::nullopt;
  return bits / 8;
}

}  // namespace minnow
