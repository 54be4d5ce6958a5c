/// @file
/// `minnow bench`: measures how fast this machine trains and computes.

#include "cli/bench.hpp"
#include "cli/output_file.hpp"
#include "cli/use_threads.hpp"
#include "cli/verb.hpp"
#include "minnow/config/choices.hpp"

namespace minnow::cli {
namespace {

struct Arguments {
  TrainBenchmark train;
  StepBenchmark step;
  GenerateBenchmark generate;
  ScalingBenchmark scaling;
  std::string filter;
  std::int64_t threads = 0;
  bool json = false;
};

constexpr std::int64_t kMostSeconds = 86400;
constexpr std::int64_t kMostSteps = 1000000;
constexpr std::int64_t kMostPositions = 1024;  // of the largest model that writes text

template <class Enum>
std::vector<std::string> names_of() {
  return {kChoiceNames<Enum>.begin(), kChoiceNames<Enum>.end()};
}

Action train_command(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.choice("--workload", arguments->train.workload, workload_names(true), "Size of model and batch");
  options.integer("--steps", arguments->train.steps, "Timed steps; 0 = as the workload says", 0, kMostSteps);
  options.choice("--precision", arguments->train.precision, names_of<PrecisionKind>(), "Factors of matrix products");
  options.choice("--gemm", arguments->train.gemm, names_of<GemmKind>(), "Who multiplies matrices");
  threads_option(options, arguments->threads);
  options.flag("--json", arguments->json, "Write JSON to stdout");
  return [arguments] {
    use_threads(arguments->threads);
    return bench_train(arguments->train, arguments->json);
  };
}

Action limits_command(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  threads_option(options, arguments->threads);
  options.flag("--json", arguments->json, "Write JSON to stdout, an object per line");
  return [arguments] {
    use_threads(arguments->threads);
    return bench_limits(arguments->json);
  };
}

template <int (*bench)(const StepBenchmark&, bool)>
Action step_options(Options& options, const std::shared_ptr<Arguments>& arguments) {
  options.choice("--workload", arguments->step.workload, workload_names(), "Size of model and batch");
  options.choice("--precision", arguments->step.precision, names_of<PrecisionKind>(), "Factors of matrix products");
  threads_option(options, arguments->threads);
  options.flag("--json", arguments->json, "Write JSON to stdout, an object per line");
  return [arguments] {
    use_threads(arguments->threads);
    return bench(arguments->step, arguments->json);
  };
}

/// A command that looks at the training step of a workload.
template <int (*bench)(const StepBenchmark&, bool)>
Action step_command(Options& options) {
  return step_options<bench>(options, std::make_shared<Arguments>());
}

Action overhead_command(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  arguments->step.workload = "micro";
  return step_options<bench_overhead>(options, arguments);
}

Action generate_command(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  GenerateBenchmark& generate = arguments->generate;
  options.choice("--workload", generate.workload, generate_workload_names(), "Size of the model");
  options.choice("--precision", generate.precision, names_of<PrecisionKind>(), "Factors of matrix products");
  options.integer("--prompt", generate.prompt, "Tokens of the prompt", 1, kMostPositions);
  options.integer("--tokens", generate.tokens, "Tokens to write", 1, kMostPositions);
  threads_option(options, arguments->threads);
  options.flag("--json", arguments->json, "Write JSON to stdout");
  return [arguments] {
    use_threads(arguments->threads);
    return bench_generate(arguments->generate, arguments->json);
  };
}

Action scaling_command(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  ScalingBenchmark& scaling = arguments->scaling;
  options.choice("--precision", scaling.precision, names_of<PrecisionKind>(), "Factors of matrix products");
  options.integer("--seconds", scaling.seconds, "About how long to measure", 1, kMostSeconds);
  options.text("-o,--out", scaling.out, "Write a page with plots to this file");
  overwrite_option(options, scaling.overwrite);
  threads_option(options, arguments->threads);
  options.flag("--json", arguments->json, "Write JSON to stdout, an object per line");
  return [arguments] {
    use_threads(arguments->threads);
    return bench_scaling(arguments->scaling, arguments->json);
  };
}

Action ops_command(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.text("--filter", arguments->filter, "Only operations whose name contains this");
  threads_option(options, arguments->threads);
  options.flag("--json", arguments->json, "Write JSON to stdout, an object per line");
  return [arguments] {
    use_threads(arguments->threads);
    return bench_ops(arguments->filter, arguments->json);
  };
}

Action setup(Options& options) {
  options.command("train", "Train a GPT on random tokens: median step, tokens/s, GFLOP/s, memory", train_command);
  options.command("ops", "Time each operation's largest example, forward and backward", ops_command);
  options.command("limits", "What this machine can do: matrix products in GFLOP/s, memory in GB/s", limits_command);
  options.command("floor", "Time each matrix product of a training step alone, and compare their sum with the step",
                  step_command<bench_floor>);
  options.command("roofline", "Time each operation of a training step, against what the machine can do",
                  step_command<bench_roofline>);
  options.command("overhead", "Time a training step with next to no arithmetic: what is left is bookkeeping",
                  overhead_command);
  options.command("scaling", "How the time of a training step grows with C, T, L, B and threads", scaling_command);
  options.command("generate", "Write text with random weights, greedily: tokens/s, memory", generate_command);
  options.footer(
      "Examples:\n  minnow bench train --workload char --json\n  minnow bench roofline --workload char\n"
      "  minnow bench ops --filter softmax\n"
      "  minnow bench scaling --out scaling.html\n\n"
      "limits shows what kernels::gemm reaches on comfortable shapes, not the limit of the arithmetic, and memory that "
      "is read, or copied (bytes read + bytes written). Of attention's products floor counts what lies on and below "
      "the diagonal.\n");
  return {};
}

}  // namespace

const Verb kVerbBench = {"bench", "Measure how fast this machine trains", "Engine", setup};

}  // namespace minnow::cli
