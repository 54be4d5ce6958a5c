#include "minnow/report/pages.hpp"

#include <fmt/format.h>

#include "minnow/base/grouped.hpp"
#include "report/chart_data.hpp"
#include "report/html.hpp"
#include "report/human.hpp"
#include "report/page_frame.hpp"
#include "report/sections.hpp"
#include "report/summary.hpp"

namespace minnow {
namespace {

std::string at_step(const MetricPoint& point) { return fmt::format("at step {}", point.step); }

std::vector<Card> cards_of(const RunFacts& run) {
  const Summary s = summarize(run.metrics);
  std::vector<Card> cards;
  if (s.final_val_loss) {
    cards.push_back({"Validation loss of the whole split", fmt::format("{:.4f}", s.final_val_loss->value),
                     at_step(*s.final_val_loss)});
  }
  const std::string part = s.val_windows ? fmt::format("on {:.0f} windows", *s.val_windows) : "";
  if (s.best_val_loss) {
    cards.push_back({"Best validation loss", fmt::format("{:.4f}", s.best_val_loss->value),
                     at_step(*s.best_val_loss) + (part.empty() ? "" : ", " + part)});
  }
  if (s.final_bits_per_byte) {
    cards.push_back(
        {"Bits per byte", fmt::format("{:.4f}", s.final_bits_per_byte->value), "of the whole validation split"});
  } else if (s.best_bits_per_byte) {
    cards.push_back({"Best bits per byte", fmt::format("{:.4f}", s.best_bits_per_byte->value),
                     part.empty() ? "of the validation split" : part});
  }
  if (s.train_loss) {
    cards.push_back({"Last training loss", fmt::format("{:.4f}", s.train_loss->value), at_step(*s.train_loss)});
  }
  const std::string planned = run.config ? fmt::format("of {}", grouped(run.config->train.max_steps)) : "";
  cards.push_back({"Steps", grouped(run.metrics.last_step()), planned});
  if (s.tokens) cards.push_back({"Tokens", human_count(*s.tokens), ""});
  if (s.seconds) cards.push_back({"Training time", human_duration(*s.seconds), "evaluations left out"});
  if (s.tokens_per_s) cards.push_back({"Tokens per second", human_count(*s.tokens_per_s), "median"});
  if (run.parameters() > 0) cards.push_back({"Parameters", human_count(run.parameters()), ""});
  return cards;
}

std::string problems_html(const std::vector<std::string>& problems) {
  std::vector<Observation> all;
  all.reserve(problems.size());
  for (const std::string& problem : problems) all.push_back({Tone::kWarn, problem});
  return observations_html(all);
}

}  // namespace

std::string run_page(const RunFacts& run, std::string_view version) {
  PageContent content;
  content.title = run.metrics.name;
  content.before = cards_html(cards_of(run)) + observations_html(observe(run)) + problems_html(run.problems);
  content.after =
      samples_html(run.samples) + profile_html(run.profile) + model_html(run) + settings_html(run) + machine_html(run);
  content.data = run_chart_data(run.metrics);
  return page_html(content, version);
}

std::string comparison_page(std::span<const RunFacts> runs, const Comparison& comparison, std::string_view version) {
  PageContent content;
  content.title = fmt::format("{} {} compared", runs.size(), runs.size() == 1 ? "run" : "runs");
  content.before = compared_html("Final figures", "", comparison.names, comparison.figures);
  content.after = compared_html("Settings that differ", "setting", comparison.names, comparison.settings);
  if (comparison.settings.empty()) content.after += "<section><h2>Settings</h2><p>No setting differs.</p></section>\n";
  content.after += problems_html(comparison.remarks);
  content.data = comparison_chart_data(runs, comparison.names);
  return page_html(content, version);
}

}  // namespace minnow
