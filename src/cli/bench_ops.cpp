#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/bench.hpp"
#include "cli/bench_clock.hpp"
#include "cli/json_line.hpp"
#include "cli/terminal.hpp"
#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "minnow/ops/registry.hpp"
#include "minnow/train/machine_roof.hpp"

namespace minnow::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kSecondsPerTiming = 0.02;
constexpr int kTimings = 5;

/// @return seconds of one call: the median of several timings, each of so many calls that the clock can be trusted.
template <class Work>
double median_seconds(const Work& work) {
  using Clock = std::chrono::steady_clock;
  const auto time = [&](std::int64_t calls) {
    const auto begin = Clock::now();
    for (std::int64_t i = 0; i < calls; ++i) work();
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  time(1);
  const double once = std::max(time(1), 1e-9);
  const auto calls = std::max<std::int64_t>(1, std::llround(kSecondsPerTiming / once));
  std::vector<double> times;
  times.reserve(kTimings);
  for (int i = 0; i < kTimings; ++i) times.push_back(time(calls) / static_cast<double>(calls));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// One call in f32.
struct Example {
  std::vector<Tensor> inputs;
  std::vector<TensorSpec> specs;
  AttrBox attrs;
  std::vector<char> constant;
  Cost cost;
};

Example example_of(const Op& op, const Sample& sample) {
  Example example;
  example.attrs = sample.attrs;
  example.constant = sample.constant;
  example.constant.resize(sample.inputs.size(), 0);
  for (const Tensor& input : sample.inputs) {
    const bool floating = input.defined() && is_floating(input.dtype());
    example.inputs.push_back(floating ? input.to(DType::f32) : input);
    example.specs.push_back(input.defined() ? example.inputs.back().spec() : TensorSpec::absent());
  }
  example.cost = op.cost(example.specs, sample.attrs);
  return example;
}

/// The valid sample that touches the most memory.
Example largest_example(const Op& op) {
  Example largest;
  for (const Sample& sample : op.samples()) {
    if (!sample.valid) continue;
    Example example = example_of(op, sample);
    if (largest.inputs.empty() || example.cost.bytes > largest.cost.bytes) largest = std::move(example);
  }
  return largest;
}

double forward_seconds(const Op& op, const Example& example) {
  const NoGrad no_grad;
  return median_seconds([&] { (void)apply(op, example.inputs, example.attrs); });
}

/// @return seconds of backward from the first floating output, or nothing when there is none.
std::optional<double> backward_seconds(const Op& op, const Example& example) {
  if (!op.differentiable) return std::nullopt;
  std::vector<Tensor> leaves = example.inputs;
  bool any = false;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i].defined() || !is_floating(leaves[i].dtype())) continue;
    leaves[i] = set_requires_grad(leaves[i].clone(), example.constant[i] == 0);
    any = any || example.constant[i] == 0;
  }
  if (!any) return std::nullopt;
  const std::vector<Tensor> outputs = apply(op, leaves, example.attrs);
  for (const Tensor& output : outputs) {
    if (!is_floating(output.dtype()) || !requires_grad(output)) continue;
    const Tensor seed = Tensor::full(output.shape(), 1, output.dtype());
    const double seconds = median_seconds([&] { backward(output, {.seed = seed, .retain_graph = true}); });
    backward(output, {.seed = seed});  // lets go of the tape
    return seconds;
  }
  return std::nullopt;
}

std::string shapes_text(const Example& example) {
  std::vector<std::string> shapes;
  for (const TensorSpec& spec : example.specs) shapes.push_back(spec.present ? spec.shape.str() : "-");
  return fmt::format("{}", fmt::join(shapes, " "));
}

/// One operation's figures.
struct OpTimes {
  Example example;
  double forward = 0;  // seconds
  std::optional<double> backward;
};

Json row_of(const Op& op, const OpTimes& times, const MachineRoof& roof) {
  const Cost& cost = times.example.cost;
  const double share = std::min(1.0, roof.least_seconds(cost.flops, cost.bytes) / times.forward);
  return {{"name", op.doc.name},
          {"inputs", shapes_text(times.example)},
          {"forward_us", rounded(times.forward * 1e6, 1000)},
          {"backward_us", times.backward ? Json(rounded(*times.backward * 1e6, 1000)) : Json()},
          {"bytes", cost.bytes},
          {"flops", cost.flops},
          {"gb_per_s", rounded(cost.bytes / times.forward / 1e9, 1000)},
          {"gflops", rounded(cost.flops / times.forward / 1e9, 1000)},
          {"share", rounded(share, 1000)},
          {"peak_rss_mb", peak_rss_mb()}};
}

void print_op(const Json& row) {
  const std::string back = row["backward_us"].is_null() ? "-" : fmt::format("{:.2f}", row["backward_us"].get<double>());
  print_result(fmt::format("{:<28} {:>12.2f} {:>12} {:>9.2f} {:>9.2f} {:>6.2f}  {}\n", row["name"].get<std::string>(),
                           row["forward_us"].get<double>(), back, row["gb_per_s"].get<double>(),
                           row["gflops"].get<double>(), row["share"].get<double>(), row["inputs"].get<std::string>()));
}

}  // namespace

int bench_ops(const std::string& filter, bool json) {
  std::vector<const Op*> chosen;
  for (const Op* op : all_ops()) {
    if (op->doc.name.find(filter) != std::string_view::npos) chosen.push_back(op);
  }
  if (chosen.empty()) {
    throw ConfigError(
        fmt::format("[bench ops] --filter must be part of an operation's name; got {}. Hint: `minnow ops` "
                    "lists them",
                    filter));
  }
  install_stop_signals();
  const MachineRoof roof = measure_roof(kernels::GemmPrecision::kF32, stop_asked);
  if (!json) {
    print_result(fmt::format("{:<28} {:>12} {:>12} {:>9} {:>9} {:>6}  {}\n", "operation", "forward us", "backward us",
                             "GB/s", "GFLOP/s", "share", "inputs"));
  }
  for (const Op* op : chosen) {
    if (stop_asked()) return stop_exit_code();
    OpTimes times;
    times.example = largest_example(*op);
    times.forward = forward_seconds(*op, times.example);
    times.backward = backward_seconds(*op, times.example);
    const Json row = row_of(*op, times, roof);
    json ? print_result(json_line(row)) : print_op(row);
    flush_results();
  }
  return 0;
}

}  // namespace minnow::cli
