#include "minnow/kernels/packed_matrix.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

#include "kernels/avx512_gemm.hpp"
#include "minnow/base/error.hpp"

namespace minnow::kernels {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

PackedMatrix::PackedMatrix(Index n, Index k, GemmPrecision precision) : n_(n), k_(k), precision_(precision) {
  const Index all_lanes = (k + depth() - 1) / depth();
  const auto bytes = static_cast<std::size_t>(strips() * kStrip * all_lanes) * sizeof(float);
  const std::size_t unit = bytes >= kHugePage ? kHugePage : kCacheLine;
  data_ = static_cast<float*>(std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit));
  if (data_ == nullptr) {
    throw MemoryError("[memory] there must be room for the weights once more, packed for products; the system refused");
  }
  if (unit == kHugePage) madvise(data_, bytes, MADV_HUGEPAGE);
}

PackedMatrix::~PackedMatrix() { std::free(data_); }

Index PackedMatrix::lanes(Index block) const {
  const Index all_lanes = (k_ + depth() - 1) / depth();
  return std::min(kBlock, all_lanes - block * kBlock);
}

const void* PackedMatrix::strip(Index block, Index strip) const {
  return data_ + block * kBlock * kStrip * strips() + strip * kStrip * lanes(block);
}

std::shared_ptr<const PackedMatrix> PackedMatrix::pack(const float* b, Index n, Index k, Index ldb,
                                                       GemmPrecision precision) {
  if (gemm_backend() != GemmBackend::kMinnow || !has_avx512_gemm(precision) || n < 1 || k < 1) return nullptr;
  std::shared_ptr<PackedMatrix> packed(new PackedMatrix(n, k, precision));
  const Index step = kBlock * packed->depth();
  const Index strips = packed->strips();
  parallel_chunks(strips, [&](Index strip) {
    for (Index block = 0; block * step < k; ++block) {
      pack_strip_avx512(b + strip * kStrip * ldb + block * step, ldb, std::min(kStrip, n - strip * kStrip),
                        std::min(step, k - block * step), precision, const_cast<void*>(packed->strip(block, strip)));
    }
  });
  return packed;
}

}  // namespace minnow::kernels
