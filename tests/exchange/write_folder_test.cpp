// What is exported: read back the same, refused whole.

#include "minnow/exchange/write_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exchange/made_folder.hpp"
#include "minnow/io/file.hpp"
#include "minnow/text/byte_tokenizer.hpp"
#include "minnow/text/char_tokenizer.hpp"
#include "minnow/text/sentencepiece_tokenizer.hpp"
#include "minnow/train/import.hpp"
#include "minnow/train/run.hpp"

namespace minnow {
namespace {

using test::error_of;
using testing::HasSubstr;

struct Written {
  std::unique_ptr<LanguageModel> model;
  std::string error;
};

Written write_model(const std::string& folder, const ModelConfig& config, const Tokenizer* tokenizer,
                    std::int64_t vocab_size, std::optional<std::int32_t> start = std::nullopt) {
  Written made{make_language_model(config, vocab_size), ""};
  made.model->parameters().initialize(3);
  exchange::ModelToWrite what{.model = config,
                              .vocab_size = vocab_size,
                              .parameters = {},
                              .tokenizer = tokenizer,
                              .prompt_start = start,
                              .sample = {}};
  for (const Parameter& parameter : made.model->parameters().all()) {
    Tensor tensor = parameter.tensor;
    if (parameter.name.ends_with(".bias")) tensor.fill(0.25);
    what.parameters.push_back({parameter.name, {tensor.data<float>(), static_cast<std::size_t>(tensor.numel())}});
  }
  made.error = error_of([&] { (void)exchange::write_model_folder(folder, what); });
  return made;
}

ModelConfig small(Family family) {
  ModelConfig config = ModelConfig::of(family);
  config.n_layer = 2;
  config.n_embd = 16;
  config.block_size = 8;
  return config;
}

std::vector<float> logits_of(LanguageModel& model) {
  const Tensor tokens = Tensor::from(std::vector<std::int32_t>{1, 2, 3, 4, 0, 2}, {1, 6});
  return model.logits(tokens, {}).to_vector<float>();
}

void expect_same_logits(LanguageModel& expected, LanguageModel& got) {
  const auto a = logits_of(expected), b = logits_of(got);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5) << i;
}

TEST(WriteFolder, ReadsBackAsTheSameFunction) {
  std::vector<ModelConfig> models;
  for (const Family family : {Family::kGpt2, Family::kLlama}) {
    models.push_back(small(family));
    models.push_back(small(family));
    models.back().bias = !models.back().bias;  // of GPT-2: zeros are written for those that it lacks
    models.back().tie_head = false;
  }
  models.push_back(small(Family::kLlama));
  models.back().rope_style = RopeStyle::kInterleaved;
  models.back().n_kv_head = 2;
  models.back().attn_bias = true;
  for (const ModelConfig& config : models) {
    const test::DataFolder folder;
    const Written made = write_model(folder.path("out"), config, nullptr, 5);
    ASSERT_EQ(made.error, "no error");
    const LoadedRun read = open_run(folder.path("out"));
    EXPECT_TRUE(read.warnings.empty());
    expect_same_logits(*made.model, *read.model);
    const auto file = SafetensorsFile::open(folder.path("out/model.safetensors"));
    EXPECT_EQ(file.header().find("lm_head.weight") == nullptr, config.tie_head);
  }
}

TEST(WriteFolder, TheTokenizerGoesAlong) {
  const test::DataFolder folder;
  const CharTokenizer tokenizer({"a", "b", "\n", "<|endoftext|>"}, 3);
  ASSERT_EQ(write_model(folder.path("out"), small(Family::kGpt2), &tokenizer, 4).error, "no error");
  const LoadedRun read = open_run(folder.path("out"));
  ASSERT_NE(read.tokenizer, nullptr);
  EXPECT_EQ(read.tokenizer->encode("ab\n"), tokenizer.encode("ab\n"));
  EXPECT_EQ(read.tokenizer->boundary_id(), 3);
  EXPECT_EQ(read.prompt_start, std::nullopt);
}

TEST(WriteFolder, PromptsBeginAsTheyDid) {
  const test::DataFolder folder;
  const CharTokenizer tokenizer({"a", "b", "\n", "<|endoftext|>"}, 3);
  ASSERT_EQ(write_model(folder.path("out"), small(Family::kGpt2), &tokenizer, 4, 3).error, "no error");
  EXPECT_EQ(open_run(folder.path("out")).prompt_start, 3);
  const ByteTokenizer bytes(true);
  ASSERT_EQ(write_model(folder.path("bytes"), small(Family::kGpt2), &bytes, 257, 256).error, "no error");
  EXPECT_EQ(open_run(folder.path("bytes")).prompt_start, 256);
}

// A folder as LLaMA 2's: the tokenizer.model goes along as it is, and says what begins a text.
TEST(WriteFolder, ASentencePieceModelGoesAlong) {
  if (!has_sentencepiece()) GTEST_SKIP() << "built without SentencePiece";
  const std::string bytes = read_file(MINNOW_SOURCE_DIR "/tests/exchange/files/tiny.model");
  const SentencePieceTokenizer tokenizer(bytes);
  EXPECT_EQ(tokenizer.encode("Train a model"), (std::vector<std::int32_t>{368, 321, 261, 429}));
  const test::DataFolder folder;
  const std::int64_t tokens = tokenizer.vocab_size();
  ASSERT_EQ(write_model(folder.path("out"), small(Family::kLlama), &tokenizer, tokens, 1).error, "no error");
  EXPECT_EQ(read_file(folder.path("out/tokenizer.model")), bytes);
  EXPECT_FALSE(path_exists(folder.path("out/tokenizer.json")));
  const auto config = nlohmann::json::parse(read_file(folder.path("out/tokenizer_config.json")));
  EXPECT_EQ(config.at("tokenizer_class"), "LlamaTokenizer");
  EXPECT_EQ(config.at("bos_token"), "<s>");
  EXPECT_EQ(config.at("eos_token"), "</s>");
  EXPECT_EQ(config.at("add_bos_token"), true);
  EXPECT_EQ(config.at("add_prefix_space"), true);
  const auto model = nlohmann::json::parse(read_file(folder.path("out/config.json")));
  EXPECT_EQ(model.at("bos_token_id"), 1);
  EXPECT_EQ(model.at("eos_token_id"), 2);
  const LoadedRun read = open_run(folder.path("out"));
  ASSERT_NE(read.tokenizer, nullptr);
  EXPECT_EQ(read.tokenizer->name(), "sentencepiece");
  EXPECT_EQ(read.prompt_start, 1);
  // As a run it can be opened again: its configuration says where the tokenizer is from.
  import_model(read, folder.path("run"), "my.txt");
  const LoadedRun run = open_run(folder.path("run"));
  EXPECT_EQ(run.config.tokenizer.path, folder.path("out"));
  EXPECT_EQ(run.tokenizer->encode("Train a model"), tokenizer.encode("Train a model"));
}

TEST(WriteFolder, RowsWithoutATokenAreNeverToBeWritten) {
  const test::DataFolder folder;
  const CharTokenizer tokenizer({"a", "b", "\n", "<|endoftext|>"}, 3);
  ASSERT_EQ(write_model(folder.path("out"), small(Family::kGpt2), &tokenizer, 7).error, "no error");
  const auto generation = nlohmann::json::parse(read_file(folder.path("out/generation_config.json")));
  EXPECT_EQ(generation.at("suppress_tokens"), (nlohmann::json{4, 5, 6}));
  const auto config = nlohmann::json::parse(read_file(folder.path("out/config.json")));
  EXPECT_EQ(config.at("vocab_size"), 7);
  EXPECT_NE(open_run(folder.path("out")).tokenizer, nullptr);
  ASSERT_EQ(write_model(folder.path("same"), small(Family::kGpt2), &tokenizer, 4).error, "no error");
  EXPECT_EQ(read_file(folder.path("same/generation_config.json")).find("suppress"), std::string::npos);
}

TEST(WriteFolder, WhatNoClassHasIsRefusedAndNothingIsWritten) {
  const test::DataFolder folder;
  std::vector<std::pair<ModelConfig, const char*>> cases(9, {small(Family::kGpt2), ""});
  cases[0].first.position = PositionKind::kSinusoidal, cases[0].second = "model.position is sinusoidal";
  cases[1].first.norm = NormLayer::kRms, cases[1].second = "model.norm is rms";
  cases[2].first.n_kv_head = 2, cases[2].second = "model.n_kv_head is 2";
  cases[3].first.sliding_window = 4, cases[3].second = "model.sliding_window is 4";
  cases[4].first.head_bias = true, cases[4].second = "model.head_bias is true";
  cases[5].first.activation = Activation::kGeglu, cases[5].second = "model.activation is geglu";
  cases[6].first.norm_position = NormPosition::kPost, cases[6].second = "model.norm_position is post";
  cases[7] = {small(Family::kLlama), "model.rotary_dim is 2"};
  cases[7].first.rotary_dim = 2;
  cases[8] = {small(Family::kLlama), "model.activation is relu"};
  cases[8].first.activation = Activation::kRelu;
  for (const auto& [config, words] : cases) {
    const std::string error = write_model(folder.path("out"), config, nullptr, 5).error;
    EXPECT_THAT(error, HasSubstr("2: [export] the model must be one that transformers has"));
    EXPECT_THAT(error, HasSubstr(words));
    EXPECT_FALSE(std::filesystem::exists(folder.path("out")));
  }
}

TEST(WriteFolder, AFolderThatHoldsSomethingIsLeftAlone) {
  const test::DataFolder folder;
  folder.write("out/mine.txt", "x");
  EXPECT_THAT(write_model(folder.path("out"), small(Family::kGpt2), nullptr, 5).error,
              HasSubstr("must be new or empty"));
  EXPECT_FALSE(std::filesystem::exists(folder.path("out/config.json")));
}

}  // namespace
}  // namespace minnow
