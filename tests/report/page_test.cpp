#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "minnow/report/pages.hpp"
#include "minnow/text/utf8.hpp"
#include "report/chart_data.hpp"
#include "report/html.hpp"
#include "report/observations.hpp"

namespace minnow {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHostile = "</script><img src=x onerror=alert(1)>&\"'\x01\xFF]]>";

RunFacts facts_of(const std::string& lines, const std::string& name = "r") {
  RunFacts facts;
  facts.metrics = parse_run_metrics(lines, name);
  return facts;
}

std::string line(int step, double loss) {
  return "{\"step\": " + std::to_string(step) + ", \"loss\": " + std::to_string(loss) + "}\n";
}

std::string texts_of(const std::vector<Observation>& all) {
  std::string text;
  for (const Observation& one : all) text += one.text + "\n";
  return text;
}

/// The JSON of a page, read as a browser does: up to the next end of a script.
nlohmann::json data_of(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const std::size_t at = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script", at) - at));
}

TEST(Html, EveryMarkIsEscaped) {
  EXPECT_EQ(html_text("<b>&\"'\n\t\x1b\x7F\xFF"), "&lt;b&gt;&amp;&quot;&#39;\n\t\u241B\u2421\uFFFD");
  const std::string json = script_string(kHostile);
  EXPECT_EQ(json.find_first_of("<>&"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(json).get<std::string>(), replace_invalid_utf8(kHostile));
}

TEST(Html, NumbersThatAreNoneHaveWordsOfTheirOwn) {
  EXPECT_EQ(script_number(kNotLogged), "null");
  EXPECT_EQ(script_number(kNotFinite), "false");
  EXPECT_EQ(script_number(0.00012345678), "0.000123457");
}

TEST(RunPage, HostileTextsStayTexts) {
  RunFacts facts = facts_of(line(1, 2) + line(2, 1), kHostile);
  facts.samples = {{1, kHostile}, {2, kHostile}};
  facts.config_text = kHostile;
  facts.config = Config{};
  facts.config->data.path = kHostile;
  facts.problems = {kHostile};
  facts.trained_on = {{kHostile, kHostile}};
  facts.tensors = {{kHostile, {2, 3}, kHostile, 1}};
  facts.changed = {{find_key("data.path"), kHostile, kHostile, kHostile}};
  const std::string page = run_page(facts, kHostile);
  EXPECT_EQ(count_invalid_utf8(page), 0U);
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_EQ(data_of(page)["runs"][0]["name"], replace_invalid_utf8(kHostile));
  const std::vector<RunFacts> runs = {facts, facts};
  const Comparison comparison = compare_runs(runs);
  const std::string both = comparison_page(runs, comparison, "1");
  EXPECT_THAT(both, Not(HasSubstr("<img")));
  EXPECT_NE(comparison.names[0], comparison.names[1]);
}

TEST(RunPage, LoadsNothingAndIsTheSameEachTime) {
  const RunFacts facts = facts_of(line(1, 2) + line(2, 1));
  const std::string page = run_page(facts, "1.0");
  EXPECT_EQ(page, run_page(facts, "1.0"));
  EXPECT_THAT(page, Not(HasSubstr("src=\"http")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, HasSubstr("Permission is hereby granted"));
}

TEST(RunPage, EmptyRunsMakeAPage) {
  EXPECT_THAT(run_page(facts_of(""), "1"), HasSubstr("Nothing has been logged yet"));
  EXPECT_TRUE(data_of(run_page(facts_of(""), "1"))["runs"][0]["columns"]["step"].empty());
}

TEST(ChartData, LongRunsKeepTheirSpikesAndTheirEnds) {
  std::string lines;
  for (int i = 1; i <= 50'000; ++i) lines += line(i, i == 33'333 ? 99 : 2.0 + i % 2);
  const RunMetrics run = parse_run_metrics(lines, "r");
  const auto rows = rows_to_keep(run);
  EXPECT_LE(rows.size(), 2 * kMostRows);
  EXPECT_GE(rows.size(), 1000U);
  EXPECT_EQ(rows.front(), 0U);
  EXPECT_EQ(rows.back(), 49'999U);
  EXPECT_TRUE(std::find(rows.begin(), rows.end(), 33'332U) != rows.end());
}

TEST(ChartData, NullsAreGapsAndBigCountsKeepTheirDigits) {
  const auto json = nlohmann::json::parse(run_chart_data(parse_run_metrics(
      "{\"step\": 1, \"loss\": null, \"tokens\": 123456789012}\n{\"step\": 2, \"val_loss\": 2}\n", "r")));
  const auto& columns = json["runs"][0]["columns"];
  EXPECT_EQ(columns["loss"], nlohmann::json::parse("[false, null]"));
  EXPECT_EQ(columns["tokens"][0], 123456789012);
  EXPECT_EQ(json["charts"][0]["series"].size(), 2U);
}

TEST(Observations, SeeWhatWentWrong) {
  EXPECT_THAT(texts_of(observe(facts_of("{\"step\": 1, \"loss\": null, \"skipped_steps\": 3}\n"))),
              ::testing::AllOf(HasSubstr("loss was not finite in 1 logged step"), HasSubstr("3 steps were skipped")));
  std::string over, spike;
  for (int i = 1; i <= 40; ++i) {
    const double val = i <= 20 ? 3 - 0.05 * i : 2 + 0.03 * (i - 20);
    over += "{\"step\": " + std::to_string(i) + ", \"loss\": " + std::to_string(3 - 0.06 * i) +
            ", \"val_loss\": " + std::to_string(val) + "}\n";
    spike += line(i, i == 30 ? 6 : 2);
  }
  EXPECT_THAT(texts_of(observe(facts_of(over))), HasSubstr("Overfitting: since step 20"));
  EXPECT_THAT(texts_of(observe(facts_of(spike))), HasSubstr("jumped up in 1 logged step, to 6.000 at step 30"));
  EXPECT_THAT(texts_of(observe(facts_of(line(1, 2) + line(2, 1)))), Not(HasSubstr("jumped")));
}

TEST(Comparison, TellsFiguresBestOnesAndDifferences) {
  std::vector<RunFacts> runs = {facts_of("{\"step\": 10, \"loss\": 2, \"val_loss\": 2.5, \"tokens\": 100}\n", "a"),
                                facts_of("{\"step\": 20, \"loss\": 1, \"val_loss\": 3.5}\n", "b")};
  runs[0].config = Config{};
  runs[1].config = Config{};
  runs[1].config->optimizer.learning_rate = 0.5;
  runs[1].config->tokenizer.type = TokenizerKind::kByte;
  const Comparison comparison = compare_runs(runs);
  ASSERT_EQ(comparison.settings.size(), 2U);
  EXPECT_EQ(comparison.settings[1].label, "optimizer.learning_rate");
  EXPECT_EQ(comparison.settings[1].cells[1], "0.5");
  EXPECT_EQ(comparison.figures[0].cells[0], "2.5000");
  EXPECT_TRUE(comparison.figures[0].best[0]);
  EXPECT_FALSE(comparison.figures[0].best[1]);
  ASSERT_EQ(comparison.remarks.size(), 1U);
  EXPECT_THAT(comparison.remarks[0], HasSubstr("tokenizers differ"));
  for (const int width : {20, 40, 80}) {
    const std::string text = comparison_text(comparison, width);
    EXPECT_THAT(text, HasSubstr("* 2.5000"));
    EXPECT_THAT(text, HasSubstr("Settings that differ:"));
  }
  EXPECT_THAT(comparison_text(compare_runs({runs.data(), 1}), 80), Not(HasSubstr("differ")));
}

}  // namespace
}  // namespace minnow
