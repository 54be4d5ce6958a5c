/// @file
/// Writes the resolved configuration and compares two of them.

#include <fmt/format.h>

#include "minnow/config/load.hpp"

namespace minnow {
namespace {

constexpr std::string_view kResolvedLine = "# The resolved configuration: every value, and where it came from.\n";

/// File names may hold anything; a line feed would end the comment.
std::string comment_text(std::string_view text) {
  std::string clean(text);
  for (char& c : clean) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  return clean;
}

std::string key_line(const Key& key, const Config& config, std::string_view origin) {
  if (std::holds_alternative<std::monostate>(key.get(config))) {
    const std::string followed = value_text(*find_key(key.follows), config);
    return fmt::format("{:<32} # not given: follows {}\n", fmt::format("# {} = {}", key.leaf(), followed), key.follows);
  }
  return fmt::format("{:<32} # {}\n", fmt::format("{} = {}", key.leaf(), value_text(key, config)),
                     comment_text(origin));
}

/// Changes that are harmless under the other settings although the key is not in general.
ResumeEffect effect_of(const Key& key, const Config& before, const Config& after) {
  const bool cuts_batch = key.name == "train.accumulation_steps" || key.name == "train.leaf_sequences";
  if (cuts_batch && before.train.leaf() == after.train.leaf()) return ResumeEffect::kFree;
  if (key.name == "model.n_inner" && before.model.hidden_width() == after.model.hidden_width())
    return ResumeEffect::kFree;
  if (key.name == "model.n_kv_head" && before.model.kv_heads() == after.model.kv_heads()) return ResumeEffect::kFree;
  if (key.name == "model.rotary_dim" && before.model.rotary_width() == after.model.rotary_width())
    return ResumeEffect::kFree;
  if (key.name == "train.max_steps") {
    const auto reads_end = [](const Config& config) {
      const auto name = config.schedule.name;
      if (name == ScheduleKind::kConstant || name == ScheduleKind::kInverseSqrt) return false;
      return name == ScheduleKind::kWsd || config.schedule.decay_steps == 0;
    };
    if (!reads_end(before) && !reads_end(after)) return ResumeEffect::kFree;
  }
  const bool idle = key.applies != nullptr && !key.applies(before) && !key.applies(after);
  return idle ? ResumeEffect::kFree : key.effect;
}

}  // namespace

bool is_resolved_toml(std::string_view text) { return text.starts_with(kResolvedLine); }

std::string to_toml(const LoadedConfig& loaded) {
  std::string text(kResolvedLine);
  std::string_view table;
  const auto keys = config_keys();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].table() != table) text += fmt::format("\n[{}]\n", keys[i].table());
    table = keys[i].table();
    text += key_line(keys[i], loaded.config, i < loaded.origins.size() ? std::string_view(loaded.origins[i]) : "");
  }
  return text;
}

std::string to_toml(const Config& config) {
  const Config defaults = defaults_for(config);
  LoadedConfig loaded;
  loaded.config = config;
  for (const Key& key : config_keys()) {
    loaded.origins.emplace_back(key.get(config) == key.get(defaults) ? "default" : "set by the program");
  }
  return to_toml(loaded);
}

std::vector<Difference> compare_configs(const Config& before, const Config& after) {
  std::vector<Difference> differences;
  for (const Key& key : config_keys()) {
    if (key.get(before) == key.get(after)) continue;
    differences.push_back({&key, value_text(key, before), value_text(key, after), effect_of(key, before, after)});
  }
  return differences;
}

std::string_view effect_name(ResumeEffect effect) {
  switch (effect) {
    case ResumeEffect::kFree:
      return "free";
    case ResumeEffect::kBits:
      return "changes bits";
    case ResumeEffect::kRefused:
      return "refused";
  }
  return "refused";
}

}  // namespace minnow
