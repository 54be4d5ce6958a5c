#include "cli/argument_hints.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "minnow/config/keys.hpp"
#include "minnow/config/nearest.hpp"

namespace minnow::cli {
namespace {

/// What other programs call an option.
struct Elsewhere {
  std::string_view name;
  std::string_view option;
};
constexpr std::array kElsewhere = {
    Elsewhere{"length", "--max-tokens"},
    Elsewhere{"tokens", "--max-tokens"},
    Elsewhere{"num_tokens", "--max-tokens"},
    Elsewhere{"max_new_tokens", "--max-tokens"},
    Elsewhere{"num_samples", "--count"},
    Elsewhere{"samples", "--count"},
    Elsewhere{"start", "--prompt"},
    Elsewhere{"text", "--prompt"},
    Elsewhere{"input", "--prompt"},
    Elsewhere{"prompt", "--text"},
    Elsewhere{"temp", "--temperature"},
    Elsewhere{"output", "--out"},
    Elsewhere{"file", "--out"},
    Elsewhere{"out", "--run"},
    Elsewhere{"out_dir", "--run"},
    Elsewhere{"output_dir", "--run"},
    Elsewhere{"name", "--run"},
    Elsewhere{"continue", "--resume"},
    Elsewhere{"restart", "--overwrite"},
    Elsewhere{"force", "--overwrite"},
    Elsewhere{"verbose", "--log-level debug"},
    Elsewhere{"v", "--log-level debug"},
    Elsewhere{"init_from_run", "--init-from"},
    Elsewhere{"step", "--checkpoint"},
    Elsewhere{"top", "--top-k"},
    Elsewhere{"data_path", "--data"},
};

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back(name);
  }
  return names;
}

bool has_option(const CLI::App& app, std::string_view option) {
  const std::string name(option.substr(0, option.find(' ')));
  return app.get_option_no_throw(name) != nullptr;
}

std::string near(const std::string& word, const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  return std::string(nearest_name(word, views));
}

/// The key of the configuration that an option such as --lr or --batch-size stands for in other programs.
const Key* key_for(const std::string& plain) {
  for (const Key& key : config_keys()) {
    if (key.leaf() == plain || key.name == plain) return &key;
  }
  if (plain == "data") return find_key("data.path");
  const auto called = keys_called(plain);
  return called.empty() ? nullptr : called.front();
}

/// @param word with its hyphens. The name alone is compared: two hyphens in front make any two short names look alike.
std::string option_hint(const CLI::App& app, const std::string& word) {
  const std::string name = word.substr(0, word.find('=')).substr(std::min(word.find_first_not_of('-'), word.size()));
  const std::string plain = plain_spelling(name);
  const bool takes_keys = app.get_option_no_throw("--set") != nullptr;
  for (const Elsewhere& other : kElsewhere) {
    if (other.name == plain && has_option(app, other.option)) return fmt::format("did you mean {}?", other.option);
  }
  if (const Key* key = key_for(plain); takes_keys && key != nullptr) return fmt::format("--set {}=...", key->name);
  const std::vector<std::string> names = option_names(app);
  if (const std::string option = near(name, names); name.size() > 1 && !option.empty())
    return fmt::format("did you mean --{}?", option);
  if (const Key* key = name.size() > 2 ? nearest_key(plain) : nullptr; takes_keys && key != nullptr)
    return fmt::format("--set {}=...", key->name);
  return "";
}

/// The first example of the verb's help.
std::string example(const CLI::App& app) {
  constexpr std::string_view kFront = "\n  minnow ";
  const std::string footer = "\n" + app.get_footer();
  const auto begin = footer.find(kFront);
  if (begin == std::string::npos) return "";
  const auto from = begin + 3;
  return footer.substr(from, footer.find('\n', from) - from);
}

std::string help_hint(const CLI::App& app, const std::string& name) {
  const std::string first = example(app);
  return first.empty() ? fmt::format("`minnow help {}` shows what it takes", name)
                       : fmt::format("`minnow help {}` shows what it takes, for instance `{}`", name, first);
}

}  // namespace

const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

std::string full_name(const CLI::App& app, const std::string& verb) {
  const CLI::App& inner = innermost(app);
  return &inner == &app ? verb : fmt::format("{} {}", verb, inner.get_name());
}

std::string extra_text(const CLI::App& app, const std::string& verb) {
  const CLI::App& inner = innermost(app);
  const std::string name = full_name(app, verb);
  const auto rest = app.remaining(true);
  const std::string word = rest.empty() ? "?" : rest.front();
  if (word.size() > 1 && word.front() == '-') {
    const std::string hint = option_hint(inner, word);
    return fmt::format("[minnow {}] unknown option {}. Hint: {}", verb, word.substr(0, word.find('=')),
                       hint.empty() ? fmt::format("`minnow help {}` lists the options", name) : hint);
  }
  std::vector<std::string> names;
  for (const CLI::App* command : inner.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  if (!names.empty()) {
    const std::string command = near(word, names);
    return fmt::format("[minnow {}] unknown command {}; it must be one of {}.{}", verb, word, fmt::join(names, ", "),
                       command.empty() ? "" : fmt::format(" Hint: did you mean {}?", command));
  }
  const bool assigns = word.find('=') != std::string::npos && has_option(inner, "--set");
  return fmt::format("[minnow {}] there must not be another argument; got {}. Hint: {}", verb, word,
                     assigns ? "--set " + word : fmt::format("`minnow help {}` shows what it takes", name));
}

std::string wrong_text(const CLI::App& app, const std::string& verb, const CLI::ParseError& error) {
  const std::string name = full_name(app, verb);
  std::string text = error.what();
  // CLI11 writes "--prompt: 1 required TEXT missing"
  if (const auto missing = text.find(": 1 required "); missing != std::string::npos && text.ends_with(" missing"))
    text = fmt::format("{} must be followed by its value; got none", text.substr(0, missing));
  if (text.find(" Hint: ") != std::string::npos) return fmt::format("[minnow {}] {}", verb, text);
  const bool lacks = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  return fmt::format(
      "[minnow {}] {}. Hint: {}", verb, text,
      lacks ? help_hint(innermost(app), name) : fmt::format("`minnow help {}` shows what it takes", name));
}

}  // namespace minnow::cli
