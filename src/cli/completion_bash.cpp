#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion.hpp"
#include "minnow/config/keys.hpp"

namespace minnow::cli {
namespace {

constexpr std::string_view kHead =
    R"sh(# Completion of minnow for bash; written by `minnow completion bash`. To use it once: source <(minnow completion bash)

)sh";

/// What does not depend on the tables. COMP_WORDBREAKS cuts words at '=': KEY=VALUE arrives as three of them.
constexpr std::string_view kLogic = R"sh(
# Folders of runs and checkpoints that begin with $1; runs/ is where they are by default.
_minnow_runs() {
  local folder
  for folder in "$1"*/ runs/"$1"*/; do
    [[ -f ${folder}config.toml ]] && printf '%s\n' "${folder%/}"
  done
}

# Configurations: those below configs/, here or installed, and any file.
_minnow_configs() {
  local file program
  program=$(type -P "${COMP_WORDS[0]}")
  [[ -z $1 ]] && for file in configs/*.toml "${program%/*}"/../share/minnow/configs/*.toml; do
    [[ -f $file ]] && printf '%s\n' "$file"
  done
  compgen -f -X '!*.toml' -- "$1"
}

# Words of $1 that begin with $2, with $3 behind each.
_minnow_take() { mapfile -t COMPREPLY < <(compgen -W "$1" -S "${3-}" -- "$2"); }

# Completes the value $2 from the source $1.
_minnow_value() {
  case $1 in
    setting)
      _minnow_take "$_minnow_keys" "$2" =
      compopt -o nospace 2>/dev/null
      ;;
    key) _minnow_take "$_minnow_tables $_minnow_keys" "$2" ;;
    op) _minnow_take "$_minnow_ops" "$2" ;;
    verb) _minnow_take "$(_minnow_commands '')" "$2" ;;
    run | start | config | file | folder)
      compopt -o filenames 2>/dev/null
      case $1 in
        run) mapfile -t COMPREPLY < <(_minnow_runs "$2") ;;
        start) mapfile -t COMPREPLY < <(_minnow_configs "$2"; _minnow_runs "$2") ;;
        config) mapfile -t COMPREPLY < <(_minnow_configs "$2") ;;
        file) mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
      esac
      ((${#COMPREPLY[@]})) || mapfile -t COMPREPLY < <(compgen -d -- "$2")
      ;;
    'words '*) _minnow_take "${1#words }" "$2" ;;
  esac
}

_minnow() {
  local cur=${COMP_WORDS[COMP_CWORD]} path='' source='' word i places=0
  COMPREPLY=()
  # bash cuts words at '=': KEY=VALUE and --option=VALUE arrive as three of them.
  local last=$((COMP_CWORD - 1))
  [[ $cur == '=' ]] && cur='' last=$COMP_CWORD
  if ((last > 1)) && [[ ${COMP_WORDS[last]} == '=' && ${COMP_WORDS[last - 1]} != --* ]]; then
    _minnow_take "$(_minnow_choices "${COMP_WORDS[last - 1]}")" "$cur"
    return
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == '=' ]]; then
      continue
    elif [[ -n $source ]]; then
      source=''
      [[ ${COMP_WORDS[i + 1]-} == '=' ]] && ((i += 2))
    elif [[ $word == -?* ]]; then
      source=$(_minnow_source "$path" "$word")
    elif [[ " $(_minnow_commands "$path") " == *" $word "* ]]; then
      path=${path:+$path }$word
    else
      ((++places))
    fi
  done
  if [[ -n $source ]]; then
    _minnow_value "$source" "$cur"
  elif [[ $cur == -* ]]; then
    _minnow_take "$(_minnow_options "$path")" "$cur"
  elif [[ -n $(_minnow_commands "$path") ]]; then
    _minnow_take "$(_minnow_commands "$path")" "$cur"
  else
    _minnow_value "$(_minnow_source "$path" "$((places + 1))")" "$cur"
  fi
}

complete -F _minnow minnow
)sh";

std::string source_word(const OptionRow& option) {
  switch (option.source) {
    case ValueSource::kNothing:
      return "text";
    case ValueSource::kChoices:
      return fmt::format("words {}", fmt::join(option.choices, " "));
    case ValueSource::kKey:
      return "key";
    case ValueSource::kSetting:
      return "setting";
    case ValueSource::kConfig:
      return "config";
    case ValueSource::kStart:
      return "start";
    case ValueSource::kRun:
      return "run";
    case ValueSource::kFolder:
      return "folder";
    case ValueSource::kFile:
      return "file";
    case ValueSource::kOp:
      return "op";
    case ValueSource::kVerb:
      return "verb";
  }
  return "text";
}

std::string names_of(const std::vector<CommandRow>& rows) {
  std::string names;
  for (const CommandRow& row : rows) names += (names.empty() ? "" : " ") + row.name;
  return names;
}

/// Lines of a `case`: the commands below each path, its options, and where values come from.
struct Cases {
  std::string commands, options, sources;
};

void add_command(Cases& cases, const CommandPath& command) {
  if (!command.row->commands.empty()) {
    cases.commands += fmt::format("    '{}') echo '{}' ;;\n", command.path, names_of(command.row->commands));
  }
  std::string names;
  int place = 0;
  for (const OptionRow& option : command.row->options) {
    std::string pattern;
    if (option.positional) {
      pattern = fmt::format("'{} {}'", command.path, option.repeated ? "'[0-9]*'" : std::to_string(++place));
    } else {
      for (const auto& name : option.names) {
        names += " " + name;
        pattern += fmt::format("{}'{} {}'", pattern.empty() ? "" : " | ", command.path, name);
      }
    }
    if (option.takes_value()) {
      cases.sources += fmt::format("    {}) echo {} ;;\n", pattern, shell_quoted(source_word(option)));
    }
  }
  cases.options += fmt::format("    '{}') echo '{}' ;;\n", command.path, names.empty() ? "" : names.substr(1));
}

std::string function_of(std::string_view name, std::string_view subject, std::string_view lines) {
  return fmt::format("{}() {{\n  case {} in\n{}  esac\n}}\n", name, subject, lines);
}

/// The choices of keys: true and false, or words, which --set takes without quotes.
std::string choices_of_keys() {
  std::string lines;
  for (const Key& key : config_keys()) {
    if (key.kind == ValueKind::kBool) {
      lines += fmt::format("    '{}') echo 'true false' ;;\n", key.name);
    } else if (key.kind == ValueKind::kChoice) {
      lines += fmt::format("    '{}') echo '{}' ;;\n", key.name, fmt::join(key.choices, " "));
    }
  }
  return lines;
}

}  // namespace

std::string bash_completion(const std::vector<CommandRow>& table) {
  Cases cases;
  cases.commands = fmt::format("    '') echo '{}' ;;\n", names_of(table));
  cases.options = "    '') echo '--help --version' ;;\n";
  for (const CommandPath& command : all_commands(table)) add_command(cases, command);
  std::string tables;
  for (const auto name : config_tables()) tables += fmt::format("{}{}", tables.empty() ? "" : " ", name);
  std::string text(kHead);
  text +=
      fmt::format("_minnow_tables='{}'\n_minnow_keys='{}'\n_minnow_ops='{}'\n\n", tables, key_words(false), op_words());
  text += "# The commands below a verb, or the verbs.\n" + function_of("_minnow_commands", "$1", cases.commands);
  text += "\n# The options of a command.\n" + function_of("_minnow_options", "$1", cases.options);
  text += "\n# Where the value of option $2, or the $2th argument, of command $1 comes from; nothing for a flag.\n" +
          function_of("_minnow_source", "\"$1 $2\"", cases.sources);
  text += "\n# The values of a key that has few.\n" + function_of("_minnow_choices", "$1", choices_of_keys());
  text += kLogic;
  return text;
}

}  // namespace minnow::cli
