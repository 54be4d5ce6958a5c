#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "minnow/text/utf8.hpp"
#include "report/heat_sheet.hpp"

namespace minnow {
namespace {

constexpr Index kValueColumns = 5;  // " 0.25"
constexpr std::size_t kLongestLabel = 14;
constexpr std::array<double, 3> kDark{24, 40, 66}, kBright{124, 188, 255};  // of weights near 0, and of 1
/// Numbers of the 256 colours along the same way. Source: the 6 x 6 x 6 cube of xterm.
constexpr std::array<int, 10> kRamp{17, 18, 24, 25, 31, 32, 38, 74, 75, 117};

std::string padded(const std::string& text, Index columns, bool right) {
  const auto used = static_cast<Index>(count_characters(text));
  const std::string space(static_cast<std::size_t>(std::max<Index>(0, columns - used)), ' ');
  return right ? space + text : text + space;
}

/// @return the text on the colour of a strength.
std::string on_color(const std::string& text, double strength, TerminalColors colors) {
  const int ink = strength > kStrongInDark ? 30 : 97;  // black, bright white
  if (colors == TerminalColors::k256) {
    const auto place = static_cast<std::size_t>(std::lround(strength * static_cast<double>(kRamp.size() - 1)));
    return fmt::format("\x1b[{};48;5;{}m{}\x1b[0m", ink, kRamp[place], text);
  }
  const auto mix = [&](std::size_t i) { return std::lround(kDark[i] + (kBright[i] - kDark[i]) * strength); };
  return fmt::format("\x1b[{};48;2;{};{};{}m{}\x1b[0m", ink, mix(0), mix(1), mix(2), text);
}

/// Draws the panels of one text.
class TextMaker {
 public:
  TextMaker(const AttentionMaps& maps, int width, TerminalColors colors) : maps_(maps), colors_(colors) {
    for (const std::string& token : maps.tokens) {
      label_ = std::max(label_, static_cast<Index>(std::min(count_characters(token), kLongestLabel)));
    }
    const Index room = std::max<Index>(10, width - label_ - 1);
    const Index length = maps.length();
    columns_ = 1;
    if (2 * length <= room) columns_ = 2;
    if (kValueColumns * length <= room) columns_ = kValueColumns;
    first_ = std::max<Index>(0, length - room / columns_);
  }

  [[nodiscard]] std::string panel(const MapPanel& panel) const {
    std::string text = panel.title + "\n" + std::string(static_cast<std::size_t>(label_), ' ') + " ";
    for (Index key = first_; key < maps_.length(); ++key) {
      const auto room = static_cast<std::size_t>(columns_ == kValueColumns ? columns_ - 1 : 1);
      const std::string& token = maps_.tokens[static_cast<std::size_t>(key)];
      text += padded(room == 1 && count_characters(token) > 1 ? "\u2026" : cut_text(token, room), columns_,
                     columns_ == kValueColumns);
    }
    text += '\n';
    for (Index query = first_; query < maps_.length(); ++query) {
      text += padded(cut_text(maps_.tokens[static_cast<std::size_t>(query)], kLongestLabel), label_, true) + " ";
      for (Index key = first_; key < maps_.length(); ++key) {
        text += cell(panel.weights[static_cast<std::size_t>(query * maps_.length() + key)]);
      }
      text += '\n';
    }
    return text;
  }

  [[nodiscard]] std::string notes() const {
    std::string text = "Queries down, keys across.";
    if (colors_ == TerminalColors::kNone && columns_ < kValueColumns) text += " Digits: tenths of the weight.";
    if (first_ > 0) {
      text += fmt::format(" The last {} of {} tokens fit; --out FILE.html shows all.", maps_.length() - first_,
                          maps_.length());
    }
    return text + '\n';
  }

 private:
  [[nodiscard]] std::string cell(float weight) const {
    const auto value = static_cast<double>(weight);
    std::string text(static_cast<std::size_t>(columns_), ' ');
    if (columns_ == kValueColumns) {
      text = weight > 0 ? fmt::format(" {:.2f}", value) : "    \u00B7";
    } else if (colors_ == TerminalColors::kNone) {
      text =
          padded(weight > 0 ? fmt::format("{}", std::min(9, static_cast<int>(value * 10))) : "\u00B7", columns_, false);
    }
    if (colors_ == TerminalColors::kNone || weight <= 0) return text;
    return on_color(text, color_strength(weight), colors_);
  }

  const AttentionMaps& maps_;
  TerminalColors colors_;
  Index label_ = 1;    // columns of the queries' labels
  Index columns_ = 1;  // of a cell
  Index first_ = 0;    // token shown
};

}  // namespace

std::string heat_map_text(const AttentionMaps& maps, const MapRows& rows, int width, TerminalColors colors) {
  const TextMaker maker(maps, width, colors);
  std::string text = maker.notes();
  for (const auto& row : rows) {
    for (const MapPanel& panel : row) text += "\n" + maker.panel(panel);
  }
  return text;
}

}  // namespace minnow
