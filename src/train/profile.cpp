#include "minnow/train/profile.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "minnow/base/parallel.hpp"

namespace minnow {
namespace {

std::string shapes_text(Specs inputs) {
  std::string text;
  for (const TensorSpec& input : inputs) {
    if (!text.empty()) text += ' ';
    text += input.present ? input.shape.str() : "-";
  }
  return text;
}

std::int64_t peak_memory_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;  // kilobytes on Linux
}

}  // namespace

double ProfilePart::share(const MachineRoof& roof) const {
  if (seconds <= 0 || calls <= 0) return 0;
  return calls * roof.least_seconds(flops / calls, bytes / calls) / seconds;
}

const char* ProfilePart::bound(const MachineRoof& roof) const {
  return calls > 0 ? roof.bound(flops / calls, bytes / calls) : "";
}

double Profile::pass_seconds(std::string_view pass) const {
  double sum = 0;
  for (const ProfilePart& part : parts) sum += part.pass == pass ? part.seconds : 0;
  return sum;
}

double Profile::between_seconds() const {
  double left = step_seconds;
  for (const ProfilePart& part : parts) left -= part.seconds;
  return std::max(0.0, left);
}

double Profile::step_flops() const {
  double sum = 0;
  for (const ProfilePart& part : parts) sum += part.flops;
  return sum;
}

double Profile::other_seconds() const {
  double left = seconds - static_cast<double>(steps) * step_seconds;
  for (const ProfileActivity& activity : activities) left -= activity.seconds;
  return std::max(0.0, left);
}

void Profile::raise_roof() {
  for (const ProfilePart& part : parts) {
    if (part.calls <= 0) continue;
    roof.gflops = std::max(roof.gflops, part.gflops());
    double& rate = part.bytes / part.calls <= roof.cache_bytes ? roof.cache_gb_per_s : roof.memory_gb_per_s;
    rate = std::max(rate, part.gb_per_s());
  }
}

void Profiler::begin() { open_.push_back({Clock::now(), 0}); }

void Profiler::end(const OpRun& run) {
  const double whole = seconds_since(open_.back().from);
  const double own = whole - open_.back().inside;
  open_.pop_back();
  if (!open_.empty()) open_.back().inside += whole;
  // What is computed again in backward has no cost of its own: the operations inside count.
  const Cost cost = run.op.cost != nullptr ? run.op.cost(run.inputs, run.attrs) : Cost{};
  const double times = run.backward ? 2 : 1;  // one product of forward becomes two
  add(run.op.doc.name, run.backward ? "backward" : "forward", shapes_text(run.inputs), own, times * cost.flops,
      times * cost.bytes);
}

void Profiler::begin_step() {
  if (begun_++ == kUntimedSteps) {
    parts_.clear();
    activities_.clear();
    first_from_ = Clock::now();
  }
  step_from_ = Clock::now();
}

void Profiler::end_step(double tokens) {
  if (begun_ <= kUntimedSteps) return;
  ++steps_;
  step_seconds_ += seconds_since(step_from_);
  tokens_ += tokens;
}

void Profiler::add_activity(std::string_view name, Clock::time_point from) {
  if (begun_ <= kUntimedSteps) return;
  auto found = std::find_if(activities_.begin(), activities_.end(), [&](const auto& one) { return one.name == name; });
  if (found == activities_.end()) found = activities_.insert(found, {std::string(name)});
  ++found->count;
  found->seconds += seconds_since(from);
}

void Profiler::add(std::string_view name, std::string_view pass, std::string inputs, double seconds, double flops,
                   double bytes) {
  ProfilePart& part = parts_[{name, pass, std::move(inputs)}];
  ++part.calls;
  part.seconds += seconds;
  part.flops += flops;
  part.bytes += bytes;
}

Profile Profiler::finish() const {
  Profile profile;
  profile.steps = steps_;
  profile.threads = threads();
  profile.gemm = kernels::gemm_name();
  profile.peak_rss_mb = peak_memory_mb();
  profile.activities = activities_;
  if (steps_ == 0) return profile;
  const auto steps = static_cast<double>(steps_);
  profile.step_seconds = step_seconds_ / steps;
  profile.tokens_per_step = tokens_ / steps;
  profile.seconds = seconds_since(first_from_);
  for (const auto& [key, sums] : parts_) {
    ProfilePart part = sums;
    std::tie(part.name, part.pass, part.inputs) = key;
    for (double* sum : {&part.calls, &part.seconds, &part.flops, &part.bytes}) *sum /= steps;
    profile.parts.push_back(std::move(part));
  }
  std::stable_sort(profile.parts.begin(), profile.parts.end(),
                   [](const ProfilePart& a, const ProfilePart& b) { return a.seconds > b.seconds; });
  return profile;
}

}  // namespace minnow
