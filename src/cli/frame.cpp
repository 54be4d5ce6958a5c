#include "cli/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <new>

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

constexpr std::string_view kFirstSteps =
    "minnow trains small transformers on this machine.\n"
    "\n"
    "Start here:\n"
    "  minnow train configs/quickstart.toml      train on the built-in corpus, about a minute\n"
    "  minnow sample runs/quickstart             let the trained model write\n"
    "  minnow help                               all verbs\n"
    "  minnow config explain train.max_steps     what a setting means\n";

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
         "6 not finite (NaN limit), 7 memory, 8 directory in use, 130/143 interrupted.\n";
}

const Verb& require_verb(const std::string& name) {
  if (const Verb* verb = find_verb(name)) return *verb;
  std::vector<std::string_view> names{"help"};
  for (const Verb* verb : verbs()) names.push_back(verb->name);
  const auto near = nearest_name(name, names);
  throw ConfigError(
      fmt::format("[minnow] unknown verb {}. Hint: {}", name,
                  near.empty() ? std::string("`minnow help` lists all verbs") : fmt::format("did you mean {}?", near)));
}

int help(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) {
    print_result(overview());
    return 0;
  }
  if (arguments.size() > 2) {
    throw ConfigError(fmt::format("[minnow help] one verb must be named; got {} words", arguments.size() - 1));
  }
  const Verb& verb = require_verb(arguments[1]);
  print_result(help_text(verb.name, verb.summary, verb.setup));
  return 0;
}

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    print_line(kFirstSteps);
    return 0;
  }
  const std::string& first = arguments.front();
  if (first == "--version" || first == "-V") {
    print_result(fmt::format("minnow {}\n", MINNOW_VERSION));
    return 0;
  }
  if (first == "help" || first == "--help" || first == "-h") return help(arguments);
  if (first.size() > 1 && first.front() == '-') {
    throw ConfigError(fmt::format("[minnow] a verb must come first; got the option {}. Hint: `minnow help`", first));
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
