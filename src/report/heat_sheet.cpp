#include "report/heat_sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "minnow/base/error.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow {
namespace {

constexpr double kPitch = 0.6;            // width of a character over the size of its text
constexpr double kSmall = 10, kBig = 15;  // sizes of text: whole multiples of the pixel font's
constexpr double kMargin = 20, kGap = 28, kHeading = 54, kTitle = 20;
constexpr double kValueCell = 27;     // four characters of kSmall and a little air
constexpr double kLabelCell = 11;     // one line of kSmall
constexpr std::size_t kLongest = 14;  // characters of a label
constexpr double kMostCells = 2'000'000;

/// Sizes that all panels share.
struct Grid {
  double cell = 0, left = 0, top = 0, panel = 0;  // edge of a cell, room for labels, edge of a map
  Index every = 1;                                // so many tokens have a label
};

Ink ink_on(double strength) {
  if (strength > kStrongInLight) return Ink::kOnColor;
  return strength > kStrongInDark ? Ink::kOnMiddle : Ink::kPlain;
}

double width_of(std::size_t characters, double size) { return kPitch * size * static_cast<double>(characters); }

double cell_size(const AttentionMaps& maps, const MapRows& rows) {
  std::size_t columns = 1;
  for (const auto& row : rows) columns = std::max(columns, row.size());
  const bool alone = rows.size() == 1 && columns == 1;
  const double length = static_cast<double>(maps.length());
  return std::floor(alone ? std::clamp(1000 / length, 12.0, 46.0) : std::clamp(380 / length, 4.0, 34.0));
}

Grid make_grid(const AttentionMaps& maps, const MapRows& rows) {
  Grid grid;
  std::size_t longest = 1;
  for (const std::string& token : maps.tokens) longest = std::max(longest, count_characters(token));
  longest = std::min(longest, kLongest);
  grid.cell = cell_size(maps, rows);
  grid.every = std::max<Index>(1, static_cast<Index>(std::ceil(kLabelCell / grid.cell)));
  const bool turned = width_of(longest, kSmall) + 2 > grid.cell * static_cast<double>(grid.every);
  grid.left = width_of(longest, kSmall) + 8;
  grid.top = turned ? width_of(longest, kSmall) + 8 : kSmall + 6;
  grid.panel = grid.cell * static_cast<double>(maps.length());
  return grid;
}

/// Puts one panel onto the sheet, its upper left corner at (x, y).
class PanelMaker {
 public:
  PanelMaker(HeatSheet& sheet, const AttentionMaps& maps, const Grid& grid) : sheet_(sheet), maps_(maps), grid_(grid) {}

  void put(const MapPanel& panel, double x, double y) {
    const double left = x + grid_.left;
    const double top = y + kTitle + grid_.top;
    sheet_.texts.push_back({.x = left, .y = y + kSmall + 1, .size = kSmall, .text = panel.title});
    sheet_.frames.push_back({left, top, grid_.panel});
    for (Index i = 0; i < maps_.length(); i += grid_.every) put_labels(i, left, top);
    for (Index query = 0; query < maps_.length(); ++query) {
      for (Index key = 0; key < maps_.length(); ++key) {
        put_cell(panel.weights[static_cast<std::size_t>(query * maps_.length() + key)],
                 left + grid_.cell * static_cast<double>(key), top + grid_.cell * static_cast<double>(query));
      }
    }
  }

 private:
  void put_labels(Index i, double left, double top) {
    const std::string label = cut_text(maps_.tokens[static_cast<std::size_t>(i)], kLongest);
    const double middle = grid_.cell * (static_cast<double>(i) + 0.5);
    const double drop = 0.35 * kSmall;  // from the middle of capitals to their foot
    sheet_.texts.push_back({left - 5, top + middle + drop, kSmall, Anchor::kEnd, false, Ink::kMuted, label});
    const double room = grid_.cell * static_cast<double>(grid_.every);
    if (width_of(count_characters(label), kSmall) + 2 > room) {
      sheet_.texts.push_back({left + middle + drop, top - 5, kSmall, Anchor::kStart, true, Ink::kMuted, label});
    } else {
      sheet_.texts.push_back({left + middle, top - 5, kSmall, Anchor::kMiddle, false, Ink::kMuted, label});
    }
  }

  void put_cell(float weight, double x, double y) {
    if (weight <= 0) return;
    const double strength = color_strength(weight);
    sheet_.cells.push_back({x, y, grid_.cell, strength});
    if (grid_.cell < kValueCell) return;
    sheet_.texts.push_back({x + grid_.cell / 2, y + grid_.cell / 2 + 0.35 * kSmall, kSmall, Anchor::kMiddle, false,
                            ink_on(strength), fmt::format("{:.2f}", static_cast<double>(weight))});
  }

  HeatSheet& sheet_;
  const AttentionMaps& maps_;
  const Grid& grid_;
};

}  // namespace

double color_strength(float weight) { return std::sqrt(std::clamp(static_cast<double>(weight), 0.0, 1.0)); }

std::string cut_text(const std::string& text, std::size_t characters) {
  if (count_characters(text) <= characters) return text;
  return text.substr(0, byte_position(text, characters - 1)) + "\u2026";
}

HeatSheet lay_out(const AttentionMaps& maps, const MapRows& rows) {
  double panels = 0;
  for (const auto& row : rows) panels += static_cast<double>(row.size());
  if (panels * static_cast<double>(maps.length() * maps.length()) > kMostCells) {
    throw DataError(
        fmt::format("[attention] a drawing may have at most {} cells; got {} maps of {} tokens. Hint: "
                    "--layer N --head N, a shorter text, or a .html file",
                    kMostCells, panels, maps.length()));
  }
  const Grid grid = make_grid(maps, rows);
  HeatSheet sheet;
  PanelMaker maker(sheet, maps, grid);
  const std::string heading = cut_text(fmt::format("Attention of {}, step {}", maps.name, maps.step), 100);
  const std::string legend = "queries down, keys across; each row sums to 1";
  sheet.texts.push_back({.x = kMargin, .y = kMargin + kBig, .size = kBig, .text = heading});
  sheet.texts.push_back({.x = kMargin, .y = kMargin + kBig + 17, .size = kSmall, .ink = Ink::kMuted, .text = legend});
  sheet.width = 2 * kMargin + std::max(width_of(count_characters(heading), kBig), width_of(legend.size(), kSmall));
  double y = kMargin + kHeading;
  // A title may be wider than its map.
  const double step = std::max(grid.panel, width_of(20, kSmall)) + grid.left + kGap;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) maker.put(row[i], kMargin + step * static_cast<double>(i), y);
    sheet.width = std::max(sheet.width, 2 * kMargin + step * static_cast<double>(row.size()) - kGap);
    y += kTitle + grid.top + grid.panel + kGap;
  }
  sheet.height = y - kGap + kMargin;
  return sheet;
}

}  // namespace minnow
