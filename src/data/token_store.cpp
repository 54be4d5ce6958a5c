#include "minnow/data/token_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "minnow/base/error.hpp"
#include "minnow/base/parallel.hpp"

namespace minnow {

static_assert(std::endian::native == std::endian::little, "token files are little-endian and are mapped as they are");

/// Tokens in memory (one of the vectors) or in mapped files (parts with the number of their first token).
struct TokenStore::Storage {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint16_t> narrow;
  std::vector<std::uint32_t> wide;
  std::vector<std::shared_ptr<const MappedFile>> files;
  std::vector<std::shared_ptr<const Storage>> others;  // keeps alive what the runs of joined stores look into

  /// A stretch of equal width, wherever it lies.
  struct Run {
    const std::byte* data = nullptr;
    std::int64_t first = 0;
    std::int64_t count = 0;
    int width = 2;
    const MappedFile* file = nullptr;  // that holds it; none: memory
  };
  std::vector<Run> runs;
};

namespace {

template <class Stored>
void widen_from(const std::byte* data, std::int64_t count, std::int32_t* out) {
  // memcpy per element: the files' tokens need not be aligned, and the compiler makes plain loads of it.
  for (std::int64_t i = 0; i < count; ++i) {
    Stored id = 0;
    std::memcpy(&id, data + static_cast<std::size_t>(i) * sizeof id, sizeof id);
    out[i] = static_cast<std::int32_t>(id);
  }
}

void widen(const std::byte* data, int width, std::int64_t count, std::int32_t* out) {
  if (width == 1) return widen_from<std::uint8_t>(data, count, out);
  if (width == 2) return widen_from<std::uint16_t>(data, count, out);
  widen_from<std::uint32_t>(data, count, out);
}

template <class Stored>
void append_as(std::vector<Stored>& stored, std::span<const std::int32_t> ids) {
  const std::size_t before = stored.size();
  stored.resize(before + ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) stored[before + i] = static_cast<Stored>(ids[i]);
}

void check_range(std::int64_t begin, std::int64_t count, std::int64_t size) {
  if (begin >= 0 && count >= 0 && begin <= size && count <= size - begin) return;
  throw std::out_of_range(fmt::format("[tokens] {} tokens from {} on must lie within {}", count, begin, size));
}

}  // namespace

TokenStore::TokenStore() : storage_(std::make_shared<Storage>()) {}

TokenStore TokenStore::from_files(std::vector<Part> parts) {
  auto storage = std::make_shared<Storage>();
  TokenStore store;
  for (Part& part : parts) {
    const std::uint64_t bytes = part.file->size();
    const auto width = static_cast<std::uint64_t>(part.width);
    if (part.count < 0 || part.byte_offset > bytes ||
        static_cast<std::uint64_t>(part.count) > (bytes - part.byte_offset) / width) {
      throw DataError(fmt::format("[data] {} tokens of {} bytes must lie within {}; it has {} bytes.", part.count,
                                  part.width, part.file->path().string(), bytes));
    }
    if (part.count == 0) continue;
    storage->runs.push_back(
        {part.file->bytes().data() + part.byte_offset, store.size_, part.count, part.width, part.file.get()});
    store.size_ += part.count;
    storage->files.push_back(std::move(part.file));
  }
  store.storage_ = std::move(storage);
  return store;
}

TokenStore TokenStore::from_ids(std::span<const std::int32_t> ids, std::int64_t vocab_size) {
  TokenStoreBuilder builder(vocab_size);
  builder.append(ids);
  return builder.finish();
}

std::int32_t TokenStore::at(std::int64_t index) const {
  std::int32_t id = 0;
  copy(index, 1, &id);
  return id;
}

void TokenStore::copy(std::int64_t begin, std::int64_t count, std::int32_t* out) const {
  check_range(begin, count, size_);
  const auto& runs = storage_->runs;
  std::int64_t position = begin_ + begin;
  auto run = std::upper_bound(runs.begin(), runs.end(), position,
                              [](std::int64_t value, const Storage::Run& other) { return value < other.first; });
  if (run != runs.begin()) --run;
  while (count > 0) {
    const MappedFile* file = run->file;
    const std::int64_t skip = position - run->first;
    const std::int64_t take = std::min(count, run->count - skip);
    // Before the reads for programs that do not take SIGBUS; behind them, so that these ids are those of the file that
    // was opened whatever happened to it until now.
    if (file != nullptr) file->check_unchanged();
    widen(run->data + skip * run->width, run->width, take, out);
    if (file != nullptr) file->check_unchanged();
    out += take;
    position += take;
    count -= take;
    ++run;
  }
}

TokenStore TokenStore::slice(std::int64_t begin, std::int64_t count) const {
  check_range(begin, count, size_);
  TokenStore part = *this;
  part.begin_ += begin;
  part.size_ = count;
  return part;
}

TokenStore TokenStore::joined(const std::vector<TokenStore>& parts) {
  auto storage = std::make_shared<Storage>();
  TokenStore store;
  for (const TokenStore& part : parts) {
    if (storage->others.empty() || storage->others.back() != part.storage_) storage->others.push_back(part.storage_);
    for (const Storage::Run& run : part.storage_->runs) {
      const std::int64_t from = std::max(run.first, part.begin_);
      const std::int64_t to = std::min(run.first + run.count, part.begin_ + part.size_);
      if (from >= to) continue;
      storage->runs.push_back({run.data + (from - run.first) * run.width, store.size_, to - from, run.width, run.file});
      store.size_ += to - from;
    }
  }
  store.storage_ = std::move(storage);
  return store;
}

std::int64_t TokenStore::memory_bytes() const noexcept {
  return static_cast<std::int64_t>(storage_->bytes.size() + storage_->narrow.size() * sizeof(std::uint16_t) +
                                   storage_->wide.size() * sizeof(std::uint32_t));
}

std::int64_t TokenStore::find_outside(std::int64_t vocab_size) const {
  constexpr Index kChunk =
      1 << 18;  // a megabyte of ids: small enough to stay in cache, large enough to be worth a task
  std::vector<std::int64_t> found(static_cast<std::size_t>((size_ + kChunk - 1) / kChunk), size_);
  parallel_ranges(size_, kChunk, [&](Index begin, Index end, Index chunk) {
    std::vector<std::int32_t> ids(static_cast<std::size_t>(end - begin));
    copy(begin, end - begin, ids.data());
    const auto bad = std::find_if(ids.begin(), ids.end(), [&](std::int32_t id) { return id < 0 || id >= vocab_size; });
    if (bad != ids.end()) found[static_cast<std::size_t>(chunk)] = begin + (bad - ids.begin());
  });
  for (const std::int64_t index : found) {
    if (index < size_) return index;
  }
  return size_;
}

void TokenStoreBuilder::append(std::span<const std::int32_t> ids) {
  if (width_ == 1) return append_as(bytes_, ids);
  if (width_ == 2) return append_as(narrow_, ids);
  append_as(wide_, ids);
}

std::int64_t TokenStoreBuilder::size() const noexcept {
  return static_cast<std::int64_t>(width_ == 1 ? bytes_.size() : width_ == 2 ? narrow_.size() : wide_.size());
}

TokenStore TokenStoreBuilder::finish() {
  auto storage = std::make_shared<TokenStore::Storage>();
  TokenStore store;
  store.size_ = size();
  storage->bytes = std::move(bytes_);
  storage->narrow = std::move(narrow_);
  storage->wide = std::move(wide_);
  bytes_.clear();
  narrow_.clear();
  wide_.clear();
  const void* data = width_ == 1   ? static_cast<const void*>(storage->bytes.data())
                     : width_ == 2 ? static_cast<const void*>(storage->narrow.data())
                                   : static_cast<const void*>(storage->wide.data());
  if (store.size_ > 0) storage->runs.push_back({static_cast<const std::byte*>(data), 0, store.size_, width_});
  store.storage_ = std::move(storage);
  return store;
}

}  // namespace minnow
