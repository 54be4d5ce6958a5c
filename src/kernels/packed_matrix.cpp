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
constexpr std::size_t kSlab = std::size_t{32} << 20;  // of addresses; memory only as far as it is used

std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

std::shared_ptr<float> PackedRoom::take(std::size_t bytes) {
  bytes = rounded_up(bytes, kCacheLine);
  if (bytes > size_ - used_) {
    const std::size_t size = rounded_up(std::max(bytes, kSlab), kHugePage);
    std::shared_ptr<std::byte> slab(static_cast<std::byte*>(std::aligned_alloc(kHugePage, size)), std::free);
    if (slab == nullptr) {
      throw MemoryError(
          "[memory] there must be room for the weights once more, packed for products; the system refused");
    }
    madvise(slab.get(), size, MADV_HUGEPAGE);
    if (size - bytes < size_ - used_) return {slab, reinterpret_cast<float*>(slab.get())};  // the old one has more left
    slab_ = std::move(slab);
    used_ = 0;
    size_ = size;
  }
  std::byte* const data = slab_.get() + used_;
  used_ += bytes;
  return {slab_, reinterpret_cast<float*>(data)};
}

PackedMatrix::PackedMatrix(Index n, Index k, GemmPrecision precision, PackedRoom& room)
    : n_(n), k_(k), precision_(precision) {
  const Index all_lanes = (k + depth() - 1) / depth();
  data_ = room.take(static_cast<std::size_t>(strips() * kStrip * all_lanes) * sizeof(float));
}

Index PackedMatrix::lanes(Index block) const {
  const Index all_lanes = (k_ + depth() - 1) / depth();
  return std::min(kBlock, all_lanes - block * kBlock);
}

const void* PackedMatrix::strip(Index block, Index strip) const {
  return data_.get() + block * kBlock * kStrip * strips() + strip * kStrip * lanes(block);
}

std::shared_ptr<const PackedMatrix> PackedMatrix::pack(const float* b, Index n, Index k, Index ldb,
                                                       GemmPrecision precision, PackedRoom& room) {
  if (gemm_backend() != GemmBackend::kMinnow || !has_avx512_gemm(precision) || n < 1 || k < 1) return nullptr;
  std::shared_ptr<PackedMatrix> packed(new PackedMatrix(n, k, precision, room));
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
