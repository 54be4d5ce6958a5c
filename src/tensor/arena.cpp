#include "minnow/tensor/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "tensor/heap.hpp"
#include "tensor/memory_plan.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

namespace minnow {

struct StepArena::Plan {
  std::uint64_t key = 0;
  MemoryPlan memory;
  int departures = 0;  // in a row; a plan that keeps being left is recorded anew
};

namespace {
constexpr int kDeparturesBeforeNewPlan = 2;
}

StepArena*& StepArena::current() {
  thread_local StepArena* arena = nullptr;
  return arena;
}

StepArena::StepArena(std::size_t max_plans) : max_plans_(std::max<std::size_t>(1, max_plans)) {}

StepArena::~StepArena() {
  if (block_ != nullptr) {
    ASAN_UNPOISON_MEMORY_REGION(block_, block_bytes_);
    heap_free(block_);
  }
}

StepArena::Step::Step(StepArena& arena, std::uint64_t key, Fit fit) : arena_(current() == nullptr ? &arena : nullptr) {
  if (arena_ != nullptr) arena_->begin(key, fit);
}

StepArena::Step::~Step() {
  if (arena_ != nullptr) arena_->end();
}

void StepArena::begin(std::uint64_t key, Step::Fit fit) {
  fit_ = fit;
  const auto found = std::find_if(plans_.begin(), plans_.end(), [&](const auto& plan) { return plan->key == key; });
  recording_ = found == plans_.end();
  if (recording_) {
    plans_.push_front(std::make_unique<Plan>());
    plans_.front()->key = key;
    if (plans_.size() > max_plans_) plans_.pop_back();
  } else {
    plans_.splice(plans_.begin(), plans_, found);
    grow_block((*found)->memory.block_bytes());
  }
  plan_ = plans_.front().get();
  departed_ = false;
  next_ = 0;
  tenants_.clear();
  current() = this;
}

std::byte* StepArena::take(Storage& storage) {
  const std::uint32_t slot = next_++;
  if (!recording_ && !departed_) {
    departed_ = !plan_->memory.expects(slot, storage.bytes_, fit_ == Step::Fit::kAtMost);
  }
  if (departed_) return nullptr;
  storage.home_ = this;
  storage.slot_ = slot;
  tenants_.push_back(&storage);
  if (recording_) {
    plan_->memory.record_birth(storage.bytes_);
    return nullptr;
  }
  const auto offset = plan_->memory.offset(slot);
  if (!offset || !occupy(*offset, storage.bytes_)) {
    ++statistics_.heap_served;
    return nullptr;
  }
  storage.in_arena_ = true;
  std::byte* place = block_ + *offset;
  ASAN_UNPOISON_MEMORY_REGION(place, storage.bytes_);
  return place;
}

bool StepArena::occupy(std::size_t begin, std::size_t bytes) {
  const std::size_t end = begin + MemoryPlan::padded(bytes);
  const auto above = occupied_.lower_bound(begin);
  if (above != occupied_.end() && above->first < end) return false;
  if (above != occupied_.begin() && std::prev(above)->second > begin) return false;
  occupied_.emplace_hint(above, begin, end);
  return true;
}

void StepArena::vacate(const Storage& storage) {
  ASAN_POISON_MEMORY_REGION(storage.data_, storage.bytes_);
  occupied_.erase(static_cast<std::size_t>(storage.data_ - block_));
}

void StepArena::give_back(Storage& storage) {
  tenants_[storage.slot_] = nullptr;
  if (recording_) plan_->memory.record_death(storage.slot_);
  if (storage.in_arena_) vacate(storage);
}

void StepArena::move_out(Storage& storage) {
  std::byte* copy = heap_allocate(storage.bytes_);
  std::memcpy(copy, storage.data_, storage.bytes_);
  vacate(storage);
  storage.data_ = copy;
  storage.in_arena_ = false;
  ++statistics_.moved_out;
}

void StepArena::end() {
  current() = nullptr;
  for (Storage* tenant : tenants_) {
    if (tenant == nullptr) continue;
    if (tenant->in_arena_) move_out(*tenant);
    tenant->home_ = nullptr;
  }
  tenants_.clear();
  if (!recording_ && next_ != plan_->memory.size()) departed_ = true;
  if (recording_) {
    plan_->memory.pack();
    ++statistics_.recorded;
  } else if (departed_) {
    ++statistics_.departed;
    if (++plan_->departures >= kDeparturesBeforeNewPlan) plans_.pop_front();  // the running plan is in front
  } else {
    plan_->departures = 0;
    ++statistics_.replayed;
  }
  plan_ = nullptr;
}

void StepArena::grow_block(std::size_t bytes) {
  if (bytes <= block_bytes_) return;
  if (block_ != nullptr) {
    ASAN_UNPOISON_MEMORY_REGION(block_, block_bytes_);
    heap_free(block_);
    block_ = nullptr;
    block_bytes_ = 0;
  }
  release_free_heap();  // the recorded step's buffers lie there, as many bytes again
  block_ = heap_allocate(bytes);
  block_bytes_ = bytes;
#ifdef MADV_POPULATE_WRITE
  madvise(block_, bytes, MADV_POPULATE_WRITE);  // fault the pages now, not inside the step; no harm where unknown
#endif
  ASAN_POISON_MEMORY_REGION(block_, block_bytes_);
}

StepArena::Statistics StepArena::statistics() const {
  Statistics now = statistics_;
  now.plans = plans_.size();
  now.block_bytes = block_bytes_;
  return now;
}

}  // namespace minnow
