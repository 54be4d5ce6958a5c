#include "cli/man_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cctype>
#include <utility>

#include "cli/completion.hpp"
#include "minnow/config/keys.hpp"

namespace minnow::cli {
namespace {

using Entry = std::pair<std::string_view, std::string_view>;

constexpr auto kExitCodes = std::to_array<Entry>({
    {"0", "Done."},
    {"1", "A fault of minnow itself."},
    {"2", "The command line or the configuration is wrong."},
    {"3", "The data are wrong, or changed."},
    {"4", "A checkpoint is damaged, or does not fit."},
    {"5", "The disk is full or read-only, or a folder is missing."},
    {"6", "A result is not finite: too many steps with NaN or infinity."},
    {"7", "Memory is short."},
    {"8", "Another process writes in this run."},
    {"129, 130, 143, 152", "Interrupted by SIGHUP, SIGINT, SIGTERM or SIGXCPU, after saving."},
});

constexpr auto kFiles = std::to_array<Entry>({
    {"runs/NAME/config.toml", "Every setting of a run, and where it came from."},
    {"runs/NAME/metrics.jsonl", "One JSON object per logged step."},
    {"runs/NAME/samples.txt", "Text sampled during training."},
    {"runs/NAME/tokenizer.json", "The tokenizer, in the Hugging Face format."},
    {"runs/NAME/checkpoints/", "Model, optimizer and state; latest and best name one of them."},
});

constexpr auto kEnvironment = std::to_array<Entry>({
    {"NO_COLOR", "Not empty: no colour."},
    {"COLUMNS", "Width of the output where there is no terminal."},
    {"OMP_NUM_THREADS", "Threads, unless an option or the configuration says."},
    {"OPENBLAS_CORETYPE", "Makes OpenBLAS take the kernels of another processor, which gives other bits."},
});

/// One line of body text: what it begins with must not be taken for a request.
std::string body_line(std::string_view text) {
  std::string out = roff_escaped(text);
  if (!out.empty() && (out.front() == '.' || out.front() == '\'')) out.insert(0, "\\&");
  return out + "\n";
}

/// A word in quotes, as an argument of a macro.
std::string argument(std::string_view text) {
  std::string out = "\"";
  for (const char c : roff_escaped(text)) {
    if (c == '"') {
      out += "\\(dq";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string sentence(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

template <class Entries>
std::string entries_of(const Entries& entries) {
  std::string text;
  for (const auto& [name, doc] : entries) text += ".TP\n.B " + argument(name) + "\n" + body_line(doc);
  return text;
}

std::string option_text(const OptionRow& option) {
  std::string head = ".TP\n";
  if (option.positional) {
    head += fmt::format("\\fI{}\\fR{}{}", roff_escaped(option.names.front()), option.repeated ? " ..." : "",
                        option.required ? "" : " (optional)");
  } else {
    std::string names;
    for (const auto& name : option.names) names += (names.empty() ? "\\fB" : ", \\fB") + roff_escaped(name) + "\\fR";
    head += names + (option.value.empty() ? "" : fmt::format(" \\fI{}\\fR", roff_escaped(option.value)));
  }
  std::string doc = sentence(option.doc);
  if (!option.choices.empty()) doc += fmt::format(" One of {}.", fmt::join(option.choices, ", "));
  if (!option.fallback.empty()) doc += fmt::format(" Default: {}.", option.fallback);
  return head + "\n" + body_line(doc);
}

/// Examples and remarks: lines that begin with blanks stay as they are.
std::string footer_text(const std::string& footer) {
  std::string text;
  bool literal = false;
  for (std::size_t begin = 0; begin < footer.size();) {
    const std::size_t end = std::min(footer.find('\n', begin), footer.size());
    const std::string line = footer.substr(begin, end - begin);
    begin = end + 1;
    if (line.empty()) continue;
    const bool code = line.front() == ' ';
    if (code && !literal) text += text.empty() ? ".PP\n.nf\n.RS\n" : ".nf\n.RS\n";
    if (!code && literal) text += ".RE\n.fi\n";
    if (!code && !literal) text += ".PP\n";
    if (!code && literal) text += ".PP\n";
    literal = code;
    text += body_line(code ? line.substr(line.find_first_not_of(' ')) : line);
  }
  return text + (literal ? ".RE\n.fi\n" : "");
}

std::string usage_of(const CommandPath& command) {
  std::string usage = "minnow " + command.path;
  if (!command.row->commands.empty()) return usage + " COMMAND ...";
  usage += " [OPTIONS]";
  for (const OptionRow& option : command.row->options) {
    if (!option.positional) continue;
    const std::string name = option.names.front() + (option.repeated ? " ..." : "");
    usage += option.required ? " " + name : " [" + name + "]";
  }
  return usage;
}

std::string command_text(const CommandPath& command) {
  std::string text = ".SS " + argument(usage_of(command)) + "\n" + body_line(sentence(command.row->doc));
  for (const OptionRow& option : command.row->options) {
    if (option.names.front() != "--help") text += option_text(option);
  }
  return text + footer_text(command.row->footer);
}

std::string key_text(const Key& key) {
  static const Config defaults;
  std::string doc = fmt::format("{} Value: {}{}.", sentence(std::string(key.doc)), expected_text(key),
                                key.unit.empty() ? "" : fmt::format(" ({})", key.unit));
  if (!key.required) doc += fmt::format(" Default: {}.", value_text(key, defaults));
  if (!key.applies_text.empty()) doc += fmt::format(" Used when {}.", key.applies_text);
  return ".TP\n.B " + argument(key.name) + "\n" + body_line(doc);
}

std::string keys_text() {
  std::string text;
  std::string_view table = "none yet";
  for (const Key& key : config_keys()) {
    if (key.table() != table) {
      table = key.table();
      text += ".SS " + argument(table.empty() ? "Above the tables" : fmt::format("[{}]", table)) + "\n";
    }
    text += key_text(key);
  }
  return text;
}

}  // namespace

std::string roff_escaped(std::string_view text) {
  std::string out;
  bool line_begins = false;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    line_begins = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else if (c == '`') {
      out += "\\(ga";
    } else if (c == '^') {
      out += "\\(ha";
    } else if (c == '~') {
      out += "\\(ti";
    } else {
      out += c;
    }
  }
  return out;
}

std::string man_page(const std::vector<CommandRow>& table, std::string_view version, std::string_view date) {
  std::string text = ".\\\" Written by `minnow man` from the program's own tables.\n";
  text += fmt::format(".TH MINNOW 1 \"{}\" {} {}\n", date, argument(fmt::format("minnow {}", version)),
                      argument("User commands"));
  text += ".SH NAME\nminnow \\- train small transformers on the CPU\n";
  text +=
      ".SH SYNOPSIS\n.B minnow\n.I VERB\n[\\fIARGUMENTS\\fR]\n.br\n.B minnow help\n[\\fIVERB\\fR]\n.br\n.B minnow "
      "\\-\\-version\n";
  text += ".SH DESCRIPTION\n";
  text += body_line(
      "minnow trains small transformers on the CPU from a text file and one configuration in TOML, shows how they "
      "learn, "
      "stops and resumes to the bit, and lets you try the result. A run is a folder.");
  text += ".PP\n" + body_line(
                        "What people read goes to the terminal or to stderr; with --json a program reads stdout. Each "
                        "verb explains itself with --help.");
  text += ".SH VERBS\n";
  for (const CommandPath& command : all_commands(table)) text += command_text(command);
  text += ".SH CONFIGURATION\n" +
          body_line("The keys of a configuration file, by table. The option --set KEY=VALUE overrides any of them.");
  text += keys_text();
  text += ".SH EXIT STATUS\n" + entries_of(kExitCodes) + ".SH FILES\n" + entries_of(kFiles) + ".SH ENVIRONMENT\n" +
          entries_of(kEnvironment);
  return text;
}

}  // namespace minnow::cli
