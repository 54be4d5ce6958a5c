#include "cli/use_threads.hpp"

#include "minnow/base/parallel.hpp"

namespace minnow::cli {

void threads_option(Options& options, std::int64_t& target) {
  options.integer("--threads", target, "Threads; 0 = all processors. Changes no result", 0, kMostThreads);
}

void use_threads(std::int64_t count) { set_threads(count > 0 ? static_cast<int>(count) : threads()); }

}  // namespace minnow::cli
