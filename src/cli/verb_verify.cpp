/// @file
/// `minnow verify`: proves that a run resumes bit by bit, and checks its checkpoints.

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/config_file.hpp"
#include "cli/json_line.hpp"
#include "cli/log.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "cli/train_sampler.hpp"
#include "cli/use_threads.hpp"
#include "cli/verb.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/checkpoint.hpp"
#include "minnow/io/file.hpp"
#include "minnow/tasks/language_modeling.hpp"
#include "minnow/train/run.hpp"
#include "minnow/train/verify.hpp"
#include "train/run_hint.hpp"

namespace minnow::cli {
namespace {

namespace fs = std::filesystem;

struct VerifyArguments {
  std::string run;
  std::vector<std::string> overrides;
  std::string log_level = "info";
  std::int64_t steps = 20;
  bool checkpoints_only = false, json = false;
};

/// A working directory inside the run that goes with the object.
class Scratch {
 public:
  explicit Scratch(const fs::path& run) : path_(run / fmt::format(".verify-{}", getpid())) { make_directories(path_); }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// @return problems of all checkpoints, one line each.
std::vector<std::string> check_checkpoints(const fs::path& run) {
  std::vector<std::string> problems;
  const auto all = list_checkpoints(run);
  if (all.empty()) throw CheckpointError(fmt::format("[verify] {} must hold a checkpoint; it has none", run.string()));
  for (const CheckpointInfo& info : all) {
    const VerifyReport report = verify_checkpoint(info.directory);
    if (!report.ok() && !path_exists(info.directory)) {
      log_line(LogLevel::kInfo, fmt::format("step {}: removed by its trainer while it was read", info.step));
      continue;
    }
    log_line(report.ok() ? LogLevel::kInfo : LogLevel::kWarning,
             printable(fmt::format("step {}: {}", info.step, report.ok() ? "every bit as written" : report.text())));
    problems.insert(problems.end(), report.problems.begin(), report.problems.end());
  }
  return problems;
}

/// What is compared shall be the run that is named: said first, before changed data are used for anything.
void require_same_data(const fs::path& directory, const Config& config) {
  const LoadedRun run = open_run(directory, WhichCheckpoint{WhichCheckpoint::Kind::kLatest});
  if (!(run.config.data == config.data)) return;  // other data are wanted
  DatasetOptions opening = dataset_options(config, run.tokenizer);
  opening.files_read = [&](const DataFingerprint& now) { check_same_data(run.data, now); };
  (void)Dataset::open(opening);
}

VerifyResult prove_resume(const fs::path& directory, const VerifyArguments& arguments, bool checkpoints_are_sound) {
  VerifyOptions options;
  options.config = read_config_file(directory / "config.toml", arguments.overrides);
  use_threads(options.config.config.compute.threads);
  options.steps = arguments.steps;
  options.threads = {1, 2, 3};
  if (checkpoints_are_sound) require_same_data(directory, options.config.config);
  const Scratch scratch(directory);
  options.scratch = scratch.path();
  options.report = [](const std::string& line) { log_line(LogLevel::kInfo, line); };
  options.interrupted = stop_exit_code;
  options.sampler = train_sampler();
  return verify_resume(options);
}

nlohmann::ordered_json rows_json(const VerifyResult& result) {
  auto rows = nlohmann::ordered_json::array();
  for (const VerifyRow& row : result.rows) {
    rows.push_back({{"what", row.what},
                    {"state_sha256", row.hash},
                    {"same_state", row.same_state},
                    {"same_log", row.same_metrics},
                    {"same_samples", row.same_samples}});
  }
  return rows;
}

int run(const VerifyArguments& arguments) {
  use_log_level(arguments.log_level);
  const fs::path directory = arguments.run;
  if (!path_exists(directory))
    throw CheckpointError(fmt::format("[verify] the run directory must exist; {} does not. Hint: {}", arguments.run,
                                      run_hint(directory)));
  const std::vector<std::string> problems = check_checkpoints(directory);
  nlohmann::ordered_json json{{"checkpoints_ok", problems.empty()}, {"problems", problems}};
  bool ok = problems.empty();
  if (!arguments.checkpoints_only) {
    install_stop_signals();
    const VerifyResult result = prove_resume(directory, arguments, problems.empty());
    if (stop_exit_code() != 0) return stop_exit_code();
    ok = ok && result.ok();
    json["state_sha256"] = result.hash;
    json["resumes"] = rows_json(result);
    log_line(result.ok() ? LogLevel::kInfo : LogLevel::kWarning,
             result.ok() ? fmt::format("all {} comparisons are equal to the last bit", result.rows.size())
                         : "a resume DIFFERS from the straight run");
  }
  json["ok"] = ok;
  if (arguments.json) print_result(json_line(json));
  return static_cast<int>(ok ? ExitCode::kDone : ExitCode::kCheckpoint);
}

Action setup_verify(Options& options) {
  const auto arguments = std::make_shared<VerifyArguments>();
  options.argument("RUN", arguments->run, "Run directory");
  options.overrides(arguments->overrides);
  options.integer("--steps", arguments->steps, "Steps of the runs compared; each is interrupted once", 2, 100000);
  options.flag("--checkpoints-only", arguments->checkpoints_only, "Check the checkpoints' bits, train nothing");
  log_level_option(options, arguments->log_level);
  options.flag("--json", arguments->json, "Write the outcome as JSON to stdout");
  options.footer(
      "Trains short runs with the run's configuration in a folder of its own: straight, and interrupted after steps "
      "and\n"
      "inside evaluations and resumed. State, metrics.jsonl (but for its clocks) and samples.txt must be the same.\n"
      "Examples:\n  minnow verify runs/quickstart\n  minnow verify runs/quickstart --checkpoints-only\n");
  return [arguments] { return run(*arguments); };
}

}  // namespace

const Verb kVerbVerify = {"verify", "Prove that a run resumes to the last bit", "Training", setup_verify};

}  // namespace minnow::cli
