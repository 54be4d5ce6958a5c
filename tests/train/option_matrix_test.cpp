// Every kind of data with every schedule, the other options dealt over them: each trains, evaluates, samples and
// resumes to the last bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "minnow/data/token_file.hpp"
#include "train/small_run.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;
using test::train_once;
using test::Watcher;

enum class DataCase { kStream, kBytes, kLinesPad, kLinesPack, kFilesPad, kFilesPack, kNanogpt, kLlmc };
constexpr int kDataCases = 8;
constexpr const char* kDataNames[kDataCases] = {"stream",    "bytes",      "lines_pad", "lines_pack",
                                                "files_pad", "files_pack", "nanogpt",   "llmc"};
constexpr const char* kSchedules[] = {"constant", "linear", "cosine", "inverse_sqrt", "wsd", "wsd_sqrt"};
constexpr int kScheduleCount = 6;
constexpr int kSteps = 24;

std::string write_tokens(const test::DataFolder& folder, TokenFormat format) {
  std::vector<std::int32_t> ids;
  for (const char letter : test::small_text(2000))
    ids.push_back(letter == '\n' ? 27 : letter == ' ' ? 26 : letter - 'a');
  return folder.write("tokens.bin", token_file_bytes(layout_for(format, 28), ids));
}

/// Writes the data. @return overrides that describe them.
std::vector<std::string> data_options(const test::DataFolder& folder, DataCase kind) {
  const auto path = [](const std::string& where) { return "data.path=" + where; };
  switch (kind) {
    case DataCase::kStream:
      return {path(folder.write("a.txt", test::small_text(2000)))};
    case DataCase::kBytes:
      return {path(folder.write("a.txt", test::small_text(2000))), "tokenizer.type=byte"};
    case DataCase::kLinesPad:
    case DataCase::kLinesPack:
      return {path(folder.write("a.txt", test::small_text(2000))), "data.documents=lines", "data.split=every_nth",
              kind == DataCase::kLinesPad ? "data.packing=pad" : "data.packing=pack"};
    case DataCase::kFilesPad:
    case DataCase::kFilesPack:
      for (int i = 0; i < 20; ++i) {
        folder.write(fmt::format("files/{:02}.txt", i), test::small_text(static_cast<std::size_t>(60 + 9 * i)));
      }
      return {path(folder.path("files")), "data.documents=files",
              kind == DataCase::kFilesPad ? "data.packing=pad" : "data.packing=pack",
              kind == DataCase::kFilesPad ? "data.mask_documents=false" : "data.mask_documents=true"};
    case DataCase::kNanogpt:
    case DataCase::kLlmc:
      break;
  }
  const bool raw = kind == DataCase::kNanogpt;
  std::vector<std::string> all = {path(write_tokens(folder, raw ? TokenFormat::kNanogpt : TokenFormat::kLlmc)),
                                  raw ? "data.format=nanogpt" : "data.format=llmc", "tokenizer.type=none",
                                  "model.vocab_size=28", "sample.every_steps=0"};
  if (raw) all.insert(all.end(), {"data.mask_documents=true", "data.document_token=26"});
  return all;
}

/// Deals the options that data and schedule leave open, so that each value meets many others.
std::vector<std::string> other_options(int index, int schedule) {
  constexpr const char* kActivations[] = {"gelu_erf", "gelu_tanh", "relu", "silu", "swiglu", "geglu", "reglu"};
  constexpr const char* kPositions[] = {"learned", "sinusoidal", "rotary", "none"};
  const auto bit = [&](int a, int b) { return (index / a + index / b) % 2 == 0; };
  const std::string name = kSchedules[schedule];
  std::vector<std::string> all = {fmt::format("schedule.name={}", name.substr(0, 3) == "wsd" ? "wsd" : name),
                                  fmt::format("data.order={}", bit(1, 6) ? "epoch" : "random"),
                                  fmt::format("model.family={}", bit(1, 14) ? "gpt2" : "llama"),
                                  fmt::format("model.norm={}", bit(3, 5) ? "layer" : "rms"),
                                  fmt::format("model.n_kv_head={}", bit(2, 9) ? 0 : 1),
                                  fmt::format("model.position={}", kPositions[(index + schedule / 2) % 4]),
                                  fmt::format("model.norm_position={}", bit(3, 8) ? "pre" : "post"),
                                  fmt::format("model.activation={}", kActivations[(index + schedule) % 7]),
                                  fmt::format("model.head_bias={}", bit(4, 9)),
                                  fmt::format("model.tie_head={}", bit(5, 16)),
                                  fmt::format("model.bias={}", bit(7, 10)),
                                  fmt::format("model.dropout={}", bit(1, 8) ? 0.1 : 0.0),
                                  fmt::format("train.accumulation_steps={}", bit(2, 6) ? 4 : 1),
                                  fmt::format("train.leaf_sequences={}", bit(3, 24) ? 1 : 2),
                                  fmt::format("optimizer.grad_clip={}", bit(6, 11) ? 1.0 : 0.0),
                                  "schedule.min_lr=0"};
  if (name == "wsd_sqrt") all.emplace_back("schedule.wsd_shape=sqrt");
  return all;
}

class SlowOptionMatrix : public ::testing::TestWithParam<int> {
 protected:
  LoadedConfig config() const {
    std::vector<std::string> all = data_options(folder_, static_cast<DataCase>(GetParam() % kDataCases));
    if (has_text()) all.emplace_back("sample.every_steps=11");
    for (std::string& one : other_options(GetParam(), GetParam() / kDataCases)) all.push_back(std::move(one));
    for (const char* one : {"model.n_layer=1", "model.block_size=12", "optimizer.learning_rate=1e-2",
                            "eval.every_steps=10", "checkpoint.every_steps=8", "log.every_steps=1"}) {
      all.emplace_back(one);
    }
    all.push_back(fmt::format("train.max_steps={}", kSteps));
    return test::small_config("unused", all);
  }
  static bool has_text() { return GetParam() % kDataCases < static_cast<int>(DataCase::kNanogpt); }
  test::DataFolder folder_;
};

double mean_loss(const Watcher& watcher, std::size_t first, std::size_t count) {
  double sum = 0;
  for (std::size_t i = first; i < first + count; ++i) sum += watcher.steps.at(i).loss;
  return sum / static_cast<double>(count);
}

TEST_P(SlowOptionMatrix, TrainsEvaluatesSamplesAndResumes) {
  const LoadedConfig options = config();
  Watcher whole;
  const TrainResult result = train_once(options, folder_.path("straight"), whole);
  ASSERT_EQ(result.reason, StopReason::kFinished);
  EXPECT_LT(mean_loss(whole, kSteps - 4, 4), mean_loss(whole, 0, 2) - 0.15) << "the loss must fall";
  EXPECT_EQ(whole.evaluated, 3);
  EXPECT_EQ(whole.sampled, has_text() ? 3 : 0);
  const test::Outcome expected = test::outcome_of(folder_.path("straight"));
  for (const int step : {1, 10, 19}) {
    Watcher cut;
    cut.stop_after_step = step;
    train_once(options, folder_.path("prefix"), cut);
    const std::string copy = folder_.path(fmt::format("copy{}", step));
    fs::copy(folder_.path("prefix"), copy, fs::copy_options::recursive);
    train_once(options, copy);
    test::expect_same(expected, test::outcome_of(copy), fmt::format("resumed after step {}", step));
  }
}

INSTANTIATE_TEST_SUITE_P(All, SlowOptionMatrix, ::testing::Range(0, kDataCases* kScheduleCount), [](const auto& info) {
  return fmt::format("{}_{}", kDataNames[info.param % kDataCases], kSchedules[info.param / kDataCases]);
});

}  // namespace
}  // namespace minnow
