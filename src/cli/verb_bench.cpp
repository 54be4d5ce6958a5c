/// @file
/// `minnow bench`: measures how fast this machine trains and computes.

#include "cli/bench.hpp"
#include "cli/use_threads.hpp"
#include "cli/verb.hpp"
#include "minnow/config/choices.hpp"

namespace minnow::cli {
namespace {

struct Arguments {
  TrainBenchmark train;
  std::string filter;
  std::int64_t threads = 0;
  bool json = false;
};

constexpr std::int64_t kMostSteps = 1000000;

template <class Enum>
std::vector<std::string> names_of() {
  return {kChoiceNames<Enum>.begin(), kChoiceNames<Enum>.end()};
}

Action train_command(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.choice("--workload", arguments->train.workload, workload_names(), "Size of model and batch");
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

Action ops_command(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.text("--filter", arguments->filter, "Only operations whose name contains this");
  threads_option(options, arguments->threads);
  options.flag("--json", arguments->json, "Write JSON to stdout");
  return [arguments] {
    use_threads(arguments->threads);
    return bench_ops(arguments->filter, arguments->json);
  };
}

Action setup(Options& options) {
  options.command("train", "Train a GPT on random tokens: median step, tokens/s, GFLOP/s, memory", train_command);
  options.command("ops", "Time each operation's largest example, forward and backward", ops_command);
  options.footer("Examples:\n  minnow bench train --workload char --json\n  minnow bench ops --filter softmax\n");
  return {};
}

}  // namespace

const Verb kVerbBench = {"bench", "Measure how fast this machine trains", "Engine", setup};

}  // namespace minnow::cli
