#include "minnow/report/curve_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "minnow/base/error.hpp"
#include "minnow/text/utf8.hpp"
#include "report/canvas.hpp"
#include "report/human.hpp"

namespace minnow {
namespace {

constexpr double kHuge = 1e300;  // so that differences stay finite
constexpr int kLabelColumns = 8, kLeastWidth = 30, kLeastHeight = 4;

/// From values to dots.
struct Axes {
  double first_x = std::numeric_limits<double>::infinity();
  double last_x = -std::numeric_limits<double>::infinity();
  double low = std::numeric_limits<double>::infinity();  // value, or its logarithm
  double high = -std::numeric_limits<double>::infinity();
  bool log_scale = false;

  [[nodiscard]] bool shows(double value) const { return !log_scale || value > 0; }
  [[nodiscard]] double height(double value) const {
    return log_scale ? std::log10(value) : std::clamp(value, -kHuge, kHuge);
  }
  [[nodiscard]] double value(double height) const { return log_scale ? std::pow(10.0, height) : height; }

  void include(const std::vector<PlotPoint>& curve) {
    for (const PlotPoint& point : curve) {
      if (!shows(point.y)) continue;
      first_x = std::min(first_x, point.x);
      last_x = std::max(last_x, point.x);
      low = std::min(low, height(point.y));
      high = std::max(high, height(point.y));
    }
  }

  /// A flat curve gets some room above and below.
  void widen() {
    if (high - low > 1e-9 * std::max(1.0, std::abs(high))) return;
    const double room = log_scale ? 0.1 : std::max(0.1 * std::abs(high), 1e-3);
    low -= room;
    high += room;
  }

  [[nodiscard]] int x(double value, int columns) const {
    if (!(last_x > first_x)) return 0;
    return static_cast<int>(std::lround((value - first_x) / (last_x - first_x) * (columns - 1)));
  }
  [[nodiscard]] int y(double value, int rows) const {
    return static_cast<int>(std::lround((high - height(value)) / (high - low) * (rows - 1)));
  }
};

/// What stands for a run.
struct Marks {
  char train = '.';
  std::string val;
};

Marks marks_of(std::size_t run, bool letters, bool several) {
  if (!letters) return {'.', several ? "◆" : "●"};
  if (!several) return {'.', "o"};
  const auto letter = static_cast<char>('a' + static_cast<char>(run % 26));
  return {letter, std::string(1, static_cast<char>(letter - 'a' + 'A'))};
}

void draw_line(Canvas& canvas, const Axes& axes, const std::vector<PlotPoint>& curve, char mark, int color) {
  const auto columns = static_cast<std::size_t>(canvas.dot_columns());
  std::vector<double> sums(columns, 0);
  std::vector<int> counts(columns, 0);
  for (const PlotPoint& point : curve) {
    if (!axes.shows(point.y)) continue;
    const auto column = static_cast<std::size_t>(axes.x(point.x, canvas.dot_columns()));
    sums[column] += point.y;
    ++counts[column];
  }
  int last_x = -1, last_y = 0;
  for (std::size_t column = 0; column < columns; ++column) {
    if (counts[column] == 0) continue;
    const int x = static_cast<int>(column);
    const int y = axes.y(sums[column] / counts[column], canvas.dot_rows());
    if (last_x < 0) canvas.dot(x, y, mark, color);
    if (last_x >= 0) canvas.line(last_x, last_y, x, y, mark, color);
    last_x = x;
    last_y = y;
  }
}

void draw_marks(Canvas& canvas, const Axes& axes, const std::vector<PlotPoint>& curve, std::string_view mark,
                int color) {
  for (const PlotPoint& point : curve) {
    if (!axes.shows(point.y)) continue;
    canvas.mark(axes.x(point.x, canvas.dot_columns()), axes.y(point.y, canvas.dot_rows()), mark, color);
  }
}

/// @param gap to the nearest other label: both must read differently
std::string axis_label(double value, double gap) {
  constexpr int kMostDecimals = 6;
  const double size = std::abs(value);
  const int before_point = size >= 10 ? static_cast<int>(std::log10(size)) + 1 : 1;
  const int room = std::min(kMostDecimals, kLabelColumns - 1 - before_point - (value < 0 ? 1 : 0));
  const int usual = size >= 1000 ? 0 : size >= 10 ? 2 : 3;
  const int wanted = std::max(usual, gap > 0 ? static_cast<int>(std::ceil(1 - std::log10(gap))) : usual);
  const bool vanishes = size != 0 && size < 0.5 * std::pow(10, -room);
  if (size >= 1e5 || wanted > kMostDecimals || vanishes) return fmt::format("{:.1e}", value);
  return fmt::format("{:.{}f}", value, std::clamp(wanted, 0, std::max(room, 0)));
}

/// Labels stand at the top, the bottom and every few rows between.
std::string rows_of(const Canvas& canvas, const Axes& axes, int rows, const PlotOptions& options) {
  const int every = std::max(1, (rows - 1) / 4);
  const auto value_at = [&](int row) {
    return axes.value(axes.high - static_cast<double>(row) / (rows - 1) * (axes.high - axes.low));
  };
  const double gap = std::abs(value_at(rows - 1 - every) - value_at(rows - 1));  // the smallest, on either axis
  std::string text;
  for (int row = 0; row < rows; ++row) {
    const bool labelled = row == rows - 1 || (row % every == 0 && rows - 1 - row >= every);
    const std::string label = labelled ? axis_label(value_at(row), gap) : "";
    const char* const edge = options.unicode ? (labelled ? "┤" : "│") : (labelled ? "+" : "|");
    text += fmt::format("{:>{}} {}{}\n", label, kLabelColumns, edge, canvas.row(row, options.color));
  }
  return text;
}

std::string x_label(double x, CurveAxis axis) {
  if (axis == CurveAxis::kTime) return human_duration(x);
  return axis == CurveAxis::kTokens ? human_count(x) : fmt::format("{:.0f}", x);
}

std::string x_axis(const Axes& axes, int columns, const PlotOptions& options) {
  const bool unicode = options.unicode;
  std::string text = fmt::format("{:>{}} {}", "", kLabelColumns, unicode ? "└" : "+");
  for (int i = 0; i < columns; ++i) text += unicode ? "─" : "-";
  const char* const unit = options.axis == CurveAxis::kStep     ? " steps"
                           : options.axis == CurveAxis::kTokens ? " tokens"
                                                                : "";
  const std::string first = x_label(axes.first_x, options.axis);
  const std::string last = x_label(axes.last_x, options.axis) + unit;
  const int gap = columns - static_cast<int>(first.size() + last.size());
  text += fmt::format("\n{:>{}}{}{:>{}}{}\n", "", kLabelColumns + 2, first, "", std::max(gap, 1), last);
  return text;
}

std::string cut(const std::string& text, int columns) {
  if (count_characters(text) <= static_cast<std::size_t>(columns)) return text;
  return text.substr(0, byte_position(text, static_cast<std::size_t>(columns)));
}

/// Breaks a list at its commas, so that no line is wider than `columns` unless a single entry is.
std::string wrap(const std::string& list, int columns) {
  std::string text;
  int used = 0;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t comma = list.find(", ", begin);
    const std::size_t end = comma == std::string::npos ? list.size() : comma + 2;
    const std::string entry = list.substr(begin, end - begin);
    const int width = static_cast<int>(count_characters(entry)) - (comma == std::string::npos ? 0 : 1);
    if (used > 0 && used + width > columns) {
      if (text.back() == ' ') text.pop_back();  // behind the comma
      text += "\n  ";
      used = 2;
    }
    text += cut(entry, columns - used);
    used += width + 1;
    begin = end;
  }
  return text;
}

/// What a terminal would obey is shown as '?'.
std::string printable_name(const std::string& name) {
  std::string text;
  const std::string valid = replace_invalid_utf8(name);
  for (std::size_t at = 0; at < valid.size();) {
    const Utf8Step next = read_utf8(valid, at);
    const bool commands = next.code_point < 0x20 || (next.code_point >= 0x7F && next.code_point <= 0x9F);
    text += commands ? "?" : valid.substr(at, next.length);
    at += next.length;
  }
  return text;
}

/// What the marks of a run mean, then its figures, each on a line of its own.
std::string legend(const PlotCurve& run, const Marks& marks, int index, bool letters, const PlotOptions& options) {
  const std::string line = letters ? std::string(1, marks.train) : "⠤";
  std::string head;
  if (!run.line.empty()) head += line + " " + (run.metric == "loss" ? "train" : printable_name(run.metric));
  if (!run.line.empty() && !run.marks.empty()) head += "  ";
  if (!run.marks.empty()) head += marks.val + " validation";
  const std::string first = cut(head, options.width);
  const std::string second = wrap(printable_name(run.name) + ": " + run.figures, options.width);
  if (!options.color) return fmt::format("{}\n{}\n", first, second);
  return fmt::format("{}{}\x1b[0m\n{}\n", color_code(index), first, second);
}

}  // namespace

std::string plot_curves(std::span<const PlotCurve> runs, const PlotOptions& options) {
  PlotOptions fit = options;
  fit.width = std::max(options.width, kLeastWidth);
  const int rows = std::max(options.height, kLeastHeight);
  const int columns = fit.width - kLabelColumns - 2;
  const bool several = runs.size() > 1;
  const bool letters = !options.unicode || (several && !options.color);
  Axes axes;
  axes.log_scale = options.log_scale;
  for (const PlotCurve& run : runs) {
    axes.include(run.line);
    axes.include(run.marks);
  }
  if (axes.low > axes.high) {
    throw DataError(options.log_scale
                        ? "[plot] a logarithmic axis needs a value above 0; got none. Hint: leave out --log"
                        : "[plot] there must be at least one value to draw; got none");
  }
  axes.widen();
  Canvas canvas(columns, rows, !letters);
  for (const bool lines : {true, false}) {  // the marks lie above all lines
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const Marks marks = marks_of(i, letters, several);
      const int color = static_cast<int>(i);
      if (lines) draw_line(canvas, axes, runs[i].line, marks.train, color);
      if (!lines) draw_marks(canvas, axes, runs[i].marks, marks.val, color);
    }
  }
  std::string text = rows_of(canvas, axes, rows, fit) + x_axis(axes, columns, options);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    text += legend(runs[i], marks_of(i, letters, several), static_cast<int>(i), letters, fit);
  }
  return text;
}

}  // namespace minnow
