#pragma once
/// @file
/// Declares what a verb takes on the command line. Hides CLI11, whose header costs seconds in every file that sees it.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the name is CLI11's
class App;
}  // namespace CLI

namespace minnow::cli {

/// What a verb does once its options are read. @return the exit code.
using Action = std::function<int()>;

/// The options of one verb or sub-command. Targets must live until the action has run: keep them in a shared_ptr that
/// the action captures. Names read "--json" or "-n,--count".
class Options {
 public:
  explicit Options(CLI::App& app) : app_(app) {}

  /// An option without a value.
  void flag(const std::string& names, bool& target, const std::string& doc);
  /// A whole number in [low, high]; the target's present value is the default that help shows.
  void integer(const std::string& names, int64_t& target, const std::string& doc, int64_t low, int64_t high);
  /// A finite number in [low, high].
  void number(const std::string& names, double& target, const std::string& doc, double low, double high);
  /// Any text.
  void text(const std::string& names, std::string& target, const std::string& doc);
  /// Any text, may be repeated.
  void texts(const std::string& names, std::vector<std::string>& target, const std::string& doc);
  /// One of a few words.
  void choice(const std::string& names, std::string& target, const std::vector<std::string>& choices,
              const std::string& doc);
  /// An argument without a name, at the next position.
  void argument(const std::string& name, std::string& target, const std::string& doc, bool required = true);
  /// All further arguments.
  void arguments(const std::string& name, std::vector<std::string>& target, const std::string& doc,
                 bool required = true);
  /// `--set KEY=VALUE`, repeated: overrides of the configuration.
  void overrides(std::vector<std::string>& target);

  /// A sub-command such as `check` in `minnow config check`. Exactly one of them must be given.
  void command(const std::string& name, const std::string& doc, const std::function<Action(Options&)>& setup);

  /// Text below the list of options in help: examples.
  void footer(const std::string& text);

  /// @return whether an option was given. @param name as declared, one of its names.
  [[nodiscard]] bool given(const std::string& name) const;

 private:
  CLI::App& app_;
};

/// Parses the arguments of one verb and runs its action.
/// @param name of the verb, for help and messages.
/// @param arguments everything after the verb.
/// @return the exit code. Throws: ConfigError for anything that the verb does not take.
int run_verb(std::string_view name, std::string_view summary, const std::function<Action(Options&)>& setup,
             std::vector<std::string> arguments);

/// @return the text of `minnow help VERB`.
std::string help_text(std::string_view name, std::string_view summary, const std::function<Action(Options&)>& setup);

}  // namespace minnow::cli
