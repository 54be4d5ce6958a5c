/// @file
/// `minnow inspect`: shows what is in a run, a checkpoint or a safetensors file.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/human.hpp"
#include "cli/json_line.hpp"
#include "cli/tensor_stats.hpp"
#include "cli/terminal.hpp"
#include "cli/verb.hpp"
#include "minnow/base/error.hpp"
#include "minnow/exchange/model_folder.hpp"
#include "minnow/io/checkpoint.hpp"
#include "minnow/train/trainer.hpp"
#include "train/run_hint.hpp"

namespace minnow::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kModelFile = "model.safetensors";

struct InspectArguments {
  std::string path;
  std::string tensor;
  std::int64_t limit = 1000;
  bool json = false;
};

/// What a path turned out to be.
struct Subject {
  std::string kind{};             // "run", "checkpoint", "folder" or "file"
  fs::path directory{};           // of the checkpoint looked at; empty for a file
  std::vector<fs::path> files{};  // safetensors files, the model's first
  Json facts = Json::object();    // of run, checkpoint and folder
  bool sound = true;              // false: what is looked at does not verify
  bool usable = true;             // false: the files of a folder do not fit together, or one is damaged
};

Json verify_json(const VerifyReport& report) { return {{"verified", report.ok()}, {"problems", report.problems}}; }

/// Files of a checkpoint that hold tensors, the model's first.
std::vector<fs::path> tensor_files(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    const auto rank = [](const fs::path& p) { return std::pair(p.filename() != kModelFile, p.filename()); };
    return rank(a) < rank(b);
  });
  return files;
}

Subject checkpoint_at(const fs::path& directory) {
  Subject subject{.kind = "checkpoint", .directory = directory, .files = tensor_files(directory)};
  const VerifyReport report = verify_checkpoint(directory);
  subject.sound = report.ok();
  if (report.manifest) {
    subject.facts["step"] = report.manifest->step;
    subject.facts["bytes"] = report.manifest->total_bytes();
    subject.facts["state_sha256"] = state_hash(directory);
  }
  subject.facts.update(verify_json(report));
  return subject;
}

/// A model folder of Hugging Face. Its files are shown even where they do not fit together: what is wrong is a problem.
Subject folder_at(const fs::path& directory) {
  Subject subject{.kind = "folder", .files = tensor_files(directory)};
  Json problems = Json::array();
  try {
    const exchange::ModelFolder folder = exchange::ModelFolder::open(directory);
    subject.facts["architecture"] = folder.architecture();
    subject.facts["stored_type"] = folder.stored_type();
    subject.facts["vocab_size"] = folder.vocab_size();
    subject.facts["tokenizer"] = Json();
    for (const std::string& warning : folder.warnings()) problems.push_back(warning);
    if (folder.tokenizer()) subject.facts["tokenizer"] = folder.tokenizer()->name();
  } catch (const CheckpointError& error) {
    subject.usable = false;
    problems.push_back(error.what());
  }
  subject.facts["problems"] = problems;
  return subject;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

/// The newest checkpoint that verifies stands for the run.
Subject run_at(const fs::path& directory) {
  Subject subject{.kind = "run", .sound = false};
  Json steps = Json::array();
  Json list = Json::array();
  Json newest;
  for (const CheckpointInfo& info : list_checkpoints(directory)) {
    const VerifyReport report = verify_checkpoint(info.directory);
    steps.push_back(info.step);
    Json row = {{"step", info.step}};
    row.update(verify_json(report));
    list.push_back(row);
    if (!report.ok()) continue;
    subject.sound = true;
    subject.directory = info.directory;
    newest = info.step;
  }
  if (steps.empty()) {
    throw CheckpointError(fmt::format("[inspect] a run must have a checkpoint; {} has none yet", directory.string()));
  }
  subject.facts = {{"step", newest},
                   {"steps", steps},
                   {"latest", or_null(latest_step(directory))},
                   {"best", or_null(best_step(directory))},
                   {"checkpoints", list}};
  if (subject.sound) {
    subject.files = {subject.directory / kModelFile};
    subject.facts["state_sha256"] = state_hash(subject.directory);
  }
  return subject;
}

Subject look_at(const fs::path& path) {
  if (!path_exists(path)) {
    throw CheckpointError(
        fmt::format("[inspect] PATH must be a run, a checkpoint or a safetensors file; {} does not exist. Hint: {}",
                    path.string(), run_hint(path)));
  }
  std::error_code ignored;  // what is wrong with the path is said when it is opened
  if (!fs::is_directory(path, ignored)) return {.kind = "file", .files = {path}};
  if (exchange::is_model_folder(path) && list_checkpoints(path).empty()) return folder_at(path);
  if (fs::exists(path / "manifest.json") || fs::exists(path / kModelFile)) return checkpoint_at(path);
  if (fs::exists(path / "checkpoints")) return run_at(path);
  throw CheckpointError(fmt::format(
      "[inspect] a directory must be a run (with checkpoints/) or a checkpoint (with manifest.json); {} is neither",
      path.string()));
}

Json tensor_json(const SafetensorsFile& file, const TensorEntry& entry) {
  Json row = {
      {"name", entry.name}, {"dtype", dtype_name(entry.dtype)}, {"shape", entry.shape}, {"bytes", entry.bytes()}};
  if (const auto stats = tensor_stats(file, entry)) {
    const bool any = stats->finite > 0;
    row["min"] = any ? Json(stats->min) : Json();
    row["max"] = any ? Json(stats->max) : Json();
    row["mean"] = any ? Json(stats->mean) : Json();
    row["std"] = any ? Json(stats->std) : Json();
    row["not_finite"] = stats->not_finite;
  }
  return row;
}

Json file_json(const fs::path& path) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  Json rows = Json::array();
  std::int64_t numbers = 0;
  std::uint64_t bytes = 0;
  for (const TensorEntry& entry : file.header().tensors) {
    rows.push_back(tensor_json(file, entry));
    numbers += element_count(entry.shape);
    bytes += entry.bytes();
  }
  return {{"file", path.filename().string()},
          {"metadata", file.header().metadata},
          {"tensors", rows},
          {"numbers", numbers},
          {"bytes", bytes}};
}

Json document(const std::string& path, const Subject& subject) {
  Json all = {{"path", path}, {"kind", subject.kind}};
  all.update(subject.facts);
  Json files = Json::array();
  if (subject.sound) {  // what does not verify may not even parse
    for (const fs::path& file : subject.files) files.push_back(file_json(file));
  }
  if (subject.kind == "folder") {  // its files are parts of one model
    std::int64_t numbers = 0;
    for (const Json& file : files) numbers += file["numbers"].get<std::int64_t>();
    all["parameters"] = numbers;
  } else if (subject.kind != "file" && !files.empty()) {
    all["parameters"] = files.front()["numbers"];
  }
  all["files"] = files;
  return all;
}

std::string shape_text(const Json& shape) {
  std::vector<std::int64_t> sizes = shape.get<std::vector<std::int64_t>>();
  return fmt::format("({})", fmt::join(sizes, ", "));
}

std::string cell(const Json& row, const char* key) {
  const auto found = row.find(key);
  return found == row.end() || found->is_null() ? "-" : fmt::format("{:.4g}", found->get<double>());
}

std::string file_text(const Json& file) {
  std::size_t name_width = 6, shape_width = 5;
  for (const Json& row : file["tensors"]) {
    name_width = std::max(name_width, row["name"].get_ref<const std::string&>().size());
    shape_width = std::max(shape_width, shape_text(row["shape"]).size());
  }
  std::string text = fmt::format("{}\n", file["file"].get<std::string>());
  for (const auto& [key, value] : file["metadata"].items()) {
    text += fmt::format("  {} = {}\n", key, value.get<std::string>());
  }
  text += fmt::format("  {:<{}} {:<7} {:<{}} {:>10} {:>10} {:>10} {:>10}  {}\n", "tensor", name_width, "dtype", "shape",
                      shape_width, "min", "max", "mean", "std", "not finite");
  for (const Json& row : file["tensors"]) {
    const auto bad = row.find("not_finite");
    text += fmt::format("  {:<{}} {:<7} {:<{}} {:>10} {:>10} {:>10} {:>10}  {}\n", row["name"].get<std::string>(),
                        name_width, row["dtype"].get<std::string>(), shape_text(row["shape"]), shape_width,
                        cell(row, "min"), cell(row, "max"), cell(row, "mean"), cell(row, "std"),
                        bad == row.end() ? "?" : grouped(bad->get<std::int64_t>()));
  }
  return text +
         fmt::format("  {} tensors, {} numbers, {}\n", grouped(static_cast<std::int64_t>(file["tensors"].size())),
                     grouped(file["numbers"].get<std::int64_t>()), human_bytes(file["bytes"].get<std::uint64_t>()));
}

std::string verify_text(const Json& row) {
  std::string text = row["verified"].get<bool>() ? "verified" : "DAMAGED";
  for (const Json& problem : row["problems"]) text += "\n    " + problem.get<std::string>();
  return text;
}

std::string number_or(const Json& value, const char* otherwise) {
  return value.is_null() ? std::string(otherwise) : fmt::format("{}", value.get<std::int64_t>());
}

std::string facts_text(const Json& all) {
  std::string text = fmt::format("{} {}\n", all["kind"].get<std::string>(), all["path"].get<std::string>());
  if (all["kind"] == "checkpoint") {
    text += fmt::format("step {}: {}\n", number_or(all.value("step", Json()), "unknown"), verify_text(all));
  }
  if (all["kind"] == "run") {
    for (const Json& row : all["checkpoints"]) {
      text += fmt::format("  step {}: {}\n", row["step"].get<std::int64_t>(), verify_text(row));
    }
    text += fmt::format("latest {}, best {}, shown below: {}\n", number_or(all["latest"], "none"),
                        number_or(all["best"], "none"), number_or(all["step"], "none"));
  }
  if (all["kind"] == "folder") {
    if (all.contains("architecture")) {
      text +=
          fmt::format("{}, vocabulary {}, weights stored as {}, tokenizer {}\n", all["architecture"].get<std::string>(),
                      grouped(all["vocab_size"].get<std::int64_t>()), all["stored_type"].get<std::string>(),
                      all["tokenizer"].is_null() ? "none" : all["tokenizer"].get<std::string>());
    }
    for (const Json& problem : all["problems"]) text += problem.get<std::string>() + "\n";
  }
  if (all.contains("state_sha256")) text += fmt::format("state sha256 {}\n", all["state_sha256"].get<std::string>());
  if (all.contains("parameters")) {
    text += fmt::format("parameters {}\n", grouped(all["parameters"].get<std::int64_t>()));
  }
  return text;
}

/// Numbers that are not finite become null, as in metrics.jsonl.
Json value_json(FileDtype dtype, std::span<const std::byte> bytes, std::size_t i) {
  if (dtype == FileDtype::kU64) return std::stoull(text_at(dtype, bytes, i));
  if (dtype == FileDtype::kI64) return std::stoll(text_at(dtype, bytes, i));
  if (dtype == FileDtype::kBool) return value_at(dtype, bytes, i) != 0;
  const double value = value_at(dtype, bytes, i);
  if (!std::isfinite(value)) return {};
  return Json::parse(text_at(dtype, bytes, i));
}

/// Prints the numbers of one tensor, a line per row of its last axis.
void print_values(const InspectArguments& arguments, const SafetensorsFile& file, const TensorEntry& entry) {
  if (!readable(entry.dtype)) {
    throw CheckpointError(
        fmt::format("[inspect] the values of {} can't be shown: its type is {}", entry.name, dtype_name(entry.dtype)));
  }
  const std::int64_t count = element_count(entry.shape);
  const std::int64_t shown = arguments.limit == 0 ? count : std::min(count, arguments.limit);
  const std::int64_t row = entry.shape.empty() ? 1 : std::max<std::int64_t>(1, entry.shape.back());
  const std::size_t element = dtype_bits(entry.dtype) / 8;
  Json values = Json::array();
  std::int64_t at = 0;
  for_each_piece(file, entry, static_cast<std::uint64_t>(shown) * element, [&](std::span<const std::byte> bytes) {
    for (std::size_t i = 0; i < bytes.size() / element; ++i) {
      ++at;
      if (arguments.json) {
        values.push_back(value_json(entry.dtype, bytes, i));
      } else {
        print_result(text_at(entry.dtype, bytes, i) + (at % row == 0 || at == shown ? "\n" : " "));
      }
    }
  });
  if (arguments.json) {
    print_result(json_line({{"path", arguments.path},
                            {"name", entry.name},
                            {"dtype", dtype_name(entry.dtype)},
                            {"shape", entry.shape},
                            {"numbers", count},
                            {"values", values}}));
  }
  if (shown < count)
    print_line(fmt::format("{} of {} numbers shown; --limit 0 shows all", grouped(shown), grouped(count)));
}

int show_tensor(const InspectArguments& arguments, const Subject& subject) {
  std::vector<std::string> names;
  for (const fs::path& path : subject.files) {
    const SafetensorsFile file = SafetensorsFile::open(path);
    if (const TensorEntry* entry = file.header().find(arguments.tensor)) {
      print_values(arguments, file, *entry);
      return 0;
    }
    for (const TensorEntry& entry : file.header().tensors) names.push_back(entry.name);
  }
  constexpr std::size_t kNamed = 8;
  const bool more = names.size() > kNamed;
  if (more) names.resize(kNamed);
  throw ConfigError(fmt::format("[inspect] {} must have the tensor {}; it has {}{}", arguments.path, arguments.tensor,
                                fmt::join(names, ", "), more ? ", ..." : ""));
}

int inspect(const InspectArguments& arguments) {
  const Subject subject = look_at(arguments.path);
  if (!arguments.tensor.empty()) return show_tensor(arguments, subject);
  const Json all = document(arguments.path, subject);
  std::string text = facts_text(all);
  for (const Json& file : all["files"]) text += file_text(file);
  print_result(arguments.json ? json_line(all) : text);
  return static_cast<int>(subject.sound && subject.usable ? ExitCode::kDone : ExitCode::kCheckpoint);
}

Action setup_inspect(Options& options) {
  const auto arguments = std::make_shared<InspectArguments>();
  options.argument("PATH", arguments->path, "Run, checkpoint directory, model folder or safetensors file");
  options.text("--tensor", arguments->tensor, "Print the values of this tensor, a line per row");
  options.integer("--limit", arguments->limit, "Print at most so many values; 0 = all", 0, INT64_MAX);
  options.flag("--json", arguments->json, "Write JSON to stdout");
  options.footer(
      "Of a run every checkpoint is verified and the newest sound one is shown. Exit code 4 when nothing verifies.\n"
      "Examples:\n  minnow inspect runs/quickstart\n  minnow inspect model.safetensors --tensor "
      "transformer.wpe.weight\n");
  return [arguments] { return inspect(*arguments); };
}

}  // namespace

const Verb kVerbInspect = {"inspect", "Show the tensors of a run, a checkpoint, a model folder or a safetensors file",
                           "Look", setup_inspect};

}  // namespace minnow::cli
