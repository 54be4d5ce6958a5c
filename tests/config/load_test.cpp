/// @file
/// Reading, refusing, writing and comparing configurations.

#include "minnow/config/load.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <locale>

#include "minnow/base/error.hpp"

namespace minnow {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::string_view kLeast = "[data]\npath = \"builtin\"\n";

std::string error_of(std::string_view text, const std::vector<std::string>& overrides = {}) {
  try {
    (void)load_config(text, "t.toml", overrides);
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::kUsage);
    return error.what();
  }
  return "no error";
}

/// A document that gives `key` the TOML text `value` in line 2 or, for data keys, line 3.
std::string document(const Key& key, std::string_view value) {
  if (key.table().empty()) return fmt::format("\n{} = {}\n{}", key.leaf(), value, kLeast);
  if (key.name == "data.path") return fmt::format("[data]\npath = {}\n", value);
  if (key.table() == "data") return fmt::format("{}{} = {}\n", kLeast, key.leaf(), value);
  return fmt::format("[{}]\n{} = {}\n{}", key.table(), key.leaf(), value, kLeast);
}

std::vector<std::string> wrong_values(const Key& key) {
  std::vector<std::string> values = {"[]",  "[1]",  "{}",    "2024-05-06",         "nan",
                                     "inf", "-inf", "1e400", "9223372036854775808"};
  const bool numeric = key.kind == ValueKind::kInteger || key.kind == ValueKind::kNumber;
  if (key.kind != ValueKind::kBool) values.insert(values.end(), {"true", "false"});
  if (key.kind != ValueKind::kText && key.kind != ValueKind::kPath) values.insert(values.end(), {"\"\"", "\"wrong\""});
  if (!numeric) values.insert(values.end(), {"0", "1", "-1", "0.5"});
  if (key.kind == ValueKind::kInteger) values.insert(values.end(), {"0.5", "-2", "1.0", "-9223372036854775808"});
  const bool has_minus_one = key.name == "data.document_token";  // for the tokenizer's boundary
  if (key.kind == ValueKind::kInteger && !has_minus_one) values.emplace_back("-1");
  if (key.kind == ValueKind::kNumber) values.insert(values.end(), {"-1", "-1e-300", "1e301"});
  return values;
}

TEST(LoadConfig, RefusesEveryWrongValueOfEveryKey) {
  int count = 0;
  for (const Key& key : config_keys()) {
    for (const std::string& value : wrong_values(key)) {
      const std::string text = document(key, value);
      const std::string error = error_of(text);
      const std::string line = key.table() == "data" && key.name != "data.path" ? "3" : "2";
      EXPECT_THAT(error, HasSubstr("[config] t.toml:" + line + ":")) << text;
      const bool syntax = value == "1e400" || value == "9223372036854775808";
      if (!syntax) {
        EXPECT_THAT(error, HasSubstr(fmt::format(":1: {} must be ", key.name))) << text;
      }
      ++count;
    }
  }
  EXPECT_GE(count, 600);
}

TEST(LoadConfig, AcceptsTheBoundsOfEveryNumber) {
  for (const Key& key : config_keys()) {
    if (key.kind != ValueKind::kNumber) continue;
    const auto refused = [&](double value) {
      return error_of(document(key, fmt::format("{:.17e}", value)))
                 .find(fmt::format("{} must be a number", key.name)) != std::string::npos;
    };
    EXPECT_EQ(refused(key.low), key.low_open) << key.name;
    EXPECT_EQ(refused(key.high), key.high_open) << key.name;
    EXPECT_TRUE(refused(std::nextafter(key.high, std::numeric_limits<double>::infinity()))) << key.name;
  }
}

TEST(LoadConfig, ReportsAllErrorsAtOnceInOrder) {
  const std::string error = error_of(
      "[optimizer]\nlearning-rate = 1\n[model]\nn_layer = 0\nn_head = 3\n[train]\ndropout = 0.1\n", {"train.seed=-1"});
  EXPECT_THAT(error, HasSubstr("[config] 6 errors in the configuration:\n  t.toml:2:1: unknown key"));
  EXPECT_THAT(error, HasSubstr("t.toml:4:1: model.n_layer must be"));
  EXPECT_THAT(error, HasSubstr("t.toml:5:1: model.n_embd must be divisible by model.n_head; got 128 and 3"));
  EXPECT_THAT(error, HasSubstr("t.toml:7:1: unknown key train.dropout; dropout belongs in [model]"));
  EXPECT_LT(error.find("t.toml:7:1"), error.find("--set train.seed=-1"));
  EXPECT_THAT(error, HasSubstr("data.path must be given"));
}

TEST(LoadConfig, SkipsRulesOfBrokenValues) {
  // n_head = 0 is refused by its range; the rule that divides by it must not run.
  EXPECT_EQ(
      error_of(std::string(kLeast) + "[model]\nn_head = 0\n[train]\naccumulation_steps = 0\nleaf_sequences = 5\n"),
      "[config] 2 errors in the configuration:\n"
      "  t.toml:4:1: model.n_head must be a whole number from 1 to 10000; got 0\n"
      "  t.toml:6:1: train.accumulation_steps must be a whole number from 1 to 1000000; got 0");
}

TEST(LoadConfig, StopsAtAHundredErrors) {
  std::string text = "[train]\n";
  for (int i = 0; i < 40000; ++i) text += fmt::format("learning_rate_{} = 1\n", i);
  const std::string error = error_of(text);
  EXPECT_THAT(error, HasSubstr("[config] 101 errors in the configuration:"));
  EXPECT_LT(error.size(), 20000U);
}

TEST(LoadConfig, TakesIntegersForNumbers) {
  const auto loaded = load_config(std::string(kLeast) + "[optimizer]\ngrad_clip = 0\n", "t.toml");
  EXPECT_EQ(loaded.config.optimizer.grad_clip, 0.0);
}

TEST(LoadConfig, NamesOddFiles) {
  // Colons in the file's name must not be taken for line numbers.
  try {
    (void)load_config("", "a:b:c.toml");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("[config] a:b:c.toml: data.path must be given"));
  }
}

TEST(LoadConfig, IgnoresTheLocale) {
  // R37: a comma as decimal point, in the C++ streams and, where installed, in the C library.
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Comma));
  const std::string c_before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"nb_NO.UTF-8", "de_DE.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) != nullptr) break;
  }
  const auto loaded = load_config(std::string(kLeast) + "[optimizer]\nlearning_rate = 0.1\neps = 1.5e-3\n", "t.toml",
                                  std::vector<std::string>{"schedule.min_lr=0.05", "train.max_steps=123456"});
  const std::string text = to_toml(loaded);
  const std::string error = error_of(std::string(kLeast) + "[model]\ndropout = 1.5\n");
  std::setlocale(LC_ALL, c_before.c_str());
  std::locale::global(before);
  EXPECT_EQ(loaded.config.optimizer.learning_rate, 0.1);
  EXPECT_EQ(loaded.config.optimizer.eps, 1.5e-3);
  EXPECT_EQ(loaded.config.schedule.min_lr, 0.05);
  EXPECT_THAT(text, AllOf(HasSubstr("learning_rate = 0.1 "), HasSubstr("max_steps = 123456 ")));
  EXPECT_THAT(error, HasSubstr("got 1.5"));
}

TEST(LoadConfig, DeepNestingIsAClearError) {
  // R39, in each way in which TOML nests.
  const std::string open = "x = " + std::string(300, '[');
  EXPECT_THAT(error_of(open), HasSubstr("must not be nested deeper than 256 levels"));
  EXPECT_THAT(error_of("x = " + std::string(300, '[') + std::string(300, ']')), HasSubstr("deeper than 256"));
  std::string tables = "x = ";
  for (int i = 0; i < 300; ++i) tables += "{a=";
  EXPECT_THAT(error_of(tables), HasSubstr("deeper than 256"));
  std::string dotted;
  for (int i = 0; i < 200000; ++i) dotted += "a.";
  EXPECT_THAT(error_of(dotted + "b = 1\n"), HasSubstr("must not hold more than 1000 dots"));
  EXPECT_THAT(error_of("[" + dotted + "b]\n"), HasSubstr("must not hold more than 1000 dots"));
}

/// A value of every key that differs from the default, such that all of them together are allowed.
Config unusual_config() {
  Config c;
  c.model = {Family::kGpt2,
             3,
             2,
             48,
             32,
             100,
             300,
             0.125,
             0.0,
             0.25,
             1e-3,
             Activation::kRelu,
             PositionKind::kRotary,
             NormPosition::kPost,
             1e-6,
             false,
             true,
             false,
             InitKind::kScaled,
             0.037,
             NormLayer::kRms,
             1,
             1234.5,
             8,
             RopeStyle::kInterleaved,
             7,
             true,
             false};
  c.data = {"data/f\"o\\o\n\t\x01\x7f \xc3\xa9.txt",
            DataFormat::kText,
            "te\"xt",
            "",
            SplitKind::kEveryNth,
            0.3333333333333333,
            7,
            6,
            DocumentKind::kLines,
            PackingKind::kPack,
            true,
            7,
            OrderKind::kRandom};
  c.tokenizer = {TokenizerKind::kBpe, UnknownPolicy::kReplace, "", PieceKind::kLlama3, 777, 5};
  c.train = {1000000007, 24, 2, 3, 9223372036854775807, 1e-7, 5, 77};
  c.optimizer = {OptimizerKind::kAdamw, 0.1 + 0.2, 0.0, 1 - 1e-16, 5e-324, 1e-30, 0.0};
  c.optimizer.amsgrad = true;
  c.optimizer.ema_decay = 0.75;
  c.schedule = {ScheduleKind::kWsd, 11, 13, 1.0 / 3 / 10, WsdShape::kSqrt};
  c.eval = {1, 2, true};
  c.checkpoint = {3, 4, false};
  c.sample = {5, "caf\xc3\xa9 \"\"\" ''' # = \r\n", 6, 7.0, 8, 9};
  c.log = {2};
  c.compute = {3, GemmKind::kOpenblas, PrecisionKind::kBf16};
  c.run = {"runs/\xe6\x97\xa5 # x"};
  return c;
}

TEST(ToToml, ReadsBackAsTheSameConfig) {
  Config least;
  least.data.path = "builtin";
  for (const Config& config : {least, unusual_config()}) {
    const auto again = load_config(to_toml(config), "resolved.toml");
    EXPECT_EQ(again.config, config) << to_toml(config);
    EXPECT_EQ(to_toml(again.config), to_toml(config));
  }
}

TEST(ToToml, TellsWhereValuesCameFrom) {
  const auto loaded = load_config(std::string(kLeast) + "[model]\ndropout = 0.5\n", "dir/t\n[x].toml",
                                  std::vector<std::string>{"train.seed=3"});
  const std::string text = to_toml(loaded);
  EXPECT_THAT(text, HasSubstr("dropout = 0.5                    # dir/t?[x].toml:4\n"));
  EXPECT_THAT(text, HasSubstr("# attn_dropout = 0.5             # not given: follows model.dropout\n"));
  EXPECT_THAT(text, HasSubstr("seed = 3                         # --set\n"));
  EXPECT_THAT(text, HasSubstr("n_layer = 4                      # default\n"));
  EXPECT_EQ(load_config(text, "again.toml").config, loaded.config);
}

TEST(LoadConfig, OverridesTakeEveryValueThatTheFileTakes) {
  const Config wanted = unusual_config();
  std::vector<std::string> overrides;
  for (const Key& key : config_keys()) {
    if (!std::holds_alternative<std::monostate>(key.get(wanted)))
      overrides.push_back(fmt::format("{}={}", key.name, value_text(key, wanted)));
  }
  EXPECT_EQ(load_config("", "t.toml", overrides).config, wanted);
}

TEST(LoadConfig, LaterOverridesWinAndBareWordsAreText) {
  const auto loaded = load_config(kLeast, "t.toml",
                                  std::vector<std::string>{"train.seed=1", " train.seed = 2", "sample.prompt= a = b ",
                                                           "run.dir= x ", "data.order=random"});
  EXPECT_EQ(loaded.config.train.seed, 2);
  EXPECT_EQ(loaded.config.sample.prompt, " a = b ");
  EXPECT_EQ(loaded.config.run.dir, "x");
  EXPECT_EQ(loaded.config.data.order, OrderKind::kRandom);
}

TEST(LoadConfig, RefusesOverridesThatAreNotUtf8) {
  EXPECT_THAT(error_of(kLeast, {"sample.prompt=\xff\xfe"}), HasSubstr("sample.prompt must be text in quotes"));
}

TEST(LoadConfig, NotesValuesThatAreNotUsed) {
  const auto loaded =
      load_config(std::string(kLeast) + "val_every = 3\n[schedule]\nname = \"constant\"\nmin_lr = 1e-5\n", "t.toml");
  EXPECT_THAT(loaded.notes, ::testing::ElementsAre(HasSubstr("t.toml:3:1: data.val_every has no effect"),
                                                   HasSubstr("t.toml:6:1: schedule.min_lr has no effect")));
}

TEST(LoadConfig, AFamilyAndAnOptimizerBringTheirDefaults) {
  const auto loaded =
      load_config(std::string(kLeast) + "[model]\nfamily = \"llama\"\nnorm = \"layer\"\n[optimizer]\nname = \"muon\"\n",
                  "t.toml", std::vector<std::string>{"optimizer.nesterov=false"});
  const ModelConfig& model = loaded.config.model;
  EXPECT_EQ(model.position, PositionKind::kRotary);
  EXPECT_EQ(model.activation, Activation::kSwiglu);
  EXPECT_EQ(model.norm, NormLayer::kLayer);
  EXPECT_FALSE(model.bias || model.attention_has_bias());
  EXPECT_EQ(model.hidden_width(), 344);
  EXPECT_EQ(loaded.config.optimizer.momentum, 0.95);
  EXPECT_FALSE(loaded.config.optimizer.nesterov);
  const std::string text = to_toml(loaded);
  EXPECT_THAT(text, HasSubstr("bias = false                     # default of \"llama\"\n"));
  EXPECT_THAT(text, HasSubstr("momentum = 0.95                  # default of \"muon\"\n"));
  EXPECT_EQ(load_config(text, "again.toml").config, loaded.config);
}

TEST(LoadConfig, RefusesValuesOfAnotherOptimizerOrPosition) {
  EXPECT_THAT(error_of(std::string(kLeast) + "[optimizer]\nmomentum = 0.9\n"),
              HasSubstr("t.toml:4:1: optimizer.momentum must not be given here; it is used when optimizer.name is sgd, "
                        "rmsprop or muon; got 0.9"));
  EXPECT_THAT(error_of(std::string(kLeast) + "[optimizer]\nname = \"sgd\"\nbeta2 = 0.95\n"),
              HasSubstr("optimizer.beta2 must not be given here"));
  EXPECT_THAT(error_of(std::string(kLeast) + "[optimizer]\nname = \"sgd\"\nnesterov = true\n"),
              HasSubstr("sgd with momentum above 0"));
  EXPECT_THAT(error_of(kLeast, {"model.rope_theta=500"}), HasSubstr("model.position = \"rotary\""));
  EXPECT_THAT(error_of(kLeast, {"eval.use_ema=true"}), HasSubstr("optimizer.ema_decay > 0"));
  EXPECT_THAT(error_of(kLeast, {"model.n_kv_head=3"}), HasSubstr("divisible by model.n_kv_head; got 4 and 3"));
  EXPECT_THAT(error_of(kLeast, {"model.position=rotary", "model.rotary_dim=34"}), HasSubstr("heads of 32"));
  EXPECT_THAT(error_of(kLeast, {"model.position=rotary", "model.n_embd=12"}), HasSubstr("must be even"));
}

TEST(Validate, ChecksWhatWasSetByHand) {
  Config config = unusual_config();
  EXPECT_NO_THROW(validate(config));
  config.model.n_head = 0;
  config.model.dropout = std::numeric_limits<double>::quiet_NaN();
  config.model.activation = static_cast<Activation>(17);
  config.data.path = "";
  try {
    validate(config);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("model.n_head must be"), HasSubstr("model.dropout must be a number"),
                      HasSubstr("model.activation must be one of"), HasSubstr("data.path must be given")));
  }
}

TEST(CompareConfigs, ListsKeysWithTheirVerdict) {
  const Config before = unusual_config();
  Config after = before;
  after.model.n_layer = 5;
  after.optimizer.learning_rate = 0.5;
  after.checkpoint.keep = 9;
  const auto differences = compare_configs(before, after);
  ASSERT_EQ(differences.size(), 3U);
  EXPECT_EQ(differences[0].key->name, "model.n_layer");
  EXPECT_EQ(differences[0].before, "3");
  EXPECT_EQ(differences[0].after, "5");
  EXPECT_EQ(effect_name(differences[0].effect), "refused");
  EXPECT_EQ(effect_name(differences[1].effect), "changes bits");
  EXPECT_EQ(effect_name(differences[2].effect), "free");
}

TEST(CompareConfigs, KnowsHarmlessChanges) {
  const auto effect = [](const Config& before, const Config& after) {
    const auto differences = compare_configs(before, after);
    return differences.empty() ? std::string_view("none") : effect_name(differences[0].effect);
  };
  Config before;
  before.train.batch_size = 16;
  before.train.leaf_sequences = 4;
  Config after = before;
  after.train.accumulation_steps = 4;
  EXPECT_EQ(effect(before, after), "free") << "the leaves stay the same";
  before.train.leaf_sequences = after.train.leaf_sequences = 0;
  EXPECT_EQ(effect(before, after), "changes bits") << "the leaf is the micro-batch, which shrinks";

  after = before;
  after.train.max_steps = before.train.max_steps * 2;
  EXPECT_EQ(effect(before, after), "changes bits") << "cosine decays towards max_steps";
  before.schedule.decay_steps = after.schedule.decay_steps = 500;
  EXPECT_EQ(effect(before, after), "free");
  before.schedule.name = after.schedule.name = ScheduleKind::kWsd;
  EXPECT_EQ(effect(before, after), "changes bits") << "the last decay moves";

  after = before;
  after.model.n_inner = 4 * before.model.n_embd;
  EXPECT_EQ(effect(before, after), "free");
  after = before;
  after.data.val_every = 3;
  EXPECT_EQ(effect(before, after), "free") << "not used when the split is a fraction";
}

TEST(Schedule, ResolvesDecaySteps) {
  ScheduleConfig schedule;
  EXPECT_EQ(schedule.resolved_decay_steps(1000), 1000);
  schedule.name = ScheduleKind::kWsd;
  EXPECT_EQ(schedule.resolved_decay_steps(1000), 100);
  EXPECT_EQ(schedule.resolved_decay_steps(5), 1);
  schedule.warmup_steps = 970;
  EXPECT_EQ(schedule.resolved_decay_steps(1000), 30);
  schedule.warmup_steps = 1000;
  EXPECT_EQ(schedule.resolved_decay_steps(1000), 1);
  schedule.decay_steps = 7;
  EXPECT_EQ(schedule.resolved_decay_steps(1000), 1);  // cut to what the warm-up leaves
  schedule.warmup_steps = 995;
  EXPECT_EQ(schedule.resolved_decay_steps(1000), 5);
  schedule.warmup_steps = 990;
  EXPECT_EQ(schedule.resolved_decay_steps(1000), 7);
}

std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(ShippedConfigs, LoadWithoutNotesAndPinTheirInit) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(MINNOW_SOURCE_DIR) / "configs")) {
    if (entry.path().extension() != ".toml") continue;
    const std::string name = entry.path().filename().string();
    const auto loaded = load_config(slurp(entry.path()), name);
    EXPECT_TRUE(loaded.notes.empty()) << loaded.notes.front();
    const auto keys = config_keys();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const bool pinned = keys[i].name == "model.init" || keys[i].name == "train.seed" || keys[i].name == "task";
      if (pinned) {
        EXPECT_NE(loaded.origins[i], "default") << name << " must write " << keys[i].name;
      }
    }
    ++count;
  }
  EXPECT_GE(count, 5);
}

TEST(ShippedConfigs, ShakespeareCharIsTheMeasuredSetting) {
  const Config c = load_config(slurp(MINNOW_SOURCE_DIR "/configs/shakespeare_char.toml"), "t").config;
  EXPECT_EQ(c.model.n_layer, 4);
  EXPECT_EQ(c.model.n_embd, 128);
  EXPECT_EQ(c.model.block_size, 64);
  EXPECT_FALSE(c.model.bias || c.model.head_bias);
  EXPECT_TRUE(c.model.tie_head);
  EXPECT_EQ(c.model.init, InitKind::kGpt2);
  EXPECT_EQ(c.train.max_steps, 2000);
  EXPECT_EQ(c.train.batch_size, 12);
  EXPECT_EQ(c.optimizer.beta2, 0.99);
  EXPECT_EQ(c.schedule.min_lr, 1e-4);
  EXPECT_EQ(c.data.order, OrderKind::kRandom);
}

}  // namespace
}  // namespace minnow
