#include <fmt/format.h>

#include "report/heat_sheet.hpp"
#include "report/html.hpp"

namespace minnow {
namespace {

constexpr std::string_view kStyle = R"(
svg { color-scheme: light dark; background: #fff; }
.back { fill: #fff; } .cell { fill: #0b57c2; } .frame { fill: none; stroke: #c9d0d9; }
text { fill: #1b1f24; font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; }
.muted { fill: #5b6470; } .on { fill: #fff; } .mid { text-anchor: middle; } .end { text-anchor: end; }
@media (prefers-color-scheme: dark) {
  svg { background: #14181d; }
  .back { fill: #14181d; } .cell { fill: #7cbcff; } .frame { stroke: #39424e; }
  text { fill: #e7eaee; } .muted { fill: #9aa4b1; } .on, .half { fill: #0b1017; }
}
)";

std::string classes_of(const SheetText& text) {
  std::string names;
  if (text.ink == Ink::kMuted) names += "muted ";
  if (text.ink == Ink::kOnColor) names += "on ";
  if (text.ink == Ink::kOnMiddle) names += "half ";
  if (text.anchor == Anchor::kMiddle) names += "mid ";
  if (text.anchor == Anchor::kEnd) names += "end ";
  if (names.empty()) return names;
  names.pop_back();
  return fmt::format(" class=\"{}\"", names);
}

void append_text(std::string& svg, const SheetText& text) {
  if (text.upwards) {
    svg += fmt::format("<text transform=\"translate({:g} {:g}) rotate(-90)\" font-size=\"{:g}\"{}>{}</text>\n", text.x,
                       text.y, text.size, classes_of(text), html_text(text.text));
  } else {
    svg += fmt::format("<text x=\"{:g}\" y=\"{:g}\" font-size=\"{:g}\"{}>{}</text>\n", text.x, text.y, text.size,
                       classes_of(text), html_text(text.text));
  }
}

}  // namespace

std::string heat_map_svg(const AttentionMaps& maps, const MapRows& rows) {
  const HeatSheet sheet = lay_out(maps, rows);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "role=\"img\">\n<title>{2}</title>\n<style>{3}</style>\n<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n",
      sheet.width, sheet.height, html_text(fmt::format("Attention of {}, step {}", maps.name, maps.step)), kStyle);
  for (const SheetCell& cell : sheet.cells) {
    svg += fmt::format(
        "<rect class=\"cell\" x=\"{0:g}\" y=\"{1:g}\" width=\"{2:g}\" height=\"{2:g}\" "
        "fill-opacity=\"{3:.3f}\"/>\n",
        cell.x, cell.y, cell.size, cell.strength);
  }
  for (const SheetFrame& frame : sheet.frames) {
    svg += fmt::format("<rect class=\"frame\" x=\"{0:g}\" y=\"{1:g}\" width=\"{2:g}\" height=\"{2:g}\"/>\n",
                       frame.x - 0.5, frame.y - 0.5, frame.size + 1);
  }
  for (const SheetText& text : sheet.texts) append_text(svg, text);
  return svg + "</svg>\n";
}

}  // namespace minnow
