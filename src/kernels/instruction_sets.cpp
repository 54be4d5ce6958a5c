#include "minnow/kernels/instruction_sets.hpp"

#include <array>

#include "hwy/highway.h"

namespace minnow::kernels {
namespace {

constexpr int kTargetBits = 63;  // Highway's targets are single bits, better ones lower

struct Table {
  std::array<InstructionSet, kTargetBits> rows;
  std::size_t count = 0;
};

/// Highway's name, but where the processor's makers call it otherwise.
std::string_view name_of(std::int64_t target) {
  if (target == HWY_AVX3) return "AVX-512";
  if (target == HWY_SCALAR || target == HWY_EMU128) return "scalar";
  return hwy::TargetName(target);
}

Table make_table() {
  Table table;
  const std::int64_t supported = hwy::SupportedTargets();
  bool found = false;
  for (int bit = 0; bit < kTargetBits; ++bit) {
    const std::int64_t target = std::int64_t{1} << bit;
    if ((HWY_TARGETS & target) == 0) continue;
    const bool here = (supported & target) != 0;
    table.rows[table.count++] = {name_of(target), here, here && !found};
    found = found || here;
  }
  return table;
}

}  // namespace

std::span<const InstructionSet> instruction_sets() {
  static const Table kTable = make_table();
  return {kTable.rows.data(), kTable.count};
}

}  // namespace minnow::kernels
