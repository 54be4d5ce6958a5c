#include "train/small_run.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "minnow/gen/generate.hpp"
#include "minnow/io/file.hpp"
#include "support/event_reader.hpp"

namespace minnow::test {

namespace fs = std::filesystem;

namespace {

/// These tests save thousands of times and cut no power: a file system in memory makes them ten times quicker.
const bool kInMemory =
    std::getenv("TMPDIR") == nullptr && ::access("/dev/shm", W_OK) == 0 && ::setenv("TMPDIR", "/dev/shm", 0) == 0;

}  // namespace

std::string small_text(std::size_t bytes) {
  constexpr std::array<const char*, 12> kWords = {"the ", "boat ", "sails ", "over ", "blue ", "sea ",
                                                  "and ", "mira ", "sings ", "to ",   "a ",    "star "};
  std::string text;
  std::uint32_t state = 1;
  for (int word = 1; text.size() < bytes; ++word) {
    state = state * 1664525U + 1013904223U;  // a linear congruence: Numerical Recipes, section 7.1
    text += kWords[(state >> 16U) % kWords.size()];
    if (word % 7 == 0) text.back() = '\n';
  }
  text.back() = '\n';
  return text;
}

LoadedConfig small_config(const std::string& data, const std::vector<std::string>& overrides) {
  const std::string text = fmt::format(R"(
[model]
n_layer = 2
n_head = 2
n_embd = 16
block_size = 16
dropout = 0.1
[data]
path = "{}"
[train]
max_steps = 200
batch_size = 8
accumulation_steps = 2
leaf_sequences = 2
[optimizer]
learning_rate = 5e-3
[schedule]
warmup_steps = 2
min_lr = 1e-4
[eval]
every_steps = 7
[checkpoint]
every_steps = 10
[sample]
every_steps = 9
prompt = "the "
max_tokens = 20
[log]
every_steps = 3
)",
                                       data);
  return load_config(text, "small.toml", overrides);
}

std::string Products::name() const {
  const bool half = precision == kernels::GemmPrecision::kBf16;
  return fmt::format("{}_{}", kernels::gemm_name(backend), half ? "bf16" : "f32");
}

std::vector<std::string> Products::settings(std::vector<std::string> overrides) const {
  const bool half = precision == kernels::GemmPrecision::kBf16;
  overrides.push_back(fmt::format("compute.gemm={}", kernels::gemm_name(backend)));
  overrides.emplace_back(half ? "compute.precision=bf16" : "compute.precision=f32");
  return overrides;
}

std::vector<Products> all_products() {
  std::vector<Products> all;
  for (const kernels::GemmBackend backend : kernels::gemm_backends()) {
    for (const auto precision : {kernels::GemmPrecision::kF32, kernels::GemmPrecision::kBf16}) {
      all.push_back({backend, precision});
    }
  }
  return all;
}

std::string sample_with(LanguageModel& model, const Tokenizer* tokenizer, const SampleConfig& sample,
                        std::uint64_t seed, std::int64_t step, const std::function<int()>& interrupted) {
  if (tokenizer == nullptr) return "";
  GenerateOptions options;
  options.sampler = {.temperature = sample.temperature,
                     .top_k = sample.top_k,
                     .seed = seed ^ (static_cast<std::uint64_t>(step) << 20U)};
  options.count = sample.count;
  options.max_tokens = sample.max_tokens;
  options.interrupted = [&] { return interrupted() != 0; };
  std::string text;
  const auto prompt = prompt_ids(*tokenizer, sample.prompt, std::nullopt, UnknownCharacter::kReplace);
  for (const Generation& one : generate(model, tokenizer, prompt, options)) text += sample.prompt + one.text;
  return text;
}

void Watcher::on_step(const TrainProgress& now) {
  steps.push_back(now);
  evaluated += now.score ? 1 : 0;
  reached_ = reached_ || now.step == stop_after_step;
}

int Watcher::ask() {
  const std::int64_t question = questions++;
  reached_ = reached_ || (stop_at_question >= 0 && question >= stop_at_question);
  if (reached_ && dies) throw Death{};
  return reached_ ? static_cast<int>(ExitCode::kTerminated) : 0;
}

bool Watcher::heard(const std::string& text) const {
  const auto has = [&](const std::string& line) { return line.find(text) != std::string::npos; };
  return std::any_of(notes.begin(), notes.end(), has) || std::any_of(warnings.begin(), warnings.end(), has);
}

TrainResult train_once(const LoadedConfig& config, const fs::path& run, Watcher& watcher, const Start& start) {
  TrainOptions options;
  options.config = config;
  options.run_dir = run;
  options.resume = start.resume && !start.overwrite;
  options.overwrite = start.overwrite;
  options.allow_data_change = start.allow_data_change;
  options.exact = start.exact;
  options.init_from = start.init_from;
  options.observer = &watcher;
  options.interrupted = [&] { return watcher.ask(); };
  options.sampler = [&](LanguageModel& model, const Dataset& data, const SampleConfig& sample, std::uint64_t seed,
                        std::int64_t step) {
    return sample_with(model, data.tokenizer().get(), sample, seed, step, [&] { return watcher.ask(); });
  };
  return train(options);
}

TrainResult train_once(const LoadedConfig& config, const fs::path& run, const Start& start) {
  Watcher watcher;
  return train_once(config, run, watcher, start);
}

std::string timeless_metrics(const fs::path& run) {
  const std::string text = read_file(run / "metrics.jsonl");
  std::string kept;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    auto line = nlohmann::ordered_json::parse(text.substr(begin, end - begin));
    EXPECT_GE(line.value("seconds", -1.0), 0);
    EXPECT_GE(line.value("tokens_per_s", -1.0), 0);
    line.erase("seconds");
    line.erase("tokens_per_s");
    kept += line.dump() + "\n";
    begin = end + 1;
  }
  return kept;
}

std::string timeless_events(const fs::path& run) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(run)) {
    if (entry.path().filename().string().starts_with("events.out.tfevents.")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::string text;
  for (const fs::path& file : files) {
    for (const Event& event : read_events(read_file(file))) {
      for (const auto& [tag, value] : event.scalars) {
        const bool time = tag == "speed/seconds" || tag == "speed/tokens_per_s";
        if (!time) text += fmt::format("{} {} {}\n", event.step, tag, value);
      }
    }
  }
  return text;
}

Outcome outcome_of(const fs::path& run) {
  const auto step = latest_step(run);
  return {step ? state_hash(checkpoint_directory(run, *step)) : "no checkpoint", timeless_metrics(run),
          read_file(run / "samples.txt"), timeless_events(run)};
}

void expect_same(const Outcome& expected, const Outcome& got, const std::string& what) {
  EXPECT_EQ(expected.state, got.state) << what;
  EXPECT_EQ(expected.metrics, got.metrics) << what;
  EXPECT_EQ(expected.samples, got.samples) << what;
  EXPECT_EQ(expected.events, got.events) << what;
  EXPECT_FALSE(got.events.empty()) << what;
}

void flip_bit(const fs::path& file, std::uint64_t offset) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  ASSERT_TRUE(stream.good()) << file;
  stream.seekg(static_cast<std::streamoff>(offset));
  char byte = 0;
  stream.get(byte);
  stream.seekp(static_cast<std::streamoff>(offset));
  stream.put(static_cast<char>(byte ^ 1));
}

std::string file_hash(const fs::path& run, std::int64_t step, const std::string& file) {
  const Checkpoint checkpoint = Checkpoint::open(checkpoint_directory(run, step));
  const FileRecord* record = checkpoint.manifest().find(file);
  return record == nullptr ? "missing" : record->sha256;
}

}  // namespace minnow::test
