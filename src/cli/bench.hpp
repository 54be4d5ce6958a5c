#pragma once
/// @file
/// The measurements of `minnow bench`.

#include <cstdint>
#include <string>
#include <vector>

namespace minnow::cli {

/// What `minnow bench train` is asked for.
struct TrainBenchmark {
  std::string workload = "char";
  std::int64_t steps = 0;  ///< timed steps; 0 = as the workload says
  std::string precision = "f32";
  std::string gemm = "auto";
};

/// @return the names of the workloads.
std::vector<std::string> workload_names();

/// Trains a freshly made GPT on random tokens and prints the median step.
int bench_train(const TrainBenchmark& benchmark, bool json);

/// Times the largest sample of each operation whose name contains `filter`.
int bench_ops(const std::string& filter, bool json);

}  // namespace minnow::cli
