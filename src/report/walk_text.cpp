#include <fmt/format.h>

#include <algorithm>

#include "minnow/text/utf8.hpp"
#include "report/heat_sheet.hpp"
#include "report/walk_table.hpp"

namespace minnow {
namespace {

constexpr std::size_t kRows = 8, kLongestLabel = 14, kCell = 9;

std::string left_of(const std::string& text, std::size_t columns) {
  const std::size_t used = count_characters(text);
  return std::string(used < columns ? columns - used : 0, ' ') + text;
}

/// Writes a walk line by line.
class Teller {
 public:
  Teller(const Walk& walk, int width, bool color)
      : walk_(walk), width_(static_cast<std::size_t>(std::max(40, width))), color_(color) {
    for (const std::string& label : walk.labels) label_ = std::max(label_, count_characters(label));
    label_ = std::min(label_, kLongestLabel);
  }

  std::string tell() {
    head();
    std::string part;
    for (std::size_t i = 0; i < walk_.steps.size(); ++i) {
      const WalkStep& step = walk_.steps[i];
      if (step.part != part) heading(part = step.part);
      forward(step, i + 1);
    }
    if (walk_.trained) back();
    return std::move(text_);
  }

 private:
  [[nodiscard]] std::string styled(std::string_view code, const std::string& text) const {
    return color_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }
  [[nodiscard]] std::string bold(const std::string& text) const { return styled("1", text); }
  [[nodiscard]] std::string dim(const std::string& text) const { return styled("2", text); }

  void head() {
    std::string tokens;
    for (const std::string& label : walk_.labels) tokens += (tokens.empty() ? "" : " ") + label;
    text_ += bold(fmt::format("A forward pass of {}, step {}", walk_.name, walk_.step)) + "\n";
    wrapped("tokens: " + tokens, "");
    for (const auto& [letter, meaning] : walk_.letters) text_ += fmt::format("  {} = {}\n", letter, meaning);
    if (walk_.has_dropout) wrapped("Dropout is off here, as in evaluation.", "");
  }

  void heading(const std::string& part) {
    const std::size_t line = width_ - std::min(width_, count_characters(part) + 5);
    std::string rule;
    for (std::size_t i = 0; i < std::min<std::size_t>(line, 60); ++i) rule += "\u2500";
    text_ += "\n" + styled("1;34", fmt::format("\u2500\u2500 {} {}", part, rule)) + "\n";
  }

  /// Breaks at blanks.
  void wrapped(const std::string& text, const std::string& indent) {
    std::string line = indent;
    std::size_t used = indent.size();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(' ', at), text.size());
      const std::string word = text.substr(at, end - at);
      if (used + count_characters(word) + 1 > width_ && used > indent.size()) {
        text_ += line + "\n";
        line = indent;
        used = indent.size();
      }
      if (used > indent.size()) line += ' ', ++used;
      line += word;
      used += count_characters(word);
      at = end + 1;
    }
    text_ += line + "\n";
  }

  /// Parts behind a semicolon have a line of their own.
  void formula(const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(";  ", at), text.size());
      wrapped(text.substr(at, end - at), "   ");
      at = end + 3;
    }
  }

  void forward(const WalkStep& step, std::size_t number) {
    text_ += fmt::format("\n{} {}  {}{}\n", bold(fmt::format("{}. {}", number, step.title)), step.symbol,
                         bold(walk_shape(step.tensor)), step.letters.empty() ? "" : dim(" = " + step.letters));
    formula(step.formula);
    if (!step.why.empty()) wrapped(step.why, "   ");
    for (const WalkWeight& weight : step.weights) {
      text_ +=
          dim(fmt::format("   {} {} = {}  {}", weight.symbol, walk_shape(weight.tensor), weight.letters, weight.name)) +
          "\n";
    }
    if (step.kind == WalkKind::kProbabilities) return likely();
    numbers(step, step.tensor);
  }

  void numbers(const WalkStep& step, const Tensor& tensor) {
    const std::size_t columns = std::max<std::size_t>(1, (width_ - std::min(width_, label_ + 5)) / kCell);
    const WalkTable table = walk_table(walk_, step, tensor, kRows, std::min<std::size_t>(columns, 12));
    const std::size_t label = std::max(label_, step.symbol.size());
    std::string head = std::string(label + 3, ' ');
    for (const std::string& column : table.columns) head += left_of(cut_text(column, kCell - 1), kCell);
    if (step.kind != WalkKind::kScalar) text_ += dim(head) + "\n";
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      text_ += "   " + left_of(cut_text(table.rows[row], kLongestLabel), label);
      for (const double cell : table.cells[row]) text_ += left_of(walk_number(cell), kCell);
      text_ += "\n";
    }
    if (!table.note.empty()) text_ += dim("   " + table.note) + "\n";
  }

  void likely() {
    constexpr double kBar = 40;
    text_ += dim(fmt::format("   behind \"{}\":", walk_.labels.back())) + "\n";
    for (const auto& [label, probability] : walk_.likely) {
      std::string bar;
      for (int i = 0; i < static_cast<int>(probability * kBar + 0.5); ++i) bar += "\u2588";
      text_ +=
          fmt::format("   {} {:.3f} {}\n", left_of(cut_text(label, kLongestLabel), 12), probability, styled("34", bar));
    }
  }

  void back() {
    heading("back: gradients");
    text_ += "\n";
    wrapped(fmt::format("How much the loss L = {:.4f} changes with every number, from the end to the start. Norm of "
                        "all parameters' gradients together: {:.4g}.",
                        walk_.loss, walk_.gradient_norm),
            "   ");
    for (const WalkStep* const step : steps_back(walk_)) {
      text_ += fmt::format("\n{}  {}{}  norm {}\n", bold(fmt::format("dL/d{}", step->symbol)),
                           bold(walk_shape(step->gradient)), dim(step->letters.empty() ? "" : " = " + step->letters),
                           walk_figure(walk_norm(step->gradient)));
      text_ += dim(fmt::format("   {} ({})", step->title, step->part)) + "\n";
      if (!step->back.empty()) formula(step->back);
      for (const WalkWeight& weight : step->weights) {
        if (!weight.gradient.defined()) continue;
        text_ += dim(fmt::format("   d{} {}  norm {}  {}", weight.symbol, walk_shape(weight.gradient),
                                 walk_figure(walk_norm(weight.gradient)), weight.name)) +
                 "\n";
      }
      numbers(*step, step->gradient);
    }
  }

  const Walk& walk_;
  std::size_t width_;
  bool color_;
  std::size_t label_ = 1;  // columns of the tokens' labels
  std::string text_;
};

}  // namespace

std::string walk_text(const Walk& walk, int width, bool color) { return Teller(walk, width, color).tell(); }

}  // namespace minnow
