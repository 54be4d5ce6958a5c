#include "base/team.hpp"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <span>
#include <system_error>
#include <utility>

#include "base/spread_threads.hpp"

namespace minnow {
namespace {

constexpr int kTeamShift = 48;  // of the ticket: enough for 2^48 chunks and 2^16 threads
constexpr std::uint64_t kChunkBits = (std::uint64_t{1} << kTeamShift) - 1;

// How long a thread looks for something to do before it sleeps. Waking one takes about as long; the serial pieces
// between two loops of a step are shorter.
constexpr std::chrono::microseconds kSpin{50};
constexpr int kPausesPerLook = 32;  // at the clock

constexpr std::chrono::milliseconds kBetweenLooks{10};
constexpr std::size_t kMostWatched = 16;  // threads; more would be many files, and say the same

Index chunks_in(std::uint64_t ticket) { return static_cast<Index>(ticket & kChunkBits); }
int team_in(std::uint64_t ticket) { return static_cast<int>(ticket >> kTeamShift); }

void pause_processor() {
#if defined(__x86_64__)
  asm volatile("pause");
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Asks until it is so or the time is over. @return whether it is so
template <class Condition>
bool spin_until(const Condition& condition) {
  for (int i = 0; i < kPausesPerLook; ++i) {
    if (condition()) return true;
    pause_processor();
  }
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < kPausesPerLook; ++i) {
      if (condition()) return true;
      pause_processor();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

/// Makes the calling thread number `place` of a team, and OpenMP, which one flavour of OpenBLAS stands on, serial.
class Membership {
 public:
  explicit Membership(int place) : omp_before_(omp_get_max_threads()) {
    omp_set_num_threads(1);
    detail::place_in_team = place;
  }
  ~Membership() {
    detail::place_in_team = -1;
    omp_set_num_threads(omp_before_);
  }
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

 private:
  int omp_before_;
};

/// Where the user asked OpenMP to bind threads to processors, it bound the thread that we were started from; ours take
/// the places that its threads would have.
void take_place(int number) {
  const int places = omp_get_proc_bind() == omp_proc_bind_false ? 0 : omp_get_num_places();
  if (places == 0) return;
  const int place = number % places;
  std::vector<int> processors(static_cast<std::size_t>(omp_get_place_num_procs(place)));
  if (processors.empty()) return;
  omp_get_place_proc_ids(place, processors.data());
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : processors) {
    if (processor < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(processor), &set);
  }
  ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set);  // refused: anywhere will do
}

int own_id() { return static_cast<int>(::syscall(SYS_gettid)); }

}  // namespace

constinit thread_local int Team::limit = kMostMembers;

Team& Team::instance() {
  static Team team;
  return team;
}

Team::Team() : most_(std::clamp(omp_get_max_threads(), 1, kMostMembers)), policy_(most(), omp_get_num_procs()) {
  size_ = most();
  ::pthread_atfork(nullptr, nullptr, [] { instance().forget_workers(); });
}

Team::~Team() { stop_workers(); }

void Team::set_most(int count) {
  const std::scoped_lock lock(busy_);
  most_ = std::clamp(count, 1, kMostMembers);
  if (std::ssize(workers_) >= most()) stop_workers();
  policy_ = TeamSize(most(), omp_get_num_procs());
  size_ = most();
  times_.clear();
}

TeamReport Team::report() const { return {most(), size_.load(), retreats_.load()}; }

void Team::start_workers(int count) {
  if (std::ssize(workers_) >= count) return;
  times_.clear();
  while (std::ssize(workers_) < count) {
    workers_.push_back(std::make_unique<Worker>());
    Worker& fresh = *workers_.back();
    const int number = static_cast<int>(workers_.size());
    try {
      fresh.thread = std::thread([this, &fresh, number] { work(fresh, number); });
    } catch (const std::system_error&) {  // no more threads to be had: those that there are do it all
      workers_.pop_back();
      most_ = number;
      policy_ = TeamSize(number, omp_get_num_procs());
      size_ = number;
      return;
    }
  }
}

void Team::stop_workers() {
  stop_ = true;
  for (const auto& worker : workers_) {
    worker->asleep = 0;
    worker->asleep.notify_one();
  }
  for (const auto& worker : workers_) worker->thread.join();
  workers_.clear();
  stop_ = false;
}

void Team::forget_workers() {
  for (auto& worker : workers_) static_cast<void>(worker.release());  // a thread that is not there can't be joined
  workers_.clear();
  times_.clear();
}

void Team::run(Index chunks, const detail::ChunkBody& body) {
  const std::unique_lock lock(busy_, std::try_to_lock);
  const int allowed = std::min(size_.load(std::memory_order_relaxed), limit);
  const int team = static_cast<int>(std::min<Index>(chunks, allowed));
  if (!lock || most() == 1) return run_alone(chunks, body);
  if (team == 1) {
    run_alone(chunks, body);
  } else {
    start_workers(most() - 1);
    const Membership member(0);
    body_ = body;
    chunks_ = chunks;
    done_by_workers_.store(0, std::memory_order_relaxed);
    ticket_.store(static_cast<std::uint64_t>(team) << kTeamShift | static_cast<std::uint64_t>(chunks));
    wake(team);
    await_others(chunks - take_chunks(0));
  }
  look_around();
  if (failed_.load(std::memory_order_relaxed)) {
    failed_ = false;
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
}

void Team::run_alone(Index chunks, const detail::ChunkBody& body) {
  const Membership member(0);
  std::exception_ptr failure;
  for (Index chunk = 0; chunk < chunks; ++chunk) {
    try {
      body.call(body.body, chunk);
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

void Team::wake(int team) {
  for (int number = 1; number < team; ++number) {
    Worker& worker = *workers_[static_cast<std::size_t>(number) - 1];
    if (worker.asleep.load() == 0) continue;
    worker.asleep.store(0);
    worker.asleep.notify_one();
  }
}

Index Team::take_chunks(int number) {
  Index done = 0;
  std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
  while (chunks_in(ticket) > 0 && number < team_in(ticket)) {
    if (!ticket_.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel, std::memory_order_acquire))
      continue;
    run_chunk(chunks_ - chunks_in(ticket));
    ++done;
    ticket = ticket_.load(std::memory_order_acquire);
  }
  return done;
}

void Team::run_chunk(Index chunk) {
  try {
    body_.call(body_.body, chunk);
  } catch (...) {
    const std::scoped_lock lock(failure_mutex_);
    if (!failure_) failure_ = std::current_exception();
    failed_.store(true);
  }
}

void Team::await_others(Index chunks) {
  const auto done = [&] { return done_by_workers_.load() == chunks; };
  while (!spin_until(done)) {
    // Asleep, so that the system may give this processor to the worker that everybody waits for.
    caller_asleep_.store(1);
    if (done()) break;
    caller_asleep_.wait(1);
  }
  caller_asleep_.store(0, std::memory_order_relaxed);
}

void Team::work(Worker& self, int number) {
  take_place(number);
  const Membership member(number);
  self.id = own_id();
  while (await_chunks(self, number)) {
    self.processor.store(::sched_getcpu(), std::memory_order_relaxed);
    const Index done = take_chunks(number);
    if (done == 0) continue;
    done_by_workers_.fetch_add(done);
    if (caller_asleep_.load() == 0) continue;
    caller_asleep_.store(0);
    caller_asleep_.notify_one();
  }
}

bool Team::await_chunks(Worker& self, int number) {
  const auto something = [&] {
    const std::uint64_t ticket = ticket_.load();
    return (chunks_in(ticket) > 0 && number < team_in(ticket)) || stop_.load(std::memory_order_relaxed);
  };
  while (!spin_until(something)) {
    self.asleep.store(1);
    if (something()) {
      self.asleep.store(0);
      break;
    }
    self.asleep.wait(1);
  }
  return !stop_;
}

void Team::look_around() {
  const auto now = Clock::now();
  if (now < next_look_ || !policy_.adapts()) return;
  next_look_ = now + kBetweenLooks;
  const bool moved = move_apart();
  if (times_.empty()) {
    times_.emplace_back(own_id());
    for (const auto& worker : workers_) {
      if (worker->id == 0 || times_.size() == kMostWatched) break;
      times_.emplace_back(worker->id);
    }
    return;
  }
  ThreadTimes::Reading sum;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    const auto one = times_[i].since_last();
    if (static_cast<int>(i) >= policy_.size()) continue;
    sum.ran += one.ran;
    sum.waited += one.waited_for_others();
  }
  if (moved) return;  // they waited for each other
  policy_.look(std::chrono::duration<double>(now.time_since_epoch()).count(), sum.ran, sum.waited);
  size_ = policy_.size();
  retreats_ = policy_.retreats();
}

bool Team::move_apart() {
  std::array<SeenThread, kMostWatched> seen;
  std::size_t count = 0;
  for (const auto& worker : workers_) {
    if (static_cast<int>(count) + 1 >= policy_.size() || count == kMostWatched) break;
    seen[count++] = {worker->id, worker->processor.load(std::memory_order_relaxed)};
  }
  return spread_threads(std::span(seen).first(count)) > 0;
}

namespace detail {

void run_chunks(Index chunks, const ChunkBody& body) { Team::instance().run(chunks, body); }

}  // namespace detail
}  // namespace minnow
