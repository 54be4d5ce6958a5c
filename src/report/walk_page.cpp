#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/html.hpp"
#include "report/page_parts.hpp"
#include "report/script_page.hpp"
#include "report/walk_table.hpp"

namespace minnow {
namespace {

constexpr std::size_t kRows = 6, kColumns = 6, kMapColumns = 8;

std::string cell_html(double value, double largest, int digits) {
  std::string style;
  if (std::isfinite(value) && largest > 0) {
    style = fmt::format(" class=\"{}\" style=\"--a:{:.0f}%\"", value < 0 ? "minus" : "plus",
                        70 * std::abs(value) / largest);
  }
  return fmt::format("<td{}>{}</td>", style, walk_number(value, digits));
}

std::string table_html(const Walk& walk, const WalkStep& step, const Tensor& numbers) {
  if (step.kind == WalkKind::kScalar) return fmt::format("<p class=\"large\">{:.4f}</p>\n", numbers.item());
  const bool across = step.kind == WalkKind::kMaps || step.kind == WalkKind::kIds;
  const WalkTable table =
      walk_table(walk, step, numbers, across ? kMapColumns : kRows, across ? kMapColumns : kColumns);
  const bool maps = step.kind == WalkKind::kMaps;
  std::string html =
      fmt::format("<div class=\"numbers\"><table{}>\n<thead><tr><th></th>", maps ? " class=\"tight\"" : "");
  for (const std::string& column : table.columns) html += fmt::format("<th scope=\"col\">{}</th>", html_text(column));
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    html += fmt::format("<tr><th scope=\"row\">{}</th>", html_text(table.rows[row]));
    for (const double cell : table.cells[row])
      html += cell_html(cell, step.kind == WalkKind::kIds ? 0 : table.largest, maps ? 2 : 3);
    html += "</tr>\n";
  }
  html += "</tbody></table>\n";
  if (!table.note.empty()) html += fmt::format("<p class=\"note\">{}</p>\n", html_text(table.note));
  return html + "</div>\n";
}

std::string likely_html(const Walk& walk) {
  std::string html = fmt::format(
      "<div class=\"numbers\"><p class=\"note\">behind <b class=\"token\">{}</b></p><table class=\"bars\">\n",
      html_text(walk.labels.back()));
  const double most = walk.likely.empty() ? 1 : std::max(walk.likely.front().second, 1e-9);
  for (const auto& [label, probability] : walk.likely) {
    html += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{:.3f}</td><td class=\"bar\"><i style=\"width:{:.1f}%\"></i></td></tr>\n",
        html_text(label), probability, 100 * probability / most);
  }
  return html + "</table></div>\n";
}

/// Parts behind a semicolon have a line of their own.
std::string formula_html(const std::string& formula) {
  std::string html = "<p class=\"formula\">";
  for (std::size_t at = 0; at < formula.size();) {
    const std::size_t end = std::min(formula.find(";  ", at), formula.size());
    html += fmt::format("{}{}", at > 0 ? "<br>" : "", html_text(formula.substr(at, end - at)));
    at = end + 3;
  }
  return html + "</p>\n";
}

std::string shape_html(const Tensor& tensor, const std::string& letters) {
  std::string html = fmt::format("<p class=\"shape\"><b>{}</b>", walk_shape(tensor));
  if (!letters.empty()) html += fmt::format(" <span>{}</span>", html_text(letters));
  return html + "</p>\n";
}

/// Begins a step; its id is the place that the address can name.
std::string begin(const std::string& part, std::size_t number, const std::string& title, const std::string& symbol) {
  return fmt::format(
      "<section class=\"step\" id=\"s{0}\" data-part=\"{1}\">\n<p class=\"part\">{1}</p>\n"
      "<h2><span class=\"number\">{0}</span> {2} <var>{3}</var></h2>\n<div class=\"sides\">\n<div>\n",
      number, html_text(part), html_text(title), html_text(symbol));
}

std::string forward_html(const Walk& walk, const WalkStep& step, std::size_t number) {
  std::string html = begin(step.part, number, step.title, step.symbol);
  html += formula_html(step.formula);
  html += shape_html(step.tensor, step.letters);
  if (!step.why.empty()) html += fmt::format("<p class=\"why\">{}</p>\n", html_text(step.why));
  for (const WalkWeight& weight : step.weights) {
    html += fmt::format("<p class=\"weight\"><var>{}</var> {} <span>{}</span> <code>{}</code></p>\n",
                        html_text(weight.symbol), walk_shape(weight.tensor), html_text(weight.letters),
                        html_text(weight.name));
  }
  html += "</div>\n";
  html += step.kind == WalkKind::kProbabilities ? likely_html(walk) : table_html(walk, step, step.tensor);
  return html + "</div>\n</section>\n";
}

std::string back_html(const Walk& walk, const WalkStep& step, std::size_t number) {
  std::string html = begin("back: " + step.part, number, step.title, "dL/d" + step.symbol);
  if (!step.back.empty()) html += formula_html(step.back);
  html += shape_html(step.gradient, step.letters);
  html += fmt::format("<p class=\"why\">Norm {}</p>\n", walk_figure(walk_norm(step.gradient)));
  for (const WalkWeight& weight : step.weights) {
    if (!weight.gradient.defined()) continue;
    html += fmt::format("<p class=\"weight\"><var>d{}</var> {} <span>norm {}</span> <code>{}</code></p>\n",
                        html_text(weight.symbol), walk_shape(weight.gradient), walk_figure(walk_norm(weight.gradient)),
                        html_text(weight.name));
  }
  return html + "</div>\n" + table_html(walk, step, step.gradient) + "</div>\n</section>\n";
}

std::string first_html(const Walk& walk) {
  std::string html = "<section class=\"step first\" id=\"s0\" data-part=\"start\">\n<p class=\"part\">start</p>\n";
  html += fmt::format("<h2>What a model does with a text</h2>\n<p class=\"tokens\">");
  for (const std::string& label : walk.labels) html += fmt::format("<b class=\"token\">{}</b> ", html_text(label));
  html += fmt::format(
      "</p>\n<p class=\"why\">One pass of {}, step {}, tensor by tensor, from ids to probabilities{}.{}</p>\n"
      "<dl class=\"letters\">\n",
      html_text(walk.name), walk.step, walk.trained ? ", and the gradients back" : "",
      walk.has_dropout ? " Dropout is off, as in evaluation." : "");
  for (const auto& [letter, meaning] : walk.letters) {
    html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", html_text(letter), html_text(meaning));
  }
  return html + "</dl>\n</section>\n";
}

std::string turn_html(const Walk& walk, std::size_t number) {
  return fmt::format(
      "<section class=\"step first\" id=\"s{}\" data-part=\"back\">\n<p class=\"part\">back</p>\n<h2>And back: "
      "gradients</h2>\n"
      "<p class=\"large\">L = {:.4f}</p>\n<p class=\"why\">How much does the loss change with every number? Each step "
      "takes the gradient of its result and works out that of its inputs and weights, from the end to the start. Norm "
      "of "
      "all parameters\u2019 gradients together: {:.4g}.</p>\n</section>\n",
      number, walk.loss, walk.gradient_norm);
}

constexpr std::string_view kFrame = R"(<nav id="bar" aria-label="Steps" hidden>
<div id="done"><i></i></div>
<div class="row">
<button type="button" id="before" aria-label="Step before">&#8592;</button>
<select id="parts" aria-label="Part"></select>
<output id="where"></output>
<button type="button" id="after" aria-label="Next step">&#8594;</button>
</div>
<p class="keys"><kbd>&#8592;</kbd> <kbd>&#8594;</kbd> step, <kbd>&#8593;</kbd> <kbd>&#8595;</kbd> part,
<kbd>Home</kbd> <kbd>End</kbd></p>
</nav>
)";

}  // namespace

std::string walk_html(const Walk& walk, std::string_view version) {
  std::string body = "<main id=\"steps\" tabindex=\"-1\">\n" + first_html(walk);
  std::size_t number = 0;
  for (const WalkStep& step : walk.steps) body += forward_html(walk, step, ++number);
  if (walk.trained) {
    body += turn_html(walk, ++number);
    for (const WalkStep* const step : steps_back(walk)) body += back_html(walk, *step, ++number);
  }
  body += fmt::format("</main>\n{}<footer>Made by minnow {}; opens without a network.</footer>\n", kFrame,
                      html_text(version));
  const std::string title = fmt::format("A walk through {}", walk.name);
  return script_page({.title = title, .style = kWalkStyle, .script = kWalkScript, .body = body});
}

}  // namespace minnow
