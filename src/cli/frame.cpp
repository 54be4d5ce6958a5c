#include "cli/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <new>

#include "cli/called_name.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "cli/verb.hpp"
#include "minnow/base/error.hpp"
#include "minnow/config/nearest.hpp"

#ifndef MINNOW_VERSION
#define MINNOW_VERSION "unknown"
#endif

namespace minnow::cli {
namespace {

/// What to do first, in commands that can be copied.
std::string first_steps() {
  const auto line = [](std::string_view command, std::string_view what) {
    return fmt::format("{:<47} {}\n", as_called(fmt::format("  {}", command)), what);
  };
  return "minnow trains small transformers on this machine.\n\nStart here:\n" +
         line("minnow train configs/quickstart.toml", "train on the built-in corpus, about a minute") +
         line("minnow sample runs/quickstart", "let the trained model write") + line("minnow help", "all verbs") +
         line("minnow config explain train.max_steps", "what a setting means") + "\nOn a text of your own:\n" +
         line("minnow new my --text my.txt", "look at it, choose tokenizer and model") +
         line("minnow train my", "train; Ctrl-C saves and stops") + line("minnow sample runs/my", "let it write");
}

std::string overview() {
  std::string text = "Usage: minnow VERB [ARGUMENTS]\n";
  std::string_view group;
  for (const Verb* verb : verbs()) {
    if (verb->group != group) text += fmt::format("\n{}:\n", verb->group);
    group = verb->group;
    text += fmt::format("  {:<12} {}\n", verb->name, verb->summary);
  }
  return text +
         "\n`minnow help VERB` explains one of them, `minnow --version` prints the version.\n"
         "Exit codes: 0 done, 1 internal error, 2 usage or configuration, 3 data, 4 checkpoint, 5 files and disk,\n"
         "6 not finite (NaN limit), 7 memory, 8 directory in use, 129/130/143/152 interrupted.\n";
}

const Verb& require_verb(const std::string& name) {
  if (const Verb* verb = find_verb(name)) return *verb;
  std::vector<std::string_view> names{"help"};
  for (const Verb* verb : verbs()) names.push_back(verb->name);
  const auto near = nearest_name(name, names);
  std::string hint = near.empty() ? "`minnow help` lists all verbs" : fmt::format("did you mean {}?", near);
  if (name.find_first_of("./") != std::string::npos) hint = "the verb comes first: `minnow train CONFIG`; " + hint;
  throw ConfigError(fmt::format("[minnow] unknown verb {}. Hint: {}", name, hint));
}

int help(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) {
    print_result(overview());
    return 0;
  }
  const Verb& verb = require_verb(arguments[1]);
  if (arguments.size() > 2) {  // `help config check` is `config check --help`
    std::vector<std::string> words(arguments.begin() + 2, arguments.end());
    words.emplace_back("--help");
    return run_verb(verb.name, verb.summary, verb.setup, std::move(words));
  }
  print_result(help_text(verb.name, verb.summary, verb.setup));
  return 0;
}

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    print_line(first_steps());
    return 0;
  }
  const std::string& first = arguments.front();
  if (first == "--version" || first == "-V") {
    print_result(fmt::format("minnow {}\n", MINNOW_VERSION));
    return 0;
  }
  if (first == "help" || first == "--help" || first == "-h") return help(arguments);
  if (first.size() > 1 && first.front() == '-') {
    const auto near = nearest_name(first, std::array<std::string_view, 2>{"--version", "--help"});
    const std::string hint = first == "-v"  ? "-V or --version prints the version"
                             : near.empty() ? "`minnow VERB OPTIONS`; `minnow help` lists the verbs"
                                            : fmt::format("did you mean {}?", near);
    throw ConfigError(fmt::format("[minnow] a verb must come first; got the option {}. Hint: {}", first, hint));
  }
  const Verb& verb = require_verb(first);
  return run_verb(verb.name, verb.summary, verb.setup, {arguments.begin() + 1, arguments.end()});
}

int report(ExitCode code, std::string_view text) {
  print_error(text);
  return static_cast<int>(code);
}

/// Runs `work` and reports what it throws.
template <class Work>
int guarded(const Work& work) {
  try {
    return work();
  } catch (const ReaderLeft& left) {
    return static_cast<int>(left.exit_code());
  } catch (const Error& error) {
    return report(error.exit_code(), error.what());
  } catch (const std::bad_alloc&) {
    return report(ExitCode::kMemory, "[memory] there must be more memory. Hint: a smaller batch, context or model");
  } catch (const std::filesystem::filesystem_error& error) {
    return report(ExitCode::kIo, fmt::format("[files] {}", error.what()));
  } catch (const std::exception& error) {
    return report(ExitCode::kInternal, fmt::format("internal fault: {}. Hint: please report it", error.what()));
  }
}

}  // namespace

int run(const std::vector<std::string>& arguments) {
  prepare_process();
  const int code = guarded([&] { return dispatch(arguments); });
  const int flushed = guarded([] {
    flush_results();
    return 0;
  });
  return code != 0 ? code : flushed;
}

}  // namespace minnow::cli
