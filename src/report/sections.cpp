#include "report/sections.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/html.hpp"
#include "report/human.hpp"

namespace minnow {
namespace {

constexpr std::size_t kMostSamples = 200;       // shown of a run, spread over its length
constexpr std::size_t kLongestSample = 20'000;  // bytes

std::string pairs_table(std::string_view label, const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string body;
  for (const auto& [name, value] : pairs) {
    body += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", html_text(name), html_text(value));
  }
  return table_html(label, "", body);
}

/// The name of a setting or tensor, which may break behind its dots and underscores.
std::string breakable(std::string_view name) {
  std::string html;
  for (const char c : html_text(name)) {
    html += c;
    if (c == '.' || c == '_') html += "<wbr>";
  }
  return html;
}

/// A long text may break anywhere, a short one never.
std::string_view long_class(std::string_view text) {
  constexpr std::size_t kLong = 20;
  return text.size() > kLong ? " class=\"long\"" : "";
}

/// "default 1000; quickstart.toml:16", the folder only where the pointer rests.
std::string origin_html(const ChangedSetting& setting) {
  std::string instead =
      setting.key->required ? "" : fmt::format("default <code>{}</code>", html_text(setting.default_value));
  if (setting.origin.empty()) return instead;
  const std::string file = setting.origin.substr(setting.origin.find_last_of('/') + 1);
  return fmt::format("{}{}<span title=\"{}\">{}</span>", instead, instead.empty() ? "" : "; ",
                     html_text(setting.origin), html_text(file));
}

std::string_view tone_class(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return "good";
    case Tone::kWarn:
      return "warn";
    case Tone::kBad:
      return "bad";
    case Tone::kInfo:
      break;
  }
  return "info";
}

std::string sample_html(const LoggedSample& sample, bool open) {
  std::string text = html_text(std::string_view(sample.text).substr(0, kLongestSample));
  if (sample.text.size() > kLongestSample) text += " [cut]";
  // A line feed right behind <pre> is dropped by the parser, so the text brings its own.
  return fmt::format("<details{}><summary>step {}</summary><pre>\n{}</pre></details>\n", open ? " open" : "",
                     sample.step, text);
}

/// The names that the checkpoint has for libraries, in words.
std::string environment_name(const std::string& key) {
  if (key == "gemm") return "matrix products";
  if (key == "native_bf16") return "bf16 instructions";
  if (key == "onednn") return "oneDNN";
  if (key == "blas_core") return "OpenBLAS kernels for";
  if (key == "blas_config") return "OpenBLAS";
  if (key == "blas_flavour") return "OpenBLAS threads";
  return key;
}

}  // namespace

std::string section_html(std::string_view title, const std::string& body) {
  return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", html_text(title), body);
}

std::string table_html(std::string_view label, const std::string& head, const std::string& body) {
  return fmt::format(
      "<div class=\"panel scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n<table>\n{}<tbody>\n{}</tbody>\n"
      "</table>\n</div>\n",
      html_text(label), head.empty() ? "" : fmt::format("<thead><tr>{}</tr></thead>\n", head), body);
}

std::string cards_html(const std::vector<Card>& cards) {
  std::string html = "<dl class=\"cards\">\n";
  for (const Card& card : cards) {
    html +=
        fmt::format("<div class=\"card\"><dt>{}</dt><dd>{}{}</dd></div>\n", html_text(card.name), html_text(card.value),
                    card.below.empty() ? "" : fmt::format("<small>{}</small>", html_text(card.below)));
  }
  return html + "</dl>\n";
}

std::string observations_html(const std::vector<Observation>& observations) {
  if (observations.empty()) return "";
  std::string html = "<ul class=\"notes\" aria-label=\"What stands out\">\n";
  for (const Observation& one : observations) {
    html += fmt::format("<li class=\"{}\">{}</li>\n", tone_class(one.tone), html_text(one.text));
  }
  return html + "</ul>\n";
}

std::string samples_html(const std::vector<LoggedSample>& samples) {
  if (samples.empty()) return "";
  const std::size_t shown = std::min(samples.size(), kMostSamples);
  std::string html;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t which = shown == 1 ? 0 : i * (samples.size() - 1) / (shown - 1);
    html += sample_html(samples[which], i + 1 == shown);
  }
  const std::string note = shown < samples.size()
                               ? fmt::format("<p class=\"muted small\">{} of {} samples.</p>\n", shown, samples.size())
                               : "";
  return section_html("Samples over time",
                      fmt::format("<div class=\"panel\">\n<div id=\"samples\">\n{}</div>\n{}</div>\n", html, note));
}

std::string model_html(const RunFacts& run) {
  if (run.tensors.empty()) return "";
  const double all = run.parameters();
  std::string body;
  for (const TensorGroup& group : run.tensors) {
    const std::string shape = fmt::format("({})", fmt::join(group.shape, ", "));
    body += fmt::format(
        "<tr><th scope=\"row\"><span class=\"mono\">{}</span></th><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{}</td><td class=\"n\">{:.1f} %</td></tr>\n",
        breakable(group.name), html_text(shape), group.count, human_count(group.numbers()),
        all > 0 ? 100 * group.numbers() / all : 0);
  }
  std::string text =
      fmt::format("{} parameters in the checkpoint of step {}", human_count(all), run.checkpoint_step.value_or(0));
  if (run.config) {
    const ModelConfig& m = run.config->model;
    text += fmt::format(": {} layers, {} heads, width {}, context {}", m.n_layer, m.n_head, m.n_embd, m.block_size);
  }
  const std::string tensors =
      table_html("Tensors of the model",
                 "<th scope=\"col\">tensor (* = layer)</th><th class=\"n\" scope=\"col\">shape</th><th "
                 "class=\"n\" scope=\"col\">times</th><th class=\"n\" scope=\"col\">numbers</th><th "
                 "class=\"n\" scope=\"col\">part</th>",
                 body);
  return section_html("Model", fmt::format("<p>{}.</p>\n<details><summary>Its tensors</summary>\n{}</details>\n",
                                           html_text(text), tensors));
}

std::string settings_html(const RunFacts& run) {
  if (!run.config) return "";
  std::string body;
  for (const ChangedSetting& setting : run.changed) {
    body += fmt::format(
        "<tr><th scope=\"row\"><span class=\"mono\">{}</span><br><span class=\"muted small\">{}</span></th>"
        "<td><code{}>{}</code><br><span class=\"muted small\">{}</span></td></tr>\n",
        breakable(setting.key->name), html_text(setting.key->doc), long_class(setting.value), html_text(setting.value),
        origin_html(setting));
  }
  std::string html = run.changed.empty()
                         ? "<p>Every setting has its default.</p>\n"
                         : table_html("Settings that are not the default",
                                      "<th scope=\"col\">setting</th><th scope=\"col\">value</th>", body);
  html += fmt::format(
      "<details><summary>The whole configuration (config.toml)</summary><pre class=\"code\" "
      "tabindex=\"0\">\n{}</pre></details>\n",
      html_text(run.config_text));
  return section_html("Settings that are not the default", html);
}

std::string machine_html(const RunFacts& run) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto& [key, value] : run.trained_on) rows.emplace_back(environment_name(key), value);
  std::string html;
  if (!rows.empty()) {
    html += "<p class=\"muted small\">Trained with, as the newest checkpoint says:</p>\n" +
            pairs_table("Trained with", rows);
  }
  html +=
      "<p class=\"muted small\">This page was made on:</p>\n" + pairs_table("This page was made on", this_machine());
  return section_html("Machine", html);
}

std::string compared_html(std::string_view title, std::string_view heading, const std::vector<std::string>& names,
                          const std::vector<ComparedRow>& rows) {
  if (rows.empty()) return "";
  std::string head = fmt::format("<th scope=\"col\">{}</th>", html_text(heading));
  for (std::size_t i = 0; i < names.size(); ++i) {
    head += fmt::format(
        "<th class=\"n\" scope=\"col\"><span class=\"swatch\" data-color=\"{}\"></span><span"
        "{}>{}</span></th>",
        i, long_class(names[i]), html_text(names[i]));
  }
  std::string body;
  for (const ComparedRow& row : rows) {
    body += fmt::format("<tr><th scope=\"row\">{}</th>", breakable(row.label));
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const bool best = i < row.best.size() && row.best[i];
      body += fmt::format("<td class=\"n{}\"><span{}>{}</span></td>", best ? " best" : "", long_class(row.cells[i]),
                          html_text(row.cells[i].empty() ? "–" : row.cells[i]));
    }
    body += "</tr>\n";
  }
  return section_html(title, table_html(title, head, body));
}

}  // namespace minnow
