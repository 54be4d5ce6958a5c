#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion.hpp"
#include "minnow/config/keys.hpp"

namespace minnow::cli {
namespace {

constexpr std::string_view kHead =
    R"sh(#compdef minnow
# Completion of minnow for zsh; written by `minnow completion zsh`. To use it once: source <(minnow completion zsh)

)sh";

constexpr std::string_view kLogic = R"sh(
_minnow_runs() {
  local -a runs=( ${~PREFIX}*/config.toml(N:h) runs/*/config.toml(N:h) )
  (( $#runs )) && compadd -f -a runs
  _files -/
}

# Configurations: those below configs/, here or installed, and any file.
_minnow_configs() {
  local -a files=( configs/*.toml(N) ${commands[minnow]:h:h}/share/minnow/configs/*.toml(N) )
  (( $#files )) && compadd -f -a files
  _files -g '*.toml'
}

_minnow_starts() { _minnow_configs; _minnow_runs }

_minnow_any_key() { compadd -a _minnow_tables _minnow_keys }

_minnow_settings() {
  if compset -P 1 '*='; then
    local key=${${IPREFIX%=}##*=}
    compadd -- ${=_minnow_choices[$key]}
  else
    compadd -q -S = -a _minnow_keys
  fi
}

if [[ $funcstack[1] == _minnow ]]; then
  _minnow "$@"
else
  compdef _minnow minnow
fi
)sh";

/// Text inside the brackets of _arguments or before the colon of _describe.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string action_of(const OptionRow& option) {
  switch (option.source) {
    case ValueSource::kNothing:
      return " ";
    case ValueSource::kChoices:
      return fmt::format("({})", fmt::join(option.choices, " "));
    case ValueSource::kKey:
      return "_minnow_any_key";
    case ValueSource::kSetting:
      return "_minnow_settings";
    case ValueSource::kConfig:
      return "_minnow_configs";
    case ValueSource::kStart:
      return "_minnow_starts";
    case ValueSource::kRun:
      return "_minnow_runs";
    case ValueSource::kFolder:
      return "_files -/";
    case ValueSource::kFile:
      return "_files";
    case ValueSource::kOp:
      return "{compadd -a _minnow_ops}";
    case ValueSource::kVerb:
      return "{compadd -a _minnow_verbs}";
  }
  return " ";
}

/// One argument of _arguments per name of the option.
std::string specs_of(const OptionRow& option) {
  const std::string value = escaped(option.positional ? option.names.front() : option.value);
  if (option.positional) {
    const std::string place = option.repeated ? "*" : "";
    const std::string optional = option.repeated || option.required ? ":" : "::";
    return "    " + shell_quoted(place + optional + value + ":" + action_of(option)) + " \\\n";
  }
  std::string specs;
  for (const auto& name : option.names) {
    std::string spec = option.repeated ? "*" : fmt::format("({})", fmt::join(option.names, " "));
    spec += name;
    if (option.takes_value() && name.starts_with("--")) spec += "=";
    spec += "[" + escaped(option.doc) + "]";
    if (option.takes_value()) spec += ":" + value + ":" + action_of(option);
    specs += "    " + shell_quoted(spec) + " \\\n";
  }
  return specs;
}

std::string function_name(const std::string& path) {
  std::string name = "_minnow_at";
  for (const char c : path.empty() ? "" : " " + path) name += c == ' ' ? '_' : c;
  return name;
}

/// The function of a verb that takes one of `commands`, and of the program itself.
std::string chooser(const std::string& name, const std::string& path, const std::vector<CommandRow>& commands) {
  std::string text = name + "() {\n  if (( CURRENT == 2 )); then\n    local -a below=(\n";
  for (const CommandRow& row : commands) text += "      " + shell_quoted(row.name + ":" + escaped(row.doc)) + "\n";
  text +=
      "    )\n    _describe command below\n    return\n  fi\n  shift words\n  (( CURRENT-- ))\n  case $words[1] in\n";
  for (const CommandRow& row : commands) {
    text += fmt::format("    {}) {} ;;\n", row.name, function_name(path.empty() ? row.name : path + " " + row.name));
  }
  return text + "  esac\n}\n\n";
}

std::string function_of(const CommandPath& command) {
  if (!command.row->commands.empty()) return chooser(function_name(command.path), command.path, command.row->commands);
  std::string text = function_name(command.path) + "() {\n  _arguments -S \\\n";
  for (const OptionRow& option : command.row->options) text += specs_of(option);
  return text.substr(0, text.size() - 3) + "\n}\n\n";
}

}  // namespace

std::string zsh_completion(const std::vector<CommandRow>& table) {
  std::string tables, verbs;
  for (const auto name : config_tables()) tables += fmt::format("{}{}", tables.empty() ? "" : " ", name);
  for (const CommandRow& row : table) verbs += (verbs.empty() ? "" : " ") + row.name;
  std::string text(kHead);
  text += fmt::format("typeset -ga _minnow_verbs=({})\ntypeset -ga _minnow_tables=({})\n", verbs, tables);
  text += fmt::format("typeset -ga _minnow_keys=({})\ntypeset -ga _minnow_ops=({})\n", key_words(false), op_words());
  text += "typeset -gA _minnow_choices=(\n";
  for (const Key& key : config_keys()) {
    if (key.kind == ValueKind::kBool) text += fmt::format("  {} 'true false'\n", key.name);
    if (key.kind == ValueKind::kChoice) text += fmt::format("  {} '{}'\n", key.name, fmt::join(key.choices, " "));
  }
  text += ")\n\n";
  for (const CommandPath& command : all_commands(table)) text += function_of(command);
  text += chooser("_minnow", "", table);
  text += kLogic;
  return text;
}

}  // namespace minnow::cli
