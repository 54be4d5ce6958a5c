#include "base/spread_threads.hpp"

#include <sched.h>

namespace minnow {
namespace {

/// @return whether the thread went to one of `wanted`; it may run on all of `allowed` again.
bool move_thread(int id, const cpu_set_t& wanted, const cpu_set_t& allowed) {
  if (::sched_setaffinity(id, sizeof wanted, &wanted) != 0) return false;
  return ::sched_setaffinity(id, sizeof allowed, &allowed) == 0;
}

bool holds(const cpu_set_t& set, int processor) {
  return processor >= 0 && processor < CPU_SETSIZE && CPU_ISSET(static_cast<unsigned>(processor), &set);
}

void take(cpu_set_t& set, int processor) {
  if (processor >= 0 && processor < CPU_SETSIZE) CPU_CLR(static_cast<unsigned>(processor), &set);
}

}  // namespace

int spread_threads(std::span<const SeenThread> workers) {
  cpu_set_t free;
  if (::sched_getaffinity(0, sizeof free, &free) != 0) return 0;
  cpu_set_t vacant = free;  // processors on which no thread of ours was seen
  take(vacant, ::sched_getcpu());
  for (const SeenThread& worker : workers) take(vacant, worker.processor);
  take(free, ::sched_getcpu());
  int moved = 0;
  for (const SeenThread& worker : workers) {
    if (worker.processor < 0) continue;
    if (holds(free, worker.processor)) {
      take(free, worker.processor);
      continue;
    }
    cpu_set_t allowed;
    if (CPU_COUNT(&vacant) == 0 || ::sched_getaffinity(worker.id, sizeof allowed, &allowed) != 0) break;
    cpu_set_t wanted;
    CPU_AND(&wanted, &vacant, &allowed);
    if (CPU_COUNT(&wanted) == 0) continue;
    if (move_thread(worker.id, wanted, allowed)) ++moved;
    for (int i = 0; i < CPU_SETSIZE; ++i) {  // the first one is as good as taken
      if (!holds(wanted, i)) continue;
      take(vacant, i);
      break;
    }
  }
  return moved;
}

}  // namespace minnow
