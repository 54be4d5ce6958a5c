#include "report/page_frame.hpp"

#include <fmt/format.h>

#include "report/html.hpp"
#include "report/page_parts.hpp"

namespace minnow {
namespace {

constexpr std::string_view kCurves = R"(<section aria-labelledby="curves">
<h2 id="curves">Curves</h2>
<div id="bar" class="panel bar" hidden></div>
<div id="charts" class="charts"><p class="panel">The curves need JavaScript; nothing is loaded from anywhere.</p></div>
<p class="muted small">Drag over a curve to zoom in, <kbd>Shift</kbd> and drag to move, double-click for the whole range;
with two fingers on a touch screen. By keyboard, on a curve: <kbd>+</kbd> <kbd>-</kbd> zoom, <kbd>←</kbd> <kbd>→</kbd>
move, <kbd>0</kbd> whole range. A name above a curve hides or shows it.</p>
</section>
)";

}  // namespace

std::string page_html(const PageContent& content, std::string_view version) {
  const std::string title = html_text(content.title);
  const std::string policy =
      fmt::format("default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {} {}",
                  script_hash(kDygraphsScript), script_hash(kPageScript));
  std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  html += fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", policy);
  html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  html += "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n";
  html += fmt::format("<title>{} - minnow</title>\n<!--\n{}-->\n", title, kDygraphsLicense);
  html += fmt::format("<style>{}</style>\n<style>{}</style>\n</head>\n<body>\n", kDygraphsStyle, kPageStyle);
  html += fmt::format("<header>\n<h1>{}</h1>\n{}</header>\n<main>\n{}", title, content.head, content.before);
  html += kCurves;
  html += fmt::format(
      "{}</main>\n<footer>Made by minnow {} from the files of the run; opens without a network. Curves "
      "drawn by Dygraphs (MIT licence).</footer>\n",
      content.after, html_text(version));
  html += fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n", content.data);
  html += fmt::format("<script>{}</script>\n<script>{}</script>\n</body>\n</html>\n", kDygraphsScript, kPageScript);
  return html;
}

}  // namespace minnow
