#include "minnow/kernels/embedding.hpp"

#include <cstring>

#include "kernels/row_chunks.hpp"

namespace minnow::kernels {

namespace {

// Channels that one chunk of the backward pass sums: 256 bytes of f32, whole cache lines.
constexpr Index kChannels = 64;

template <class T>
void add_to(T* y, const T* x, Index n) {
  for (Index i = 0; i < n; ++i) y[i] += x[i];
}

}  // namespace

template <class Id>
Index first_id_out_of_range(const Id* ids, Index n, Index limit) {
  for (Index i = 0; i < n; ++i) {
    if (ids[i] < 0 || static_cast<Index>(ids[i]) >= limit) return i;
  }
  return -1;
}

template <class T, class Id>
void embedding_forward(T* y, const T* table, const Id* ids, Index tokens, Index width, bool add) {
  parallel_ranges(tokens, rows_per_chunk(width), [=](Index begin, Index end, Index) {
    for (Index i = begin; i < end; ++i) {
      const T* row = table + static_cast<Index>(ids[i]) * width;
      if (add) {
        add_to(y + i * width, row, width);
      } else {
        std::memcpy(y + i * width, row, static_cast<size_t>(width) * sizeof(T));
      }
    }
  });
}

template <class T, class Id>
void embedding_backward(T* dtable, const T* dout, const Id* ids, Index tokens, Index width,
                        std::int64_t padding_index) {
  parallel_ranges(width, kChannels, [=](Index begin, Index end, Index) {
    for (Index i = 0; i < tokens; ++i) {
      const auto id = static_cast<Index>(ids[i]);
      if (id != padding_index) add_to(dtable + id * width + begin, dout + i * width + begin, end - begin);
    }
  });
}

#define MINNOW_INSTANTIATE(T, Id)                                                      \
  template void embedding_forward<T, Id>(T*, const T*, const Id*, Index, Index, bool); \
  template void embedding_backward<T, Id>(T*, const T*, const Id*, Index, Index, std::int64_t);
MINNOW_INSTANTIATE(float, std::int32_t)
MINNOW_INSTANTIATE(float, std::int64_t)
MINNOW_INSTANTIATE(double, std::int32_t)
MINNOW_INSTANTIATE(double, std::int64_t)
#undef MINNOW_INSTANTIATE
template Index first_id_out_of_range<std::int32_t>(const std::int32_t*, Index, Index);
template Index first_id_out_of_range<std::int64_t>(const std::int64_t*, Index, Index);

}  // namespace minnow::kernels
