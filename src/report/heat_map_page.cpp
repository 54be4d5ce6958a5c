#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "minnow/base/error.hpp"
#include "minnow/report/heat_map.hpp"
#include "report/html.hpp"
#include "report/page_parts.hpp"
#include "report/script_page.hpp"

namespace minnow {
namespace {

constexpr std::size_t kMostWeights = 16'000'000;

/// @return the weights in 16 bits each, low byte first: finer than the four digits that the page shows.
std::string packed_weights(const std::vector<float>& weights) {
  constexpr double kMost = 65535;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(2 * weights.size());
  for (const float weight : weights) {
    long number = std::lround(std::clamp(static_cast<double>(weight), 0.0, 1.0) * kMost);
    if (number == 0 && weight > 0) number = 1;  // seen, however little
    bytes.push_back(static_cast<std::uint8_t>(number & 0xFF));
    bytes.push_back(static_cast<std::uint8_t>(number >> 8));
  }
  return base64(bytes);
}

std::string data_json(const AttentionMaps& maps, const MapChoice& layer, const MapChoice& head) {
  const auto number = [](const MapChoice& choice) {
    return choice.kind == MapChoice::Kind::kOne ? choice.index : Index{-1};
  };
  std::string tokens;
  for (const std::string& token : maps.tokens) tokens += (tokens.empty() ? "" : ",") + script_string(token);
  return fmt::format(R"({{"layers":{},"heads":{},"layer":{},"head":{},"tokens":[{}],"weights":"{}"}})", maps.layers,
                     maps.heads, number(layer), number(head), tokens, packed_weights(maps.weights));
}

constexpr std::string_view kBody = R"(<main>
<div class="panel bar">
<fieldset id="layer"><legend>Layer</legend></fieldset>
<fieldset id="head"><legend>Head</legend></fieldset>
</div>
<div class="both">
<section class="panel" aria-labelledby="name">
<h2 id="name" style="margin-top:0" aria-live="polite">Attention</h2>
<div id="scroll"><canvas id="map" tabindex="0" role="application"
aria-label="Heat map, queries down, keys across. Arrow keys move the marked cell." aria-describedby="say"></canvas></div>
<div class="scale small muted"><span>0</span><canvas id="legend" aria-hidden="true"></canvas><span>1</span>
<span>queries down, keys across</span></div>
</section>
<section class="panel" aria-label="The marked cell">
<p id="say" aria-live="polite"></p>
<h2>The text, as this query reads it</h2>
<p id="text" class="mono"></p>
<p class="muted small">Point at a cell, or click the map and use <kbd>&#8592;</kbd> <kbd>&#8593;</kbd> <kbd>&#8594;</kbd>
<kbd>&#8595;</kbd>; <kbd>Home</kbd> and <kbd>End</kbd> go to the first key and to the query itself. Click a token to make
it the query. Each row of the map sums to 1; what a query may not see is empty.</p>
</section>
</div>
<section aria-labelledby="every">
<h2 id="every">Every layer and head</h2>
<div id="all" class="all"></div>
</section>
</main>
)";

/// @return what a reader without scripts sees.
std::string without_script(const AttentionMaps& maps) {
  constexpr Index kMostTokens = 64;  // a cell takes 90 bytes of SVG
  std::string html = "<noscript><main><p>Layers and heads are chosen with JavaScript.";
  if (maps.length() <= kMostTokens) {
    const MapChoice mean{MapChoice::Kind::kMean};
    html += " This is their mean.</p>\n" + heat_map_svg(maps, map_panels(maps, mean, mean));
  }
  return html + "</main></noscript>\n";
}

}  // namespace

std::string heat_map_html(const AttentionMaps& maps, const MapChoice& layer, const MapChoice& head,
                          std::string_view version) {
  if (maps.weights.size() > kMostWeights) {
    throw DataError(
        fmt::format("[attention] a page may hold at most {} weights; got {} layers of {} heads over {} "
                    "tokens. Hint: a shorter text, or a .svg or .png file with --layer N --head N",
                    kMostWeights, maps.layers, maps.heads, maps.length()));
  }
  const std::string title = fmt::format("Attention of {}", maps.name);
  std::string body = fmt::format(
      "<header>\n<h1>{}</h1>\n<p class=\"muted\">Step {}; {} tokens; {} layers of {} heads: how much each token "
      "(query) takes from each (key).</p>\n</header>\n{}<footer>Made by minnow {}; opens without a network.</footer>\n",
      html_text(title), maps.step, maps.length(), maps.layers, maps.heads, kBody, html_text(version));
  body += without_script(maps);
  const std::string data = data_json(maps, layer, head);
  return script_page(
      {.title = title, .style = kAttentionStyle, .script = kAttentionScript, .body = body, .data = data});
}

}  // namespace minnow
