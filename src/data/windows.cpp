#include "minnow/data/windows.hpp"

#include <algorithm>

namespace minnow {

WindowSet WindowSet::of_stream(std::int64_t tokens, std::int64_t block_size) {
  WindowSet set;
  set.total_ = std::max<std::int64_t>(tokens - 1, 0);
  set.stride_ = block_size;
  set.count_ = (set.total_ + block_size - 1) / block_size;
  set.longest_ = std::min(set.total_, block_size);
  return set;
}

WindowSet WindowSet::of_full_blocks(std::int64_t tokens, std::int64_t block_size) {
  const std::int64_t targets = std::max<std::int64_t>(tokens - 1, 0);
  return of_stream(targets / block_size * block_size + 1, block_size);
}

WindowSet WindowSet::of_documents(const std::vector<std::int64_t>& lengths, std::int64_t block_size, Packing packing) {
  WindowSet set;
  std::int64_t offset = 0;
  const auto add = [&](std::int64_t length) {
    // The last window may take a whole further part when several fit.
    if (packing == Packing::kPack && !set.lengths_.empty() && set.lengths_.back() + length <= block_size) {
      set.lengths_.back() += static_cast<std::int32_t>(length);
    } else {
      set.offsets_.push_back(offset);
      set.lengths_.push_back(static_cast<std::int32_t>(length));
    }
    set.longest_ = std::max<std::int64_t>(set.longest_, set.lengths_.back());
    set.total_ += length;
    offset += length;
  };
  for (const std::int64_t length : lengths) {
    for (std::int64_t done = 0; done < length; done += block_size) add(std::min(block_size, length - done));
  }
  set.count_ = static_cast<std::int64_t>(set.offsets_.size());
  return set;
}

Window WindowSet::at(std::int64_t index) const {
  if (stride_ > 0) return {index * stride_, std::min(stride_, total_ - index * stride_)};
  const auto place = static_cast<std::size_t>(index);
  return {offsets_[place], lengths_[place]};
}

}  // namespace minnow
