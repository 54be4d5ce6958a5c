#include "cli/command_table.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <utility>

#include "cli/verb.hpp"

namespace minnow::cli {
namespace {

/// What the value of an option or positional of this name is. One name means the same in every verb.
ValueSource source_of(const std::string& name) {
  using Row = std::pair<std::string_view, ValueSource>;
  static constexpr std::array kSources = std::to_array<Row>({
      {"--set", ValueSource::kSetting},   {"--run", ValueSource::kFolder},
      {"--init-from", ValueSource::kRun}, {"--prompt-file", ValueSource::kFile},
      {"--data", ValueSource::kFile},     {"--tokenizer", ValueSource::kFile},
      {"--val", ValueSource::kFile},      {"CONFIG", ValueSource::kStart},
      {"FILE", ValueSource::kConfig},     {"BEFORE", ValueSource::kConfig},
      {"AFTER", ValueSource::kConfig},    {"KEY", ValueSource::kKey},
      {"NAME", ValueSource::kOp},         {"RUN", ValueSource::kRun},
      {"RUNS", ValueSource::kRun},        {"DIR", ValueSource::kFolder},
      {"PATH", ValueSource::kFile},       {"PATHS", ValueSource::kFile},
      {"TOKENIZER", ValueSource::kFile},  {"TOKENIZERS", ValueSource::kFile},
      {"VERB", ValueSource::kVerb},
  });
  for (const auto& [known, source] : kSources) {
    if (known == name) return source;
  }
  // Other folders and files are named after what they are.
  const auto ends = [&](std::string_view end) { return name.ends_with(end); };
  if (ends("-file") || ends("-out") || name == "--out" || name == "--output") return ValueSource::kFile;
  if (ends("-dir") || ends("-run")) return ValueSource::kFolder;
  return ValueSource::kNothing;
}

std::vector<std::string> split(const std::string& text, char mark) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == mark) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

OptionRow row_of(const CLI::Option& option) {
  OptionRow row;
  row.positional = option.get_positional();
  if (row.positional) {
    row.names.push_back(option.get_name(true));
  } else {
    for (const auto& name : option.get_lnames()) row.names.push_back("--" + name);
    for (const auto& name : option.get_snames()) row.names.push_back("-" + name);
  }
  row.doc = option.get_description();
  row.fallback = option.get_default_str();
  row.required = option.get_required();
  row.source = source_of(row.names.front());
  if (option.get_items_expected_max() > 0) {
    row.value = option.get_type_name();
    row.repeated = option.get_expected_max() > 1;
  }
  if (row.value.find('|') != std::string::npos) {
    row.choices = split(row.value, '|');
    row.value = "WORD";
    row.source = ValueSource::kChoices;
  }
  return row;
}

CommandRow row_of(const CLI::App& app, std::string name) {
  CommandRow row{std::move(name), app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options()) row.options.push_back(row_of(*option));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    row.commands.push_back(row_of(*command, command->get_name()));
  }
  return row;
}

}  // namespace

std::vector<CommandRow> command_table() {
  std::vector<CommandRow> rows;
  for (const Verb* verb : verbs()) {
    CLI::App app{std::string(verb->summary)};
    app.set_help_flag("-h,--help", "Show this help and leave");
    Options options(app);
    verb->setup(options);
    rows.push_back(row_of(app, std::string(verb->name)));
  }
  OptionRow verb{{"VERB"}, "", {}, "", "Explain this verb", true, false, false, ValueSource::kVerb};
  rows.push_back({"help", "List all verbs, or explain one", "", {std::move(verb)}, {}});
  return rows;
}

}  // namespace minnow::cli
