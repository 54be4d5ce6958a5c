#include "cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "cli/argument_hints.hpp"
#include "cli/help_layout.hpp"
#include "cli/terminal.hpp"
#include "minnow/base/error.hpp"
#include "minnow/config/nearest.hpp"

namespace minnow::cli {
namespace {

/// The actions of an App and its sub-commands; CLI11's own callbacks run inside the parser, ours after it.
using Actions = std::map<const CLI::App*, Action>;

Actions& actions() {
  static Actions all;
  return all;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto near = nearest_name(word, views);
  return near.empty() ? "" : fmt::format(". Hint: did you mean {}?", near);
}

/// @return the number that `text` writes in decimal digits. CLI11 takes more: numbers too large become the largest, and
/// a leading 0 means octal.
std::optional<std::int64_t> whole_number(const std::string& text) {
  const std::size_t digits = text.starts_with('-') ? 1 : 0;
  if (text.size() > digits + 1 && text[digits] == '0') return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::unique_ptr<CLI::App> make_app(std::string_view name, std::string_view summary,
                                   const std::function<Action(Options&)>& setup) {
  auto app = std::make_unique<CLI::App>(std::string(summary), "minnow " + std::string(name));
  app->set_help_flag("-h,--help", "Show this help and leave");
  app->formatter(help_layout());
  Options options(*app);
  actions()[app.get()] = setup(options);
  return app;
}

}  // namespace

void Options::flag(const std::string& names, bool& target, const std::string& doc) {
  app_.add_flag(names, target, doc);
}

void Options::integer(const std::string& names, int64_t& target, const std::string& doc, int64_t low, int64_t high) {
  app_.add_option(names, target, doc)
      ->capture_default_str()
      ->type_name("N")
      ->check([low, high](const std::string& text) {
        const auto value = whole_number(text);
        if (value && *value >= low && *value <= high) return std::string();
        return fmt::format("must be a whole number from {} to {}; got {}", low, high, text);
      });
}

void Options::number(const std::string& names, double& target, const std::string& doc, double low, double high) {
  app_.add_option(names, target, doc)
      ->capture_default_str()
      ->type_name("X")
      ->check([low, high](const std::string& text) {
        double value = 0;
        // The comparison is false for NaN.
        if (CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value >= low && value <= high) {
          return std::string();
        }
        return fmt::format("must be a number from {} to {}; got {}", low, high, text);
      });
}

void Options::text(const std::string& names, std::string& target, const std::string& doc) {
  app_.add_option(names, target, doc)->type_name("TEXT");
}

void Options::texts(const std::string& names, std::vector<std::string>& target, const std::string& doc) {
  app_.add_option(names, target, doc)->type_name("TEXT")->allow_extra_args(false);
}

void Options::choice(const std::string& names, std::string& target, const std::vector<std::string>& choices,
                     const std::string& doc) {
  const std::string list = fmt::format("{}", fmt::join(choices, "|"));
  app_.add_option(names, target, doc)
      ->capture_default_str()
      ->type_name(list)
      ->check([choices](const std::string& text) {
        for (const auto& choice : choices) {
          if (choice == text) return std::string();
        }
        return fmt::format("must be one of {}; got {}{}", fmt::join(choices, ", "), text, suggestion(text, choices));
      });
}

void Options::argument(const std::string& name, std::string& target, const std::string& doc, bool required) {
  app_.add_option(name, target, doc)->required(required)->type_name("");
}

void Options::arguments(const std::string& name, std::vector<std::string>& target, const std::string& doc,
                        bool required) {
  app_.add_option(name, target, doc)->required(required)->type_name("");
}

void Options::overrides(std::vector<std::string>& target) {
  app_.add_option("--set", target, "Override a key of the configuration; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void Options::command(const std::string& name, const std::string& doc, const std::function<Action(Options&)>& setup) {
  CLI::App* sub = app_.add_subcommand(name, doc);
  Options options(*sub);
  actions()[sub] = setup(options);
}

void Options::footer(const std::string& text) { app_.footer(text); }

bool Options::given(const std::string& name) const { return app_.count(name) > 0; }

int run_verb(std::string_view name, std::string_view summary, const std::function<Action(Options&)>& setup,
             std::vector<std::string> arguments) {
  const auto app = make_app(name, summary, setup);
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app->parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    const CLI::App& chosen = innermost(*app);
    print_result(set_help(chosen, &chosen == app.get() ? "" : app->get_name(), false));
    return 0;
  } catch (const CLI::ExtrasError&) {
    throw ConfigError(extra_text(*app, std::string(name)));
  } catch (const CLI::ParseError& error) {
    throw ConfigError(wrong_text(*app, std::string(name), error));
  }
  const CLI::App& chosen = innermost(*app);
  const Action& action = actions()[&chosen];
  if (action) return action();
  std::vector<std::string> names;
  for (const CLI::App* command : chosen.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  throw ConfigError(
      fmt::format("[minnow {}] a command must follow: {}. Hint: `minnow help {}`", name, fmt::join(names, ", "), name));
}

std::string help_text(std::string_view name, std::string_view summary, const std::function<Action(Options&)>& setup) {
  return set_help(*make_app(name, summary, setup), "", true);
}

}  // namespace minnow::cli
