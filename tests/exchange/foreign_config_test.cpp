// config.json: what changes the result is taken over or refused by its name.

#include "minnow/exchange/foreign_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exchange/made_folder.hpp"
#include "minnow/exchange/weight_files.hpp"
#include "minnow/models/language_model.hpp"

namespace minnow {
namespace {

using exchange::read_foreign_config;
using exchange::why_not_foreign;
using nlohmann::json;
using test::error_of;
using testing::HasSubstr;

json with(Family family, const json& changes) {
  json config = test::made_config(family);
  config.update(changes);
  return config;
}
ModelConfig model_of(Family family, const json& changes) {
  return read_foreign_config(with(family, changes).dump()).model;
}
std::string refusal_of(Family family, const json& changes) {
  return error_of([&] { (void)read_foreign_config(with(family, changes).dump()); });
}

TEST(ForeignConfig, Gpt2IsTakenOver) {
  const ModelConfig plain = model_of(Family::kGpt2, json::object());
  EXPECT_EQ(plain.activation, Activation::kGeluTanh);
  EXPECT_EQ(plain.attn_dropout, 0.1);
  EXPECT_EQ(plain.hidden_width(), 32);
  EXPECT_TRUE(plain.tie_head);
  const ModelConfig other = model_of(Family::kGpt2, {{"activation_function", "gelu"},
                                                     {"layer_norm_epsilon", 1e-3},
                                                     {"n_inner", 20},
                                                     {"tie_word_embeddings", false},
                                                     {"resid_pdrop", 0},
                                                     {"reorder_and_upcast_attn", true},
                                                     {"torch_dtype", "float16"}});
  EXPECT_EQ(other.activation, Activation::kGeluErf);
  EXPECT_EQ(other.norm_eps, 1e-3);
  EXPECT_EQ(other.hidden_width(), 20);
  EXPECT_FALSE(other.tie_head);
  EXPECT_EQ(other.resid_dropout, 0.0);
}

TEST(ForeignConfig, LlamaIsTakenOver) {
  const ModelConfig plain = model_of(Family::kLlama, json::object());
  EXPECT_EQ(plain.norm_eps, 1e-6);
  EXPECT_EQ(plain.kv_heads(), 1);
  EXPECT_EQ(plain.rope_theta, 10000);
  EXPECT_FALSE(plain.tie_head);
  EXPECT_FALSE(plain.attention_has_bias());
  const ModelConfig other = model_of(Family::kLlama, {{"hidden_act", "gelu"},
                                                      {"attention_bias", true},
                                                      {"mlp_bias", true},
                                                      {"head_dim", 4},
                                                      {"rope_theta", 500.0},
                                                      {"rope_scaling", {{"rope_type", "default"}}}});
  EXPECT_EQ(other.activation, Activation::kGeglu);
  EXPECT_TRUE(other.attention_has_bias());
  EXPECT_TRUE(other.mlp_has_bias());
  EXPECT_EQ(other.rope_theta, 500);
  EXPECT_EQ(
      model_of(Family::kLlama, {{"rope_parameters", {{"rope_theta", 77.0}, {"rope_type", "default"}}}}).rope_theta, 77);
}

struct Refused {
  Family family;
  json changes;
  const char* words;
};

TEST(ForeignConfig, WhatMinnowDoesNotComputeIsRefusedByName) {
  const std::vector<Refused> cases = {
      {Family::kGpt2, {{"activation_function", "quick_gelu"}}, "activation_function must be one that minnow computes"},
      {Family::kGpt2, {{"scale_attn_weights", false}}, "scale_attn_weights must be true"},
      {Family::kGpt2, {{"scale_attn_by_inverse_layer_idx", true}}, "scale_attn_by_inverse_layer_idx must be false"},
      {Family::kGpt2, {{"add_cross_attention", true}}, "add_cross_attention must be false"},
      {Family::kGpt2, {{"n_head", 3}}, "n_embd must be a multiple of n_head; got 8 and 3"},
      {Family::kGpt2, {{"n_layer", 0}}, "n_layer must be a whole number from 1"},
      {Family::kGpt2, {{"n_layer", 2.5}}, "n_layer must be a whole number"},
      {Family::kGpt2, {{"n_layer", 18446744073709551615U}}, "n_layer must be a whole number"},
      {Family::kGpt2, {{"n_layer", nullptr}}, "n_layer must be given"},
      {Family::kGpt2, {{"hidden_size", 16}}, "n_embd and hidden_size must say the same; got 8 and 16"},
      {Family::kGpt2, {{"layer_norm_epsilon", -1}}, "layer_norm_epsilon must be a number"},
      {Family::kGpt2, {{"tie_word_embeddings", "yes"}}, "tie_word_embeddings must be true or false"},
      {Family::kGpt2, {{"quantization_config", {{"bits", 4}}}}, "quantization_config must be absent"},
      {Family::kGpt2, {{"architectures", {"GPT2ForTokenClassification"}}}, "architectures must be"},
      {Family::kGpt2, {{"model_type", "bert"}}, "model_type must be \"gpt2\" or \"llama\"; got \"bert\""},
      {Family::kLlama, {{"hidden_act", "gelu_new"}}, "hidden_act must be one that minnow computes"},
      {Family::kLlama, {{"head_dim", 16}}, "head_dim must be hidden_size / num_attention_heads = 4"},
      {Family::kLlama, {{"num_key_value_heads", 3}}, "num_attention_heads must be a multiple of num_key_value_heads"},
      {Family::kLlama,
       {{"rope_scaling", {{"type", "linear"}, {"factor", 2.0}}}},
       "rope_scaling: type must be \"default\""},
      {Family::kLlama,
       {{"rope_parameters", {{"rope_type", "llama3"}}}},
       "rope_parameters: rope_type must be \"default\""},
      {Family::kLlama, {{"rope_parameters", 3}}, "rope_parameters must be an object"},
      {Family::kLlama,
       {{"rope_theta", 5.0}, {"rope_parameters", {{"rope_theta", 6.0}}}},
       "must be the same; got 5 and 6"},
  };
  for (const Refused& one : cases) {
    const std::string error = refusal_of(one.family, one.changes);
    EXPECT_THAT(error, HasSubstr("4: [model folder] ")) << one.changes;
    EXPECT_THAT(error, HasSubstr(one.words)) << one.changes;
  }
}

TEST(ForeignConfig, HostileTextsAreRefused) {
  const auto refusal = [](const std::string& text) { return error_of([&] { (void)read_foreign_config(text); }); };
  EXPECT_THAT(refusal(""), HasSubstr("must be JSON"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("must hold a JSON object; got array"));
  EXPECT_THAT(refusal(R"({"n_layer": 1, "n_layer": 2})"), HasSubstr("\"n_layer\" stands twice"));
  EXPECT_THAT(refusal(R"({"x": )" + std::string(100000, '[')), HasSubstr("nested at most 64 deep"));
  EXPECT_THAT(refusal(std::string(exchange::kMaxConfigBytes + 1, ' ')), HasSubstr("must have at most"));
  EXPECT_THAT(refusal("{\"model_type\": \"\xff\"}"), HasSubstr("must be JSON in UTF-8"));
}

TEST(ForeignConfig, WhatIsWrittenReadsBackAsTheSameModel) {
  std::vector<ModelConfig> models(4);
  models[0].vocab_size = 65;
  models[1] = models[0];
  models[1].activation = Activation::kSilu;
  models[1].tie_head = false;
  models[1].n_inner = 40;
  models[1].norm_eps = 1e-3;
  models[2] = ModelConfig::of(Family::kLlama);
  models[2].vocab_size = 65;
  models[3] = models[2];
  models[3].n_kv_head = 2;
  models[3].rope_theta = 500;
  models[3].attn_bias = true;
  models[3].activation = Activation::kReglu;
  for (const ModelConfig& model : models) {
    EXPECT_EQ(why_not_foreign(model), "");
    const auto read = read_foreign_config(exchange::write_foreign_config(model, 65, {}));
    EXPECT_EQ(read.architecture, exchange::architecture_of(model.family));
    ModelConfig expected = model;
    ModelConfig got = read.model;
    for (ModelConfig* one : {&expected, &got}) {  // what was left to a default may be said, and dropout is split
      one->n_inner = one->hidden_width();
      one->n_kv_head = one->kv_heads();
      one->attn_bias = one->attention_has_bias();
      one->mlp_bias = one->mlp_has_bias();
      one->attn_dropout = one->resid_dropout = one->embd_dropout = 0;
    }
    EXPECT_TRUE(expected == got) << exchange::write_foreign_config(model, 65, {});
  }
}

/// The list of a file's tensors must be that of the model, name by name.
TEST(ForeignConfig, TensorsAreThoseOfTheModel) {
  for (const Family family : {Family::kGpt2, Family::kLlama}) {
    for (const bool on : {false, true}) {
      ModelConfig model = ModelConfig::of(family);
      model.n_layer = 2;
      model.tie_head = on;
      model.bias = !on;
      model.attn_bias = on;
      model.n_kv_head = family == Family::kLlama ? 2 : 0;
      const auto made = make_language_model(model, 65);
      const auto tensors = exchange::foreign_tensors(model, 65);
      const auto& parameters = made->parameters().all();
      ASSERT_EQ(tensors.size(), parameters.size());
      for (std::size_t i = 0; i < tensors.size(); ++i) {
        EXPECT_EQ(tensors[i].name, parameters[i].name);
        std::vector<std::int64_t> shape(parameters[i].tensor.shape().begin(), parameters[i].tensor.shape().end());
        if (tensors[i].transposed) std::swap(shape[0], shape[1]);
        EXPECT_EQ(tensors[i].shape, shape) << tensors[i].name;
      }
    }
  }
}

TEST(WeightMap, OnlyPlainFilesOfTheFolderAreNamed) {
  const auto refusal = [](const json& file) {
    return error_of([&] { (void)exchange::read_weight_map(json{{"weight_map", {{"a", file}}}}.dump()); });
  };
  for (const char* bad : {"../x.safetensors", "/etc/x.safetensors", "a/b.safetensors", "a\\b.safetensors", "..", "",
                          "x.bin", ".safetensors", "x\n.safetensors"}) {
    EXPECT_THAT(refusal(bad), HasSubstr("4: [model folder] ")) << bad;
    EXPECT_THAT(refusal(bad), HasSubstr("of the same folder, without directories")) << bad;
  }
  EXPECT_THAT(refusal(7), HasSubstr("without directories"));
  EXPECT_EQ(refusal("model-00001-of-00002.safetensors"), "no error");
  const auto text = [](const std::string& index) { return error_of([&] { (void)exchange::read_weight_map(index); }); };
  EXPECT_THAT(text("{}"), HasSubstr("weight_map must be an object"));
  EXPECT_THAT(text(R"({"weight_map": {}})"), HasSubstr("weight_map must be an object"));
  EXPECT_THAT(text(R"({"weight_map": {"a": "x.safetensors", "a": "y.safetensors"}})"), HasSubstr("stands twice"));
}

}  // namespace
}  // namespace minnow
