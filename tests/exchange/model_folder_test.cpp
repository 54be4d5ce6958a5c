// Folders that the test writes itself: every form that is read, and what is refused.

#include "minnow/exchange/model_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <functional>

#include "exchange/made_folder.hpp"
#include "io/io_support.hpp"
#include "minnow/text/char_tokenizer.hpp"
#include "minnow/train/run.hpp"

namespace minnow {
namespace {

using exchange::ModelFolder;
using nlohmann::json;
using test::error_of;
using test::MadeWeights;
using testing::HasSubstr;

class ModelFolders : public testing::TestWithParam<Family> {
 protected:
  void write(const json& config, const MadeWeights& weights) const {
    folder_.write("config.json", config.dump());
    weights.write(folder_.path("model.safetensors"));
  }
  [[nodiscard]] std::string error() const {
    return error_of([&] { (void)ModelFolder::open(folder_.path()); });
  }
  [[nodiscard]] std::string root() const { return GetParam() == Family::kGpt2 ? "transformer." : "model."; }
  [[nodiscard]] std::string embedding() const {
    return root() + (GetParam() == Family::kGpt2 ? "wte.weight" : "embed_tokens.weight");
  }
  /// All numbers of the opened model, by minnow's names.
  [[nodiscard]] std::map<std::string, std::vector<float>> numbers() const {
    const LoadedRun run = open_run(folder_.path());
    std::map<std::string, std::vector<float>> all;
    for (const Parameter& parameter : run.model->parameters().all()) {
      all[parameter.name] = parameter.tensor.to_vector<float>();
    }
    return all;
  }

  test::DataFolder folder_;
  json config_ = test::made_config(GetParam());
  MadeWeights weights_ = MadeWeights::of(config_);
};

TEST_P(ModelFolders, EveryParameterHasItsNumbers) {
  write(config_, weights_);
  const auto read = numbers();
  const auto folder = ModelFolder::open(folder_.path());
  ASSERT_EQ(read.size(), folder.tensors().size());
  for (const auto& tensor : folder.tensors()) {
    const std::vector<float> stored = weights_.numbers(tensor.name);
    const std::vector<float>& got = read.at(tensor.name);
    ASSERT_EQ(got.size(), stored.size());
    const auto columns = static_cast<std::size_t>(tensor.shape.back());
    const std::size_t rows = stored.size() / columns;
    for (std::size_t i = 0; i < stored.size(); ++i) {
      const std::size_t place = tensor.transposed ? i % columns * rows + i / columns : i;
      ASSERT_EQ(got[place], stored[i]) << tensor.name << " " << i;
    }
  }
}

TEST_P(ModelFolders, OldNamesAndBuffersAreKnown) {
  write(config_, weights_);
  const auto expected = numbers();
  for (const auto& [name, one] : MadeWeights(weights_).tensors) {
    if (name.starts_with(root())) weights_.rename(name, name.substr(root().size()));
  }
  if (GetParam() == Family::kGpt2) {
    weights_.add("h.0.attn.bias", {1, 1, 6, 6}, 1);
    weights_.add("h.1.attn.masked_bias", {}, 1);
  } else {
    weights_.add("layers.0.self_attn.rotary_emb.inv_freq", {2}, 1);
    weights_.add("rotary_emb.inv_freq", {2}, 1);
  }
  write(config_, weights_);
  EXPECT_EQ(numbers(), expected);
  weights_.add(embedding(), {11, 8}, 1);
  write(config_, weights_);
  EXPECT_THAT(error(), HasSubstr("must be stored once"));
}

TEST_P(ModelFolders, HalvesGiveTheSameNumbers) {
  write(config_, weights_);
  const auto expected = numbers();
  for (const FileDtype dtype : {FileDtype::kF16, FileDtype::kBf16, FileDtype::kF64}) {
    MadeWeights other = weights_;
    for (auto& [name, one] : other.tensors) {
      const std::vector<float> values = weights_.numbers(name);
      one.dtype = dtype;
      std::vector<std::uint16_t> halves;
      for (const float value : values) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        const bool zero = value == 0;
        const std::uint32_t half = dtype == FileDtype::kBf16
                                       ? bits >> 16U
                                       : (bits >> 16U & 0x8000U) | ((bits >> 13U & 0x3ffffU) - (112U << 10U));
        halves.push_back(static_cast<std::uint16_t>(zero ? 0 : half));
      }
      one.bytes = dtype == FileDtype::kF64 ? MadeWeights::bytes_of(std::vector<double>(values.begin(), values.end()))
                                           : MadeWeights::bytes_of(halves);
    }
    write(config_, other);
    EXPECT_EQ(numbers(), expected) << dtype_name(dtype);
    EXPECT_EQ(ModelFolder::open(folder_.path()).stored_type(), dtype_name(dtype));
  }
  weights_.tensors[embedding()] = {FileDtype::kI32, {11, 8}, std::vector<std::byte>(11 * 8 * 4)};
  write(config_, weights_);
  EXPECT_THAT(error(), HasSubstr("weights must be F32, F16, BF16 or F64; " + embedding()));
}

TEST_P(ModelFolders, WhatIsMissingUnknownOrOfAnotherShapeIsNamed) {
  MadeWeights wrong = weights_;
  wrong.rename(embedding(), root() + "other.weight");
  write(config_, wrong);
  EXPECT_THAT(error(), HasSubstr("4: [model folder]"));
  EXPECT_THAT(error(), HasSubstr("missing: " + embedding()));
  wrong = weights_;
  wrong.add("adapter.weight", {2}, 1);
  write(config_, wrong);
  EXPECT_THAT(error(), HasSubstr("it has no place for: adapter.weight"));
  wrong = weights_;
  wrong.add(embedding(), {12, 8}, 1);
  write(config_, wrong);
  EXPECT_THAT(error(),
              HasSubstr(embedding() + " must be (11, 8), as config.json says; model.safetensors holds (12, 8)"));
}

/// The sizes are checked against the file before memory is taken for them.
TEST_P(ModelFolders, AbsurdSizesCostNothing) {
  json absurd = config_;
  absurd["vocab_size"] = 100'000'000;
  absurd[GetParam() == Family::kGpt2 ? "n_embd" : "hidden_size"] = 1'000'000;
  write(absurd, weights_);
  EXPECT_THAT(error(), HasSubstr("must be (100000000, 1000000)"));
  absurd = config_;
  absurd[GetParam() == Family::kGpt2 ? "n_layer" : "num_hidden_layers"] = 10'000;
  write(absurd, weights_);
  EXPECT_THAT(error(), HasSubstr("more"));
}

TEST_P(ModelFolders, TheStoredHeadDecides) {
  config_["tie_word_embeddings"] = true;
  weights_ = MadeWeights::of(config_);
  write(config_, weights_);
  EXPECT_TRUE(ModelFolder::open(folder_.path()).model().tie_head);
  EXPECT_TRUE(ModelFolder::open(folder_.path()).warnings().empty());

  weights_.tensors["lm_head.weight"] = weights_.tensors[embedding()];  // the same numbers twice
  write(config_, weights_);
  EXPECT_TRUE(ModelFolder::open(folder_.path()).model().tie_head);
  EXPECT_TRUE(ModelFolder::open(folder_.path()).warnings().empty());

  weights_.add("lm_head.weight", {11, 8}, 99);  // others
  write(config_, weights_);
  const auto untied = ModelFolder::open(folder_.path());
  EXPECT_FALSE(untied.model().tie_head);
  ASSERT_EQ(untied.warnings().size(), 1U);
  EXPECT_THAT(untied.warnings()[0], HasSubstr("the stored head is taken"));
  EXPECT_EQ(numbers().at("lm_head.weight"), weights_.numbers("lm_head.weight"));

  config_["tie_word_embeddings"] = false;  // said, but not stored
  weights_.tensors.erase("lm_head.weight");
  write(config_, weights_);
  const auto tied = ModelFolder::open(folder_.path());
  EXPECT_TRUE(tied.model().tie_head);
  ASSERT_EQ(tied.warnings().size(), 1U);
  EXPECT_THAT(tied.warnings()[0], HasSubstr("the embedding is taken as the head"));
}

TEST_P(ModelFolders, ShardsAreOneModel) {
  write(config_, weights_);
  const auto expected = numbers();
  std::filesystem::remove(folder_.path("model.safetensors"));
  const auto in_first = [&](const std::string& name) { return name.find(".1.") == std::string::npos; };
  json index = {{"metadata", {{"total_size", 1}}}, {"weight_map", json::object()}};
  for (const auto& [name, one] : weights_.tensors) {
    index["weight_map"][name] =
        in_first(name) ? "model-00001-of-00002.safetensors" : "model-00002-of-00002.safetensors";
  }
  weights_.write(folder_.path("model-00001-of-00002.safetensors"), in_first);
  folder_.write("model.safetensors.index.json", index.dump());
  EXPECT_THAT(error(), HasSubstr("every file that model.safetensors.index.json names must be there"));
  weights_.write(folder_.path("model-00002-of-00002.safetensors"), std::not_fn(in_first));
  EXPECT_EQ(numbers(), expected);

  weights_.write(folder_.path("model-00002-of-00002.safetensors"));  // a tensor in both files
  EXPECT_THAT(error(), HasSubstr("must hold only what model.safetensors.index.json names for it"));
  weights_.write(folder_.path("model-00002-of-00002.safetensors"), std::not_fn(in_first));
  index["weight_map"]["nothing.weight"] = "model-00001-of-00002.safetensors";
  folder_.write("model.safetensors.index.json", index.dump());
  EXPECT_THAT(error(), HasSubstr("model-00001-of-00002.safetensors must hold nothing.weight"));
}

TEST_P(ModelFolders, WithoutWeightsWhatIsThereIsNamed) {
  folder_.write("config.json", config_.dump());
  EXPECT_THAT(error(), HasSubstr("neither is there"));
  folder_.write("pytorch_model.bin", "x");
  EXPECT_THAT(error(), HasSubstr("pytorch_model.bin is there instead. Hint: in Python"));
}

TEST_P(ModelFolders, ATokenizerOfAKindThatIsNotReadIsLeftOut) {
  write(config_, weights_);
  auto json = nlohmann::json::parse(CharTokenizer({"a", "b"}, -1).to_json());
  json["model"]["type"] = "Unigram";
  folder_.write("tokenizer.json", json.dump());
  const auto folder = ModelFolder::open(folder_.path());
  EXPECT_EQ(folder.tokenizer(), nullptr);
  ASSERT_EQ(folder.warnings().size(), 1U);
  EXPECT_THAT(folder.warnings()[0], HasSubstr("texts are token ids"));
}

TEST_P(ModelFolders, ADamagedTokenizerIsAnErrorOfWhoeverAsksForIt) {
  write(config_, weights_);
  const std::string whole = CharTokenizer({"a", "b"}, -1).to_json();
  for (const std::string& damaged : {std::string("{}"), std::string(), whole.substr(0, whole.size() / 2)}) {
    folder_.write("tokenizer.json", damaged);
    const auto folder = ModelFolder::open(folder_.path());
    const std::string text = test::message_of<CheckpointError>([&] { (void)folder.tokenizer(); });
    EXPECT_THAT(text, HasSubstr("tokenizer.json:"));
    EXPECT_THAT(text, HasSubstr("Hint: fetch the file again; without it texts are token ids"));
    EXPECT_THAT(text, testing::Not(HasSubstr("exception")));
  }
}

// vocab.json and merges.txt imply GPT-2's pattern: they stand in for a damaged file of GPT-2, not for another's.
TEST_P(ModelFolders, AnotherFileStandsInForADamagedTokenizer) {
  write(config_, weights_);
  folder_.write("vocab.json", R"({"a": 0, "b": 1, "ab": 2})");
  folder_.write("merges.txt", "#version: 0.2\na b\n");
  folder_.write("tokenizer.json", "{\n\"version\": 1.0,,");
  const auto folder = ModelFolder::open(folder_.path());
  if (GetParam() == Family::kLlama) {
    EXPECT_THROW((void)folder.tokenizer(), CheckpointError);
    return;
  }
  ASSERT_NE(folder.tokenizer(), nullptr);
  EXPECT_EQ(folder.tokenizer()->vocab_size(), 3);
  ASSERT_EQ(folder.warnings().size(), 1U);
  EXPECT_THAT(folder.warnings()[0], HasSubstr("vocab.json is used as the tokenizer: "));
  EXPECT_THAT(folder.warnings()[0], HasSubstr("tokenizer.json:2:16: must be JSON; "));

  auto other = nlohmann::json::parse(CharTokenizer({"a", "b"}, -1).to_json());
  other["pre_tokenizer"] = {{"type", "Whitespace"}};
  folder_.write("tokenizer.json", other.dump());
  EXPECT_EQ(ModelFolder::open(folder_.path()).tokenizer(), nullptr);
}

// Rows beyond the tokenizer's tokens pad the matrix; a tokenizer that is larger than the model fits nothing.
TEST_P(ModelFolders, ATokenizerMayHaveFewerTokensThanTheModel) {
  write(config_, weights_);
  folder_.write("tokenizer.json", CharTokenizer({"a", "b", "c", "\n"}, -1).to_json());
  const auto padded = ModelFolder::open(folder_.path());
  ASSERT_NE(padded.tokenizer(), nullptr);
  EXPECT_EQ(padded.tokenizer()->vocab_size(), 4);
  EXPECT_EQ(padded.vocab_size(), 11);
  EXPECT_TRUE(padded.warnings().empty());

  folder_.write("tokenizer.json", CharTokenizer::train("abcdefghijklmno")->to_json());
  const auto larger = ModelFolder::open(folder_.path());
  EXPECT_EQ(larger.tokenizer(), nullptr);
  ASSERT_EQ(larger.warnings().size(), 1U);
  EXPECT_THAT(larger.warnings()[0], HasSubstr("it has 15 tokens and the model 11"));
}

INSTANTIATE_TEST_SUITE_P(Families, ModelFolders, testing::Values(Family::kGpt2, Family::kLlama),
                         [](const auto& info) { return info.param == Family::kGpt2 ? "gpt2" : "llama"; });

}  // namespace
}  // namespace minnow
