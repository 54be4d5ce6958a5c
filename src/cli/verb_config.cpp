/// @file
/// `minnow config`: explains keys, checks and compares configuration files.

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/config_file.hpp"
#include "cli/json_line.hpp"
#include "cli/terminal.hpp"
#include "cli/verb.hpp"
#include "minnow/base/error.hpp"

namespace minnow::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ConfigArguments {
  std::string name;
  std::string file;
  std::string other;
  std::vector<std::string> overrides;
  bool json = false;
  bool markdown = false;
};

Json key_json(const Key& key) {
  static const Config defaults;
  Json object{{"name", key.name}, {"doc", key.doc}, {"value", expected_text(key)}, {"unit", key.unit}};
  object["default"] = key.required ? Json() : Json(value_text(key, defaults));
  object["on_resume"] = effect_name(key.effect);
  if (!key.choices.empty()) object["choices"] = key.choices;
  return object;
}

void print_json(const Json& json) { print_result(json_line(json)); }

/// The keys that a word names: a table, a key, a last part such as learning_rate, another program's name for it, or a
/// piece of a name such as batch.
std::vector<const Key*> named_keys(const std::string& word) {
  if (const Key* key = find_key(word)) return {key};
  std::vector<const Key*> found;
  for (const Key& key : config_keys()) {
    if (key.table() == word || key.leaf() == word) found.push_back(&key);
  }
  if (found.empty()) found = keys_called(word);
  constexpr std::size_t kShortest = 3;  // a shorter part is in too many names
  if (!found.empty() || word.size() < kShortest) return found;
  for (const Key& key : config_keys()) {
    if (key.leaf().find(word) != std::string_view::npos) found.push_back(&key);
  }
  return found;
}

int explain(const ConfigArguments& arguments) {
  const auto found = named_keys(arguments.name);
  if (found.empty()) {
    const Key* near = nearest_key(arguments.name);
    throw ConfigError(fmt::format(
        "[config explain] KEY must be a key or a table; got {}. Hint: {}", arguments.name,
        near == nullptr ? "`minnow config reference` lists all" : fmt::format("did you mean {}?", near->name)));
  }
  Json list = Json::array();
  std::string text;
  for (const Key* key : found) {
    list.push_back(key_json(*key));
    text += fmt::format("{}{}", text.empty() ? "" : "\n", explain_key(*key));
  }
  print_result(arguments.json ? json_line(list) : text);
  return 0;
}

int reference(const ConfigArguments& arguments) {
  if (arguments.json) {
    Json list = Json::array();
    for (const Key& key : config_keys()) list.push_back(key_json(key));
    print_json(list);
  } else {
    print_result(arguments.markdown ? reference_markdown() : reference_text());
  }
  return 0;
}

/// @return the configuration file that was named, or that of the run.
std::string file_of(const std::string& named) {
  std::error_code ignored;
  const std::filesystem::path own = std::filesystem::path(named) / "config.toml";
  return std::filesystem::is_regular_file(own, ignored) ? own.string() : named;
}

int check(const ConfigArguments& arguments) {
  const LoadedConfig loaded = read_config_file(file_of(arguments.file), arguments.overrides);
  if (arguments.json) {
    print_json({{"ok", true}, {"file", arguments.file}, {"notes", loaded.notes}});
  } else {
    print_line(fmt::format("{}: {}", arguments.file, styled("ok", Style::kGreen, use_color(STDERR_FILENO))));
  }
  return 0;
}

int show(const ConfigArguments& arguments) {
  const LoadedConfig loaded = read_config_file(file_of(arguments.file), arguments.overrides);
  if (!arguments.json) {
    print_result(to_toml(loaded));
    return 0;
  }
  Json object = Json::object();
  const auto keys = config_keys();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    object[std::string(keys[i].name)] = {{"value", value_text(keys[i], loaded.config)}, {"from", loaded.origins[i]}};
  }
  print_json(object);
  return 0;
}

int diff(const ConfigArguments& arguments) {
  const LoadedConfig before = read_config_file(file_of(arguments.file));
  const LoadedConfig after = read_config_file(file_of(arguments.other), arguments.overrides);
  Json list = Json::array();
  const auto differences = compare_configs(before.config, after.config);
  const bool differs = !differences.empty();
  for (const Difference& difference : differences) {
    const auto effect = effect_name(difference.effect);
    if (arguments.json) {
      list.push_back({{"key", difference.key->name},
                      {"before", difference.before},
                      {"after", difference.after},
                      {"on_resume", effect}});
    } else {
      print_result(fmt::format("{:<26} {} -> {}  ({} on a resume)\n", difference.key->name, difference.before,
                               difference.after, effect));
    }
  }
  if (arguments.json) print_json(list);
  if (!arguments.json && !differs) print_line("no key differs");
  return 0;
}

/// Adds a command whose action gets the arguments that `declare` bound.
void add(Options& options, const std::string& name, const std::string& doc, int (*run)(const ConfigArguments&),
         void (*declare)(Options&, ConfigArguments&)) {
  options.command(name, doc, [&](Options& command) -> Action {
    const auto arguments = std::make_shared<ConfigArguments>();
    declare(command, *arguments);
    command.flag("--json", arguments->json, "Write JSON to stdout");
    return [arguments, run] { return run(*arguments); };
  });
}

Action setup_config(Options& options) {
  add(options, "explain", "Explain a key, or all keys of a table", explain, [](Options& command, ConfigArguments& a) {
    command.argument("KEY", a.name, "For instance train.max_steps, or a table such as train");
  });
  add(options, "reference", "List all keys", reference,
      [](Options& command, ConfigArguments& a) { command.flag("--markdown", a.markdown, "Write a Markdown page"); });
  add(options, "check", "Check a file; says what is wrong, where, and what may be meant", check,
      [](Options& command, ConfigArguments& a) {
        command.argument("FILE", a.file, "Configuration in TOML, or the directory of a run");
        command.overrides(a.overrides);
      });
  add(options, "show", "Write the resolved configuration: every value and where it came from", show,
      [](Options& command, ConfigArguments& a) {
        command.argument("FILE", a.file, "Configuration in TOML, or the directory of a run");
        command.overrides(a.overrides);
      });
  add(options, "diff", "List the keys that differ and what that means for a resume", diff,
      [](Options& command, ConfigArguments& a) {
        command.argument("BEFORE", a.file, "Configuration in TOML, or the directory of a run");
        command.argument("AFTER", a.other, "Configuration in TOML, or the directory of a run");
        command.overrides(a.overrides);
      });
  options.footer(
      "Examples:\n  minnow config explain learning_rate\n  minnow config diff runs/a runs/b\n  minnow config check "
      "configs/quickstart.toml --set "
      "train.seed=2\n");
  return {};
}

}  // namespace

const Verb kVerbConfig = {"config", "Explain, check and compare configurations", "Settings", setup_config};

}  // namespace minnow::cli
