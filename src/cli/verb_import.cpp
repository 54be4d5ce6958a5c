/// @file
/// `minnow import`: makes a run of a model folder of Hugging Face.

#include <fmt/format.h>

#include <filesystem>

#include "cli/called_name.hpp"
#include "cli/terminal.hpp"
#include "cli/verb.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/exchange/model_folder.hpp"
#include "minnow/train/import.hpp"

namespace minnow::cli {
namespace {

namespace fs = std::filesystem;

struct ImportArguments {
  std::string folder, run;
  std::string data = "your_text.txt";
};

int import(const ImportArguments& arguments) {
  if (!exchange::is_model_folder(arguments.folder)) {
    throw CheckpointError(
        fmt::format("[import] DIR must be a folder with config.json and weights, as Hugging Face's transformers saves "
                    "a model; {} is none",
                    arguments.folder));
  }
  fs::path name = fs::path(arguments.folder).lexically_normal();
  if (!name.has_filename()) name = name.parent_path();  // "folder/"
  const fs::path run = arguments.run.empty() ? fs::path("runs") / name.filename() : fs::path(arguments.run);
  const LoadedRun model = open_run(arguments.folder);
  for (const std::string& warning : model.warnings) print_warning(warning);
  import_model(model, run, arguments.data);
  print_line(printable(fmt::format("{} parameters, vocabulary {}, {}: written to {}",
                                   grouped(model.model->parameters().count()), grouped(model.model->vocab_size()),
                                   model.tokenizer ? "with its tokenizer" : "without a tokenizer", run.string())));
  print_line(as_called(printable(fmt::format(
      "next: minnow sample {0} | minnow train {0}/config.toml --set data.path=FILE --init-from {0} --run OTHER",
      run.string()))));
  return 0;
}

Action setup_import(Options& options) {
  const auto arguments = std::make_shared<ImportArguments>();
  options.argument("DIR", arguments->folder, "Folder with config.json and model.safetensors, of GPT-2 or LLaMA");
  options.text("--run", arguments->run, "Run directory to write (default: runs/<name of the folder>)");
  options.text("--data", arguments->data, "What its configuration names as data.path");
  options.footer(
      "What reads a run also reads such a folder as it is: `minnow sample DIR`. A run has a configuration besides, to "
      "train\non from.\n"
      "Examples:\n  minnow import downloads/gpt2 --run runs/gpt2\n"
      "  minnow train runs/gpt2/config.toml --set data.path=my.txt --init-from runs/gpt2 --run runs/tuned\n");
  return [arguments] { return import(*arguments); };
}

}  // namespace

const Verb kVerbImport = {"import", "Make a run of a model folder of Hugging Face", "Look", setup_import};

}  // namespace minnow::cli
