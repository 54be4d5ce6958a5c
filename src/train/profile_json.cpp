#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "minnow/base/error.hpp"
#include "minnow/io/file.hpp"
#include "minnow/train/profile.hpp"

namespace minnow {
namespace {

using ProfileJson = nlohmann::ordered_json;
constexpr int kProfileFormat = 1;

ProfileJson part_json(const ProfilePart& part, const MachineRoof& roof) {
  return {{"name", part.name},
          {"pass", part.pass},
          {"inputs", part.inputs},
          {"calls", part.calls},
          {"seconds", part.seconds},
          {"flops", part.flops},
          {"bytes", part.bytes},
          {"gflops", part.gflops()},  // these four are for readers; parse_profile()
                                      // makes them anew
          {"gb_per_s", part.gb_per_s()},
          {"share", part.share(roof)},
          {"bound", part.bound(roof)}};
}

ProfilePart part_from(const ProfileJson& json) {
  ProfilePart part;
  part.name = json.at("name");
  part.pass = json.at("pass");
  part.inputs = json.at("inputs");
  part.calls = json.at("calls");
  part.seconds = json.at("seconds");
  part.flops = json.at("flops");
  part.bytes = json.at("bytes");
  return part;
}

Profile profile_from(const ProfileJson& json) {
  if (json.at("format").get<int>() != kProfileFormat) throw DataError(fmt::format("format must be {}", kProfileFormat));
  Profile profile;
  profile.steps = json.at("steps");
  profile.step_seconds = json.at("step_seconds");
  profile.tokens_per_step = json.at("tokens_per_step");
  profile.seconds = json.at("seconds");
  profile.threads = json.at("threads");
  profile.precision = json.at("precision");
  profile.gemm = json.at("gemm");
  profile.peak_rss_mb = json.at("peak_rss_mb");
  const ProfileJson& roof = json.at("roof");
  profile.roof = {roof.at("gflops"), roof.at("memory_gb_per_s"), roof.at("cache_gb_per_s"), roof.at("cache_bytes")};
  for (const ProfileJson& part : json.at("parts")) profile.parts.push_back(part_from(part));
  for (const ProfileJson& one : json.at("activities")) {
    profile.activities.push_back({one.at("name"), one.at("count"), one.at("seconds")});
  }
  return profile;
}

}  // namespace

std::string profile_json(const Profile& profile) {
  const MachineRoof& roof = profile.roof;
  ProfileJson json{{"format", kProfileFormat},
                   {"steps", profile.steps},
                   {"step_seconds", profile.step_seconds},
                   {"tokens_per_step", profile.tokens_per_step},
                   {"between_seconds", profile.between_seconds()},
                   {"seconds", profile.seconds},
                   {"threads", profile.threads},
                   {"precision", profile.precision},
                   {"gemm", profile.gemm},
                   {"peak_rss_mb", profile.peak_rss_mb},
                   {"roof",
                    {{"gflops", roof.gflops},
                     {"memory_gb_per_s", roof.memory_gb_per_s},
                     {"cache_gb_per_s", roof.cache_gb_per_s},
                     {"cache_bytes", roof.cache_bytes}}}};
  ProfileJson& activities = json["activities"] = ProfileJson::array();
  for (const ProfileActivity& one : profile.activities) {
    activities.push_back({{"name", one.name}, {"count", one.count}, {"seconds", one.seconds}});
  }
  ProfileJson& parts = json["parts"] = ProfileJson::array();
  for (const ProfilePart& part : profile.parts) parts.push_back(part_json(part, roof));
  return json.dump(1) + "\n";
}

Profile parse_profile(std::string_view json) {
  try {
    return profile_from(ProfileJson::parse(json));
  } catch (const std::exception& error) {
    throw DataError(fmt::format(
        "[profile] {} must hold what --profile writes; it does not: {}. Hint: delete it, or train with --profile again",
        kProfileFile, error.what()));
  }
}

void write_profile(const std::filesystem::path& run_dir, const Profile& profile) {
  write_file_atomic(run_dir / kProfileFile, profile_json(profile));
  write_file_atomic(run_dir / kProfileTable, profile_table(profile, profile.parts.size()));
}

}  // namespace minnow
