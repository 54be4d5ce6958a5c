/// @file
/// `minnow walk`: one forward pass, tensor by tensor.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "cli/looked_at_text.hpp"
#include "cli/output_file.hpp"
#include "cli/terminal.hpp"
#include "cli/verb.hpp"
#include "minnow/base/error.hpp"
#include "minnow/report/walk.hpp"
#include "minnow/text/utf8.hpp"

#ifndef MINNOW_VERSION
#define MINNOW_VERSION "unknown"
#endif

namespace minnow::cli {
namespace {

struct WalkArguments {
  LookedAtText text;
  std::string out;
  bool train = false, overwrite = false;
};

void check_ending(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (path.empty() || ending == ".html" || ending == ".htm") return;
  throw ConfigError(fmt::format("[walk] --out must end in .html; got {}. Hint: without --out the walk goes to stdout",
                                replace_invalid_utf8(path)));
}

int walk(const WalkArguments& arguments) {
  check_ending(arguments.out);
  require_free_output(arguments.out, arguments.overwrite);
  const LookedAt looked = look_at(arguments.text, "walk");
  Walk made =
      make_walk(*looked.run.model, looked.run.config.model, looked.run.tokenizer.get(), looked.ids, arguments.train);
  made.name = replace_invalid_utf8(arguments.text.run);
  made.step = looked.run.step;
  if (!arguments.out.empty()) {
    write_output(arguments.out, walk_html(made, MINNOW_VERSION), arguments.overwrite);
    return 0;
  }
  constexpr int kMostColumns = 120;
  print_result(walk_text(made, std::min(terminal_width(STDOUT_FILENO), kMostColumns), use_color(STDOUT_FILENO)));
  return 0;
}

Action setup_walk(Options& options) {
  const auto arguments = std::make_shared<WalkArguments>();
  text_options(options, arguments->text);
  options.text("--out", arguments->out, "File to write, .html: a step at a time, to project; without it the terminal");
  options.flag("--train", arguments->train,
               "Go back as well: the loss of the next tokens and every gradient. Nothing is saved");
  options.footer(
      "Each tensor with its name, shape, formula and a few of its numbers, as the model truly computes them.\n"
      "Examples:\n  minnow walk runs/quickstart --text \"How are you?\" | less -R\n"
      "  minnow walk runs/quickstart --text \"How are you?\" --train --out walk.html\n");
  return [arguments] { return walk(*arguments); };
}

}  // namespace

const Verb kVerbWalk = {"walk", "Follow one text through the model, tensor by tensor", "Look", setup_walk};

}  // namespace minnow::cli
