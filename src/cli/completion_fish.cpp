#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion.hpp"
#include "minnow/config/keys.hpp"

namespace minnow::cli {
namespace {

constexpr std::string_view kHead =
    R"sh(# Completion of minnow for fish; written by `minnow completion fish`. To use it once: minnow completion fish | source

)sh";

constexpr std::string_view kLogic = R"sh(
# The verb on the command line, and the command below it.
function __minnow_path
    set -l path
    for word in (commandline -opc)[2..-1]
        set -l longer (string join ' ' $path $word)
        contains -- $longer $__minnow_paths; and set path $longer
    end
    echo "$path"
end

function __minnow_at
    test (__minnow_path | string collect -a) = "$argv"
end

# Folders with a config.toml: below runs/, and below what is typed.
function __minnow_runs
    set -l begun (commandline -ct)
    for file in runs/*/config.toml $begun*/config.toml
        path dirname $file 2>/dev/null; or string replace -r '/config.toml$' '' -- $file
    end
end

# Configurations: those below configs/, here or installed, and any file.
function __minnow_configs
    set -l program (command -s minnow)
    for file in configs/*.toml (string replace -r '/bin/minnow$' '/share/minnow/configs' -- "$program")/*.toml
        echo $file
    end
    __fish_complete_suffix .toml
end

complete -c minnow -f
)sh";

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

/// What `complete` is told of the values: nothing but these, or files as well.
std::string values_of(const OptionRow& option) {
  switch (option.source) {
    case ValueSource::kNothing:
      return "";
    case ValueSource::kChoices:
      return fmt::format(" -a '{}'", fmt::join(option.choices, " "));
    case ValueSource::kKey:
      return " -a '$__minnow_tables $__minnow_keys'";
    case ValueSource::kSetting:
      return " -a '$__minnow_settings'";
    case ValueSource::kConfig:
      return " -a '(__minnow_configs)'";
    case ValueSource::kStart:
      return " -a '(__minnow_configs; __minnow_runs)'";
    case ValueSource::kRun:
      return " -a '(__minnow_runs; __fish_complete_directories)'";
    case ValueSource::kFolder:
      return " -a '(__fish_complete_directories)'";
    case ValueSource::kFile:
      return " -F";
    case ValueSource::kOp:
      return " -a '$__minnow_ops'";
    case ValueSource::kVerb:
      return " -a '$__minnow_verbs'";
  }
  return "";
}

std::string lines_of(const CommandPath& command) {
  const std::string here = fmt::format("complete -c minnow -n '__minnow_at {}'", command.path);
  std::string text;
  for (const OptionRow& option : command.row->options) {
    if (option.positional) {
      if (const std::string values = values_of(option); !values.empty()) text += here + values + "\n";
      continue;
    }
    text += here;
    for (const auto& name : option.names) {
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (option.takes_value()) text += (option.source == ValueSource::kFile ? " -r" : " -x") + values_of(option);
    text += " -d " + quoted(option.doc) + "\n";
  }
  for (const CommandRow& below : command.row->commands) {
    text += here + " -a " + below.name + " -d " + quoted(below.doc) + "\n";
  }
  return text;
}

/// KEY= for every key, and KEY=VALUE where there are few values.
std::string setting_words() {
  std::string words;
  for (const Key& key : config_keys()) {
    if (key.kind == ValueKind::kBool) {
      words += fmt::format(" {0}=true {0}=false", key.name);
    } else if (key.kind == ValueKind::kChoice) {
      for (const auto choice : key.choices) words += fmt::format(" {}={}", key.name, choice);
    } else {
      words += fmt::format(" {}=", key.name);
    }
  }
  return words;
}

}  // namespace

std::string fish_completion(const std::vector<CommandRow>& table) {
  const std::vector<CommandPath> commands = all_commands(table);
  std::string text(kHead), tables;
  for (const auto name : config_tables()) tables += fmt::format(" {}", name);
  text += "set -g __minnow_verbs";
  for (const CommandRow& row : table) text += " " + row.name;
  text += "\nset -g __minnow_paths";
  for (const CommandPath& command : commands) text += " " + quoted(command.path);
  text += fmt::format(
      "\nset -g __minnow_tables{}\nset -g __minnow_keys {}\nset -g __minnow_settings{}\nset -g __minnow_ops {}\n",
      tables, key_words(false), setting_words(), op_words());
  text += kLogic;
  for (const CommandRow& row : table) {
    text += "complete -c minnow -n '__minnow_at \"\"' -a " + row.name + " -d " + quoted(row.doc) + "\n";
  }
  for (const CommandPath& command : commands) text += lines_of(command);
  return text;
}

}  // namespace minnow::cli
