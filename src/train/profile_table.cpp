#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "minnow/train/profile.hpp"

namespace minnow {
namespace {

std::string part_row(const ProfilePart& part, const Profile& profile) {
  return fmt::format("{:<24} {:<9} {:>6.1f} {:>6.4g} {:>11.1f} {:>8.1f} {:>7.1f} {:>6.2f} {:<8}  {}\n", part.name,
                     part.pass, 100 * part.seconds / profile.step_seconds, part.calls, part.seconds * 1e6,
                     part.gflops(), part.gb_per_s(), part.share(profile.roof), part.bound(profile.roof), part.inputs);
}

/// A row of the parts that a table leaves out, or of what is no operation.
std::string plain_row(std::string_view name, std::string_view pass, double seconds, const Profile& profile) {
  return fmt::format("{:<24} {:<9} {:>6.1f} {:>6} {:>11.1f}\n", name, pass, 100 * seconds / profile.step_seconds, "",
                     seconds * 1e6);
}

std::string passes_table(const Profile& profile) {
  const auto steps = static_cast<double>(profile.steps);
  std::string text = fmt::format("{:<24} {:>6} {:>11} {:>11} {:>8}\n", "of the run", "%", "ms", "ms / step", "times");
  const auto row = [&](std::string_view name, double seconds, const std::string& times) {
    text += fmt::format("{:<24} {:>6.2f} {:>11.1f} {:>11.4f} {:>8}\n", name, 100 * seconds / profile.seconds,
                        seconds * 1e3, seconds * 1e3 / steps, times);
  };
  for (const char* pass : {"forward", "backward", "optimizer"}) row(pass, steps * profile.pass_seconds(pass), "");
  row("between operations", steps * profile.between_seconds(), "");
  for (const ProfileActivity& one : profile.activities) row(one.name, one.seconds, fmt::format("{}", one.count));
  row("other", profile.other_seconds(), "");
  return text;
}

}  // namespace

std::string profile_table(const Profile& profile, std::size_t most) {
  if (profile.steps == 0) {
    return fmt::format("nothing to profile: the first {} steps of a process do not count\n", Profiler::kUntimedSteps);
  }
  std::string text = fmt::format("{:<24} {:<9} {:>6} {:>6} {:>11} {:>8} {:>7} {:>6} {:<8}  {}\n", "operation", "pass",
                                 "% step", "calls", "us", "GFLOP/s", "GB/s", "share", "bound", "inputs");
  double left = 0;
  for (std::size_t i = 0; i < profile.parts.size(); ++i) {
    if (i < most) {
      text += part_row(profile.parts[i], profile);
    } else {
      left += profile.parts[i].seconds;
    }
  }
  if (left > 0) text += plain_row(fmt::format("{} others", profile.parts.size() - most), "", left, profile);
  text += plain_row("between operations", "", profile.between_seconds(), profile);
  text += "\n" + passes_table(profile);
  const MachineRoof& roof = profile.roof;
  const double gflops = profile.step_flops() / profile.step_seconds / 1e9;
  text += fmt::format("\n{} steps: {:.3f} ms each, {:.0f} tokens/s, {:.1f} GFLOP/s; {} threads, {} by {}\n",
                      profile.steps, profile.step_seconds * 1e3, profile.tokens_per_step / profile.step_seconds, gflops,
                      profile.threads, profile.precision, profile.gemm);
  text += fmt::format(
      "roof: {:.1f} GFLOP/s in products, {:.1f} GB/s from memory, {:.1f} GB/s for calls that touch less than {:.0f} "
      "MiB;\neach the larger of what was measured alone and what an operation reached. share: least time / time "
      "taken\n",
      roof.gflops, roof.memory_gb_per_s, roof.cache_gb_per_s, roof.cache_bytes / 1048576);
  return text;
}

}  // namespace minnow
