#pragma once
/// @file
/// Replays the memory plan of a training step, so that later steps neither allocate nor fault pages.

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <vector>

#include "minnow/tensor/storage.hpp"

namespace minnow {

/// Records, during the first step with a given key, the birth, death and size of every storage; packs them into one
/// block; and hands out the same places in later steps with that key.
///
/// Safe by construction:
/// - a storage still referenced when the step ends is moved to the heap and stays valid;
/// - a place is only handed out when no living storage holds one of its bytes, else the heap serves;
/// - a step that departs from its plan (another size, more storages) goes on on the heap, with the same bits;
/// - at most `max_plans` plans are kept, the least recently used one goes;
/// - dead ranges are poisoned in AddressSanitizer builds.
class StepArena {
 public:
  struct Statistics {
    std::size_t plans = 0;          ///< plans held now
    std::size_t block_bytes = 0;    ///< size of the shared block
    std::uint64_t recorded = 0;     ///< steps that recorded a plan
    std::uint64_t replayed = 0;     ///< steps that ran on a plan from begin to end
    std::uint64_t departed = 0;     ///< steps that left their plan
    std::uint64_t moved_out = 0;    ///< storages moved to the heap at the end of a step
    std::uint64_t heap_served = 0;  ///< allocations of replayed steps served by the heap
  };

  explicit StepArena(std::size_t max_plans = 8);
  ~StepArena();
  StepArena(const StepArena&) = delete;
  StepArena& operator=(const StepArena&) = delete;

  /// While one lives, storages made by this thread come from the arena. A Step inside a Step has no effect.
  class Step {
   public:
    /// What a plan's places are good for.
    enum class Fit {
      kExact,   ///< storages of the recorded sizes
      kAtMost,  ///< smaller ones too: the first step with this key should be the largest
    };
    /// @param key names the kind of step: shapes, mode; steps with one key should allocate alike.
    Step(StepArena& arena, std::uint64_t key, Fit fit = Fit::kExact);
    ~Step();
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    StepArena* arena_;
  };

  [[nodiscard]] Statistics statistics() const;

 private:
  friend class Storage;
  struct Plan;

  void begin(std::uint64_t key, Step::Fit fit);
  void end();
  std::byte* take(Storage& storage);                  // called by a new storage; null: use the heap
  void give_back(Storage& storage);                   // called by a dying storage
  bool occupy(std::size_t begin, std::size_t bytes);  // false, and nothing done, where somebody lives there
  void vacate(const Storage& storage);
  void move_out(Storage& storage);
  void grow_block(std::size_t bytes);
  static StepArena*& current();

  std::size_t max_plans_;
  std::list<std::unique_ptr<Plan>> plans_;  // most recently used first
  Plan* plan_ = nullptr;                    // of the running step
  bool recording_ = false, departed_ = false;
  Step::Fit fit_ = Step::Fit::kExact;  // of the running step
  std::uint32_t next_ = 0;             // number of the next allocation of the step
  std::vector<Storage*> tenants_;      // living storages of this step by slot
  // Places of the block that living storages hold, begin to end. Its nodes come from a pool: no allocation in a replay.
  std::pmr::unsynchronized_pool_resource pool_;
  std::pmr::map<std::size_t, std::size_t> occupied_{&pool_};
  std::byte* block_ = nullptr;
  std::size_t block_bytes_ = 0;
  Statistics statistics_;
};

}  // namespace minnow
