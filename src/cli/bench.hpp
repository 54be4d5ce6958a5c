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

/// What `minnow bench floor` and `minnow bench roofline` are asked for.
struct StepBenchmark {
  std::string workload = "char";
  std::string precision = "f32";
};

/// What `minnow bench scaling` is asked for.
struct ScalingBenchmark {
  std::string precision = "f32";
  std::string out;            ///< a page; empty: none
  bool overwrite = false;     ///< though the page is there
  std::int64_t seconds = 60;  ///< of steps, about
};

/// What `minnow bench generate` is asked for.
struct GenerateBenchmark {
  std::string workload = "char";
  std::string precision = "f32";
  std::int64_t prompt = 8;   ///< tokens read before the clock starts
  std::int64_t tokens = 64;  ///< tokens written, each read again
};

/// @return the names of the workloads.
/// @param documents also those whose rows are not full
std::vector<std::string> workload_names(bool documents = false);

/// @return the names of those that `minnow bench generate` knows.
std::vector<std::string> generate_workload_names();

/// Trains a freshly made GPT on random tokens and prints the median step.
int bench_train(const TrainBenchmark& benchmark, bool json);

/// Times the largest sample of each operation whose name contains `filter`.
int bench_ops(const std::string& filter, bool json);

/// Prints what the machine can do: matrix products and memory, with one thread and with all.
int bench_limits(bool json);

/// Times every matrix product of a training step alone, and compares their sum with the step.
int bench_floor(const StepBenchmark& benchmark, bool json);

/// Prints what a training step of the same operations takes when there is next to no arithmetic, as a share of the
/// step.
int bench_overhead(const StepBenchmark& benchmark, bool json);

/// Prints how the time of a training step grows with C, T, L, B and threads.
int bench_scaling(const ScalingBenchmark& benchmark, bool json);

/// Writes text with a model of random weights and prints its speed.
int bench_generate(const GenerateBenchmark& benchmark, bool json);

/// Prints where the time of a training step goes, operation by operation.
int bench_roofline(const StepBenchmark& benchmark, bool json);

}  // namespace minnow::cli
