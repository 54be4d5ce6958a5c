#include "cli/run_request.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/config_file.hpp"
#include "cli/terminal.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/checkpoint.hpp"
#include "minnow/io/file.hpp"
#include "train/kept_text.hpp"
#include "train/run_hint.hpp"

namespace minnow::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOverride = "--set";
constexpr const char* kConfigFile = "config.toml";
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 24U;  // load_config() names its own, smaller limit

std::size_t index_of(const Key& key) { return static_cast<std::size_t>(&key - config_keys().data()); }

/// @return the comment of a line `key = value  # comment`. The value is known where nobody changed the line by hand;
/// it may hold anything, `#` too.
std::string comment_of(std::string_view line, const std::string& written) {
  constexpr std::string_view kSign = "# ";
  const std::size_t from = line.starts_with(written) ? written.size() : 0;
  const std::size_t sign = from > 0 ? line.find(kSign, from) : line.rfind(kSign);
  return sign == std::string_view::npos ? std::string() : std::string(line.substr(sign + kSign.size()));
}

/// Puts the origins that to_toml() wrote as comments back: read from the file, every value comes from its line there.
void restore_origins(LoadedConfig& loaded, std::string_view text) {
  std::string table;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with('[') && line.ends_with(']')) table = line.substr(1, line.size() - 2);
    const std::size_t equals = line.find(" = ");
    if (equals == std::string_view::npos || line.starts_with('#')) continue;
    const std::string leaf(line.substr(0, equals));
    const Key* key = find_key(table.empty() ? leaf : fmt::format("{}.{}", table, leaf));
    if (key == nullptr || loaded.origins[index_of(*key)] == kOverride) continue;  // --set of this command counts
    const std::string origin = comment_of(line, fmt::format("{} = {}", leaf, value_text(*key, loaded.config)));
    if (!origin.empty()) loaded.origins[index_of(*key)] = origin;
  }
}

/// @param file  what holds `text`, for messages
LoadedConfig load_recorded(const std::string& text, const fs::path& run_dir, const std::string& file,
                           std::span<const std::string> overrides) {
  LoadedConfig loaded = load_config(text, file, overrides);
  const bool named_now = loaded.origins[index_of(*find_key("data.path"))] == kOverride;
  restore_origins(loaded, text);
  if (!named_now) find_kept_text(run_dir, loaded.config.data);
  return loaded;
}

/// @return what the run had from --set, as --set takes it.
std::vector<std::string> recorded_overrides(const LoadedConfig& recorded) {
  std::vector<std::string> overrides;
  for (const Key& key : config_keys()) {
    if (recorded.origins[index_of(key)] != kOverride) continue;
    overrides.push_back(fmt::format("{}={}", key.name, value_text(key, recorded.config)));
  }
  return overrides;
}

std::string_view key_of(std::string_view assignment) {
  const std::string_view name = assignment.substr(0, assignment.find('='));
  const std::size_t end = name.find_last_not_of(" \t");
  return name.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

bool names(const std::vector<std::string>& overrides, std::string_view key) {
  return std::any_of(overrides.begin(), overrides.end(), [&](const std::string& one) { return key_of(one) == key; });
}

/// The run's own configuration, with --set.
RunRequest own_configuration(const fs::path& run_dir, const RunWords& words) {
  std::optional<LoadedConfig> recorded = recorded_config(run_dir, words.overrides);
  if (!recorded) {
    throw ConfigError(
        fmt::format("[train] --resume without a configuration file must name a run; {} holds none. Hint: {}",
                    run_dir.string(), run_hint(run_dir)));
  }
  return {std::move(*recorded), run_dir, {fmt::format("the configuration is that of {}", run_dir.string())}};
}

/// The file, with what the run had from --set and is not named again, and with --set.
RunRequest file_configuration(const RunWords& words, const fs::path& run_dir) {
  RunRequest request{.config = {}, .run_dir = run_dir, .notes = {}};
  std::vector<std::string> overrides;
  try {
    if (const auto recorded = recorded_config(run_dir)) overrides = recorded_overrides(*recorded);
  } catch (const ConfigError& error) {
    print_warning(fmt::format("{}; what the run had from --set is not known", error.what()));
  }
  std::erase_if(overrides, [&](const std::string& one) { return names(words.overrides, key_of(one)); });
  for (const std::string& one : overrides) {
    request.notes.push_back(fmt::format("--set {} still counts; --set it again to change it", one));
  }
  overrides.insert(overrides.end(), words.overrides.begin(), words.overrides.end());
  request.config = read_config_file(words.config, overrides);
  return request;
}

fs::path directory_of(const RunWords& words, const Config& config) {
  if (!words.run.empty()) return words.run;
  if (!config.run.dir.empty()) return config.run.dir;
  return fs::path("runs") / fs::path(words.config).stem();
}

/// @return the directory of the run that a file goes on with. What is wrong with the file is said when it is read for
/// good: it may lack what the run had from --set.
fs::path resumed_directory(const RunWords& words) {
  if (!words.run.empty()) return words.run;
  try {
    return directory_of(words, load_config(read_file(words.config, kMaxBytes), words.config, words.overrides).config);
  } catch (const Error&) {
    return directory_of(words, {});
  }
}

}  // namespace

std::optional<LoadedConfig> recorded_config(const fs::path& run_dir, std::span<const std::string> overrides) {
  const fs::path own = run_dir / kConfigFile;
  if (!path_exists(run_dir)) return std::nullopt;
  std::string damage;
  if (path_exists(own)) {
    const std::string text = read_file(own, kMaxBytes);
    try {
      (void)load_config(text, own.string());
    } catch (const ConfigError& error) {
      damage = error.what();
    }
    if (damage.empty()) return load_recorded(text, run_dir, own.string(), overrides);
  }
  std::vector<std::string> ignored;  // whoever resumes says it
  const auto checkpoint = list_checkpoints(run_dir).empty() ? std::nullopt : open_newest_valid(run_dir, ignored);
  if (!checkpoint || !checkpoint->has(kConfigFile)) {
    if (!damage.empty()) throw ConfigError(damage);
    return std::nullopt;
  }
  if (!damage.empty()) print_warning(fmt::format("{}; that of step {} counts instead", damage, checkpoint->step()));
  return load_recorded(checkpoint->read(kConfigFile), run_dir, (checkpoint->directory() / kConfigFile).string(),
                       overrides);
}

RunRequest resolve_run(const RunWords& given) {
  RunWords words = given;
  words.config = named_config(words.config).string();
  std::error_code ignored;
  const bool names_directory = !words.config.empty() && fs::is_directory(words.config, ignored);
  if (words.resume && (words.config.empty() || names_directory)) {
    if (words.config.empty() && words.run.empty()) {
      throw ConfigError(
          "[train] a configuration or a run must be named; got neither. Hint: `minnow train --resume RUN`");
    }
    if (names_directory && !words.run.empty() && !fs::equivalent(words.config, words.run, ignored)) {
      throw ConfigError(fmt::format("[train] one run must be named; got {} and --run {}", words.config, words.run));
    }
    return own_configuration(names_directory ? words.config : words.run, words);
  }
  if (words.config.empty())
    throw ConfigError(
        "[minnow train] CONFIG is required. Hint: `minnow help train` shows what it takes, for instance `minnow train "
        "configs/quickstart.toml`");
  if (words.resume && !fs::exists(words.config, ignored) && fs::path(words.config).extension() != ".toml") {
    throw ConfigError(
        fmt::format("[train] --resume must name a run or a configuration file; {} does not exist. Hint: {}",
                    words.config, run_hint(words.config)));
  }
  if (words.resume) return file_configuration(words, resumed_directory(words));
  LoadedConfig config = read_config_file(words.config, words.overrides);
  fs::path run_dir = directory_of(words, config.config);
  return {std::move(config), std::move(run_dir), {}};
}

}  // namespace minnow::cli
