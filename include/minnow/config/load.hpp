#pragma once
/// @file
/// Reads, checks, writes and compares configurations.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/config/config.hpp"
#include "minnow/config/keys.hpp"

namespace minnow {

/// A configuration together with where each value came from.
struct LoadedConfig {
  Config config;
  std::vector<std::string> origins;  ///< per key, in the order of config_keys(): "default", "x.toml:12", "--set"
  std::vector<std::string> notes;    ///< settings that were written but have no effect under the others
};

/// Parses TOML text and overrides, checks every value and the rules between them.
/// @param text the TOML document (UTF-8).
/// @param file its name, for messages and origins.
/// @param overrides `KEY=VALUE` each, VALUE in TOML syntax, quotes may be left out for text and choices; later wins.
/// @return the configuration; relative paths stay relative to the working directory.
/// Throws: ConfigError naming file, line, column and the nearest known name. A syntax error or a duplicate ends the
/// reading and is reported alone; all other errors are reported at once.
[[nodiscard]] LoadedConfig load_config(std::string_view text, const std::string& file,
                                       std::span<const std::string> overrides = {});

/// Checks a configuration that was made by hand: ranges of all keys and the rules between them.
/// Throws: ConfigError listing everything that is wrong.
void validate(const Config& config);

/// Writes every value with a comment that says where it came from. load_config() of the text gives an equal Config.
/// @return TOML text, ending in a line feed.
[[nodiscard]] std::string to_toml(const LoadedConfig& loaded);

/// @return whether a file holds what to_toml wrote, of any version.
[[nodiscard]] bool is_resolved_toml(std::string_view text);

/// The same for a configuration made by hand; the comments tell defaults from values that were set.
[[nodiscard]] std::string to_toml(const Config& config);

/// One key that differs between two configurations.
struct Difference {
  const Key* key;
  std::string before;  ///< TOML text
  std::string after;
  ResumeEffect effect;
};

/// @return the keys whose values differ, in table order, with what the change does to a resumed run.
[[nodiscard]] std::vector<Difference> compare_configs(const Config& before, const Config& after);

/// @return "free", "changes bits" or "refused".
[[nodiscard]] std::string_view effect_name(ResumeEffect effect);

}  // namespace minnow
