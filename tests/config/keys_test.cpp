/// @file
/// The table of keys itself: complete, consistent, and used for every text that people read.

#include "minnow/config/keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "minnow/config/choices.hpp"
#include "minnow/config/load.hpp"
#include "minnow/config/nearest.hpp"

namespace minnow {
namespace {

using ::testing::HasSubstr;

TEST(Keys, AreUniqueGroupedAndDocumented) {
  std::set<std::string_view> names;
  std::set<std::string_view> finished_tables;
  std::string_view table;
  for (const Key& key : config_keys()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_FALSE(key.doc.empty()) << key.name;
    EXPECT_NE(key.doc.back(), '.') << key.name;
    if (key.table() == table) continue;
    EXPECT_TRUE(finished_tables.insert(table).second) << key.name << ": the keys of a table must stand together";
    table = key.table();
  }
  EXPECT_EQ(names.size(), config_keys().size());
  EXPECT_EQ(config_tables().size(), 13U);
}

TEST(Keys, DefaultsAreAllowedValues) {
  Config config;
  config.data.path = "builtin";
  EXPECT_NO_THROW(validate(config));
}

TEST(Keys, ChoicesMatchTheEnums) {
  EXPECT_EQ(choice_name(Activation::kRelu), "relu");
  EXPECT_EQ(choice_name(ScheduleKind::kWsd), "wsd");
  EXPECT_EQ(choice_name(DataFormat::kLlmc), "llmc");
  for (const Key& key : config_keys()) {
    EXPECT_EQ(key.kind == ValueKind::kChoice, !key.choices.empty()) << key.name;
  }
}

TEST(Keys, ReachTheirOwnMember) {
  // A copied row with a forgotten member would change another key as well.
  for (const Key& key : config_keys()) {
    Config config;
    ConfigValue other;
    switch (key.kind) {
      case ValueKind::kBool:
        other = key.get(config) != ConfigValue(true);  // also where it follows another key
        break;
      case ValueKind::kInteger:
        other = std::get<int64_t>(key.get(config)) + 1;
        break;
      case ValueKind::kNumber:
        other = 0.5;
        break;
      case ValueKind::kText:
      case ValueKind::kPath:
        other = std::string("other");
        break;
      case ValueKind::kChoice:
        other = std::get<int64_t>(key.get(config)) + 1;
        break;
    }
    key.set(config, other);
    EXPECT_EQ(key.get(config), other) << key.name;
    const auto differences = compare_configs(Config{}, config);
    ASSERT_EQ(differences.size(), 1U) << key.name;
    EXPECT_EQ(differences[0].key->name, key.name);
  }
}

TEST(Keys, AliasesAreNoKeysAndPointToOneThing) {
  std::set<std::string> seen;
  for (const Key& key : config_keys()) {
    std::string_view rest = key.aliases;
    while (!rest.empty()) {
      const auto end = std::min(rest.find(' '), rest.size());
      const std::string alias(rest.substr(0, end));
      EXPECT_TRUE(seen.insert(alias).second) << alias << " stands at two keys";
      EXPECT_EQ(nearest_key(alias), &key) << alias;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  EXPECT_GT(seen.size(), 60U);
}

TEST(Keys, NearestFindsSpellingsTablesAndOtherNames) {
  const auto near = [](std::string_view name) {
    const Key* key = nearest_key(name);
    return key == nullptr ? std::string_view("none") : key->name;
  };
  EXPECT_EQ(near("optimizer.learning-rate"), "optimizer.learning_rate");
  EXPECT_EQ(near("optimizer.learning_rte"), "optimizer.learning_rate");
  EXPECT_EQ(near("train.learning_rte"), "optimizer.learning_rate");
  EXPECT_EQ(near("model.n_layers"), "model.n_layer");
  EXPECT_EQ(near("Model.N_Layer"), "model.n_layer");
  EXPECT_EQ(near("trian.max_steps"), "train.max_steps");
  EXPECT_EQ(near("train.gradient_accumulation_steps"), "train.accumulation_steps");
  EXPECT_EQ(near("block-size"), "model.block_size");
  EXPECT_EQ(near("sed"), "train.seed");
  EXPECT_EQ(near("train.qwertyuiop"), "none");
  EXPECT_EQ(near(std::string(100000, 'a')), "none");
}

TEST(Nearest, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("ab", "ba"), 1U);
  EXPECT_EQ(edit_distance("seed", "sede"), 1U);
  EXPECT_EQ(edit_distance("ca", "abc"), 3U);  // optimal string alignment: a swapped pair is not edited again
}

TEST(Nearest, ALimitCutsTheDistanceOffAndChangesNothingBelowIt) {
  const std::vector<std::string> words = {"",     "a",      "ab",      "ba",      "abc",     "cab",     "seed",
                                          "sede", "kitten", "sitting", "n_layer", "n_layre", "layers_n"};
  for (const auto& a : words) {
    for (const auto& b : words) {
      const std::size_t whole = edit_distance(a, b);
      EXPECT_EQ(edit_distance(b, a), whole);
      for (std::size_t limit = 0; limit < 10; ++limit) {
        EXPECT_EQ(edit_distance(a, b, limit), std::min(whole, limit + 1)) << a << " to " << b << ", limit " << limit;
      }
    }
  }
}

TEST(Nearest, WantsMostLettersToBeRight) {
  const std::vector<std::string_view> names = {"lm", "seed", "batch_size"};
  EXPECT_EQ(nearest_name("seeed", names), "seed");
  EXPECT_EQ(nearest_name("BATCH-SIZE", names), "batch_size");
  EXPECT_EQ(nearest_name("xy", names), "");
  EXPECT_EQ(nearest_name("", names), "");
}

TEST(Keys, ExplanationHasEverything) {
  const std::string text = explain_key(*find_key("schedule.warmup_steps"));
  EXPECT_THAT(text, HasSubstr("a whole number from 0 to 1000000000000 (steps)"));
  EXPECT_THAT(text, HasSubstr("default:    0"));
  EXPECT_THAT(text, HasSubstr("warmup_iters"));
  EXPECT_THAT(explain_key(*find_key("model.attn_dropout")), HasSubstr("default:    that of model.dropout"));
  EXPECT_THAT(explain_key(*find_key("data.path")), HasSubstr("default:    must be given"));
  EXPECT_THAT(explain_key(*find_key("schedule.wsd_shape")), HasSubstr("used when:  schedule.name = \"wsd\""));
}

TEST(Keys, ReferenceNamesAllKeys) {
  const std::string text = reference_text();
  const std::string page = reference_markdown();
  for (const Key& key : config_keys()) {
    EXPECT_THAT(text, HasSubstr("  " + std::string(key.leaf()) + " "));
    EXPECT_THAT(page, HasSubstr("| `" + std::string(key.leaf()) + "` |"));
    EXPECT_THAT(page, HasSubstr(std::string(key.doc)));
  }
}

}  // namespace
}  // namespace minnow
