#include "minnow/report/scaling_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/html.hpp"
#include "report/page_parts.hpp"
#include "report/script_page.hpp"
#include "report/sections.hpp"

namespace minnow {
namespace {

constexpr double kWidth = 520, kHeight = 300;
constexpr double kLeft = 62, kRight = 16, kTop = 14, kBottom = 40;

constexpr std::string_view kStyle = R"(
.sweeps { display: grid; gap: 12px; grid-template-columns: minmax(0, 1fr); }
@media (min-width: 900px) { .sweeps { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
.sweeps svg { width: 100%; height: auto; display: block; }
.sweeps svg text { fill: var(--muted); font-size: 12px; }
.sweeps .scroll { border: 0; padding: 6px 0 0; }
.fast { color: var(--bad); font-weight: 700; }
)";

/// A logarithmic axis: from a value to a place.
struct LogAxis {
  double least, most;  // values
  double from, to;     // places

  [[nodiscard]] double operator()(double value) const {
    const double part = most > least ? std::log(value / least) / std::log(most / least) : 0.5;
    return from + part * (to - from);
  }
};

/// @return 1, 2 and 5 times powers of ten in a range.
std::vector<double> round_values(double least, double most) {
  std::vector<double> values;
  for (double power = std::pow(10.0, std::floor(std::log10(least))); power <= most; power *= 10) {
    for (const double step : {1.0, 2.0, 5.0}) {
      if (step * power >= least && step * power <= most) values.push_back(step * power);
    }
  }
  return values;
}

/// What the arithmetic alone would take, from the first point on; threads should only ever help.
double expected_seconds(const ScalingSweep& sweep, const ScalingPoint& point) {
  const ScalingPoint& first = sweep.points.front();
  if (sweep.letter == "threads")
    return first.seconds * static_cast<double>(first.size) / static_cast<double>(point.size);
  return first.seconds * point.flops / first.flops;
}

std::string plot_svg(const ScalingSweep& sweep) {
  double least = 1e300;
  double most = 0;
  for (const ScalingPoint& point : sweep.points) {
    const double expected = expected_seconds(sweep, point);
    least = std::min({least, point.seconds, expected});
    most = std::max({most, point.seconds, expected});
  }
  const LogAxis x{static_cast<double>(sweep.points.front().size), static_cast<double>(sweep.points.back().size), kLeft,
                  kWidth - kRight};
  const LogAxis y{1e3 * least * 0.8, 1e3 * most * 1.25, kHeight - kBottom, kTop};
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Time of a step against {}; the same numbers are in the "
      "table "
      "below\">\n",
      kWidth, kHeight, html_text(sweep.letter));
  for (const double value : round_values(y.least, y.most)) {
    svg += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"var(--grid)\"/>"
        "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:.4g} ms</text>\n",
        kLeft, kWidth - kRight, y(value), kLeft - 6, y(value) + 4, value);
  }
  std::string measured;
  std::string arithmetic;
  std::string dots;
  for (const ScalingPoint& point : sweep.points) {
    const double at = x(static_cast<double>(point.size));
    measured += fmt::format("{:.1f},{:.1f} ", at, y(1e3 * point.seconds));
    arithmetic += fmt::format("{:.1f},{:.1f} ", at, y(1e3 * expected_seconds(sweep, point)));
    dots += fmt::format(
        "<circle cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"4\" fill=\"var(--c0)\"><title>{2}: {3:.3f} ms</title></circle>"
        "<text x=\"{0:.1f}\" y=\"{4}\" text-anchor=\"middle\">{2}</text>\n",
        at, y(1e3 * point.seconds), point.size, 1e3 * point.seconds, kHeight - kBottom + 18);
  }
  svg += fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"var(--c1)\" stroke-width=\"2\" stroke-dasharray=\"6 4\"/>\n"
      "<polyline points=\"{}\" fill=\"none\" stroke=\"var(--c0)\" stroke-width=\"2\"/>\n{}",
      arithmetic, measured, dots);
  return svg + fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n</svg>\n", (kLeft + kWidth) / 2,
                           kHeight - 4, html_text(sweep.letter));
}

std::string sweep_table(const ScalingSweep& sweep) {
  std::string head = fmt::format("<th scope=\"col\">{}</th>", html_text(sweep.letter));
  for (const char* name : {"ms per step", "GFLOP/s", "time grows", "arithmetic grows", "ratio"})
    head += fmt::format("<th class=\"n\" scope=\"col\">{}</th>", name);
  std::string body;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const ScalingPoint& point = sweep.points[i];
    body += fmt::format("<tr><th scope=\"row\">{}</th><td class=\"n\">{:.3f}</td><td class=\"n\">{:.1f}</td>",
                        point.size, 1e3 * point.seconds, point.flops / point.seconds / 1e9);
    if (i == 0) {
      body += "<td></td><td></td><td></td></tr>\n";
      continue;
    }
    const ScalingGrowth growth = sweep.growth(i - 1);
    body += fmt::format("<td class=\"n\">{:.2f}</td><td class=\"n\">{:.2f}</td><td class=\"n{}\">{:.2f}{}</td></tr>\n",
                        growth.time, growth.flops, growth.fast ? " fast" : "", growth.ratio(), growth.fast ? " ▲" : "");
  }
  return table_html(fmt::format("Time of a step against {}", sweep.letter), head, body);
}

std::string sweep_html(const ScalingSweep& sweep) {
  if (sweep.points.empty()) return "";
  const std::string fit = sweep.points.size() < 2
                              ? "one size, nothing to compare"
                              : fmt::format("time ~ {0}<sup>{1:.2f}</sup>, arithmetic ~ {0}<sup>{2:.2f}</sup>{3}",
                                            html_text(sweep.letter), sweep.time_exponent(), sweep.flops_exponent(),
                                            sweep.fast() ? "; <span class=\"fast\">somewhere time grows faster</span>"
                                                         : "; nowhere does time grow faster");
  return fmt::format(
      "<section class=\"panel\">\n<h3>Against {}</h3>\n<p class=\"muted small\">{}</p>\n{}<p>{}</p>\n{}</section>\n",
      html_text(sweep.letter), html_text(sweep.fixed), plot_svg(sweep), fit, sweep_table(sweep));
}

}  // namespace

std::string scaling_page(std::span<const ScalingSweep> sweeps, std::string_view about, std::string_view version) {
  std::string body = fmt::format(
      "<header>\n<h1>How the time of a training step grows</h1>\n<p class=\"muted\">{}</p>\n</header>\n<main>\n"
      "<p><span class=\"swatch\" style=\"background:var(--c0)\"></span>measured, best of several steps &ensp;"
      "<span class=\"swatch\" style=\"background:var(--c1)\"></span>what the arithmetic alone would give, from the "
      "first "
      "point on</p>\n<p class=\"muted small\">Both scales are logarithmic. A step from one size to the next is marked "
      "▲ "
      "when its time grows more than {:.0f} % faster than its arithmetic; with threads, when more of them take "
      "longer.</p>\n<div class=\"sweeps\">\n",
      html_text(about), 100 * kScalingTolerance);
  for (const ScalingSweep& sweep : sweeps) body += sweep_html(sweep);
  body += fmt::format("</div>\n</main>\n<footer>Made by minnow {}; opens without a network.</footer>\n",
                      html_text(version));
  const std::string style = fmt::format("{}{}", kPageStyle, kStyle);
  return script_page({.title = "How the time of a training step grows", .style = style, .script = "", .body = body});
}

}  // namespace minnow
