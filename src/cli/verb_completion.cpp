/// @file
/// `minnow completion`: writes the scripts with which shells complete the command line.

#include "cli/completion.hpp"
#include "cli/terminal.hpp"
#include "cli/verb.hpp"

namespace minnow::cli {
namespace {

Action writer(std::string (*script)(const std::vector<CommandRow>&)) {
  return [script] {
    print_result(script(command_table()));
    return 0;
  };
}

Action setup_completion(Options& options) {
  options.command("bash", "For bash", [](Options&) { return writer(bash_completion); });
  options.command("zsh", "For zsh", [](Options&) { return writer(zsh_completion); });
  options.command("fish", "For fish", [](Options&) { return writer(fish_completion); });
  options.footer(
      "Installing minnow puts all three where the shells look. To use one at once:\n"
      "  source <(minnow completion bash)\n"
      "  source <(minnow completion zsh)\n"
      "  minnow completion fish | source\n");
  return {};
}

}  // namespace

const Verb kVerbCompletion = {"completion", "Write the completion script of a shell", "Help", setup_completion};

}  // namespace minnow::cli
