#include "minnow/tensor/storage.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/mman.h>

#include <cstdlib>
#include <limits>

#include "minnow/base/error.hpp"
#include "minnow/tensor/arena.hpp"
#include "tensor/heap.hpp"

namespace minnow {
namespace {
constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kHugeFrom = std::size_t{4} << 20;  // smaller blocks do not fill enough huge pages
}  // namespace

std::byte* heap_allocate(std::size_t bytes) {
  const std::size_t alignment = bytes >= kHugeFrom ? kHugePage : kCacheLine;
  void* data = nullptr;
  if (bytes <= std::numeric_limits<std::size_t>::max() / 2) {
    data = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  }
  if (data == nullptr) {
    throw MemoryError(
        fmt::format("[memory] {} bytes must be free; the system refused them. Hint: use a smaller "
                    "train.batch_size, model.block_size or model",
                    bytes));
  }
  if (bytes >= kHugeFrom) madvise(data, bytes, MADV_HUGEPAGE);
  return static_cast<std::byte*>(data);
}

void heap_free(std::byte* data) noexcept { std::free(data); }

void release_free_heap() noexcept {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

std::shared_ptr<Storage> Storage::allocate(std::size_t bytes) { return std::make_shared<Storage>(bytes); }

Storage::Storage(std::size_t bytes) : bytes_(bytes) {
  if (StepArena* arena = StepArena::current()) data_ = arena->take(*this);
  if (data_ == nullptr) {
    try {
      data_ = heap_allocate(bytes);
    } catch (...) {
      if (home_ != nullptr) home_->give_back(*this);
      throw;
    }
  }
}

Storage::~Storage() {
  if (home_ != nullptr) home_->give_back(*this);
  if (!in_arena_) heap_free(data_);
}

}  // namespace minnow
