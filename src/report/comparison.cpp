#include "minnow/report/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "minnow/text/utf8.hpp"
#include "report/human.hpp"
#include "report/summary.hpp"

namespace minnow {
namespace {

/// A number of a run, how it is written, and whether lower or higher is better.
struct Figure {
  const char* label;
  std::function<std::optional<double>(const RunFacts&, const Summary&)> value;
  std::function<std::string(double)> text;
  int better = 0;           // -1: the lower, 1: the higher, 0: neither
  bool of_windows = false;  // of eval.max_windows: compares only where these are the same
};

std::optional<double> value_of(const std::optional<MetricPoint>& point) {
  return point ? std::optional(point->value) : std::nullopt;
}

std::string four_decimals(double value) { return fmt::format("{:.4f}", value); }
std::string whole(double value) { return fmt::format("{:.0f}", value); }

std::vector<Figure> all_figures() {
  const auto positive = [](double value) { return value > 0 ? std::optional(value) : std::nullopt; };
  return {
      {"best validation loss", [](auto&, const Summary& s) { return value_of(s.best_val_loss); }, four_decimals, -1,
       true},
      {"  at step",
       [](auto&, const Summary& s) {
         return s.best_val_loss ? std::optional(static_cast<double>(s.best_val_loss->step)) : std::nullopt;
       },
       whole},
      {"final bits per byte (whole split)", [](auto&, const Summary& s) { return value_of(s.final_bits_per_byte); },
       four_decimals, -1},
      {"best bits per byte", [](auto&, const Summary& s) { return value_of(s.best_bits_per_byte); }, four_decimals, -1,
       true},
      {"final validation loss (whole split)", [](auto&, const Summary& s) { return value_of(s.final_val_loss); },
       four_decimals, -1},
      {"last validation loss", [](auto&, const Summary& s) { return value_of(s.val_loss); }, four_decimals, -1, true},
      {"last training loss", [](auto&, const Summary& s) { return value_of(s.train_loss); }, four_decimals, -1},
      {"steps", [](const RunFacts& r, auto&) { return std::optional(static_cast<double>(r.metrics.last_step())); },
       whole},
      {"tokens", [](auto&, const Summary& s) { return s.tokens; }, human_count},
      {"training time", [](auto&, const Summary& s) { return s.seconds; }, human_duration},
      {"tokens/s (median)", [](auto&, const Summary& s) { return s.tokens_per_s; }, human_count, 1},
      {"parameters", [positive](const RunFacts& r, auto&) { return positive(r.parameters()); }, human_count},
      {"skipped steps", [positive](auto&, const Summary& s) { return positive(s.skipped_steps); }, whole, -1},
  };
}

/// Beside runs that scored a part of the split, the last score of one that scored all of it is its final one.
void fill_final_losses(std::vector<Summary>& summaries) {
  if (std::none_of(summaries.begin(), summaries.end(), [](const Summary& s) { return s.val_windows.has_value(); }))
    return;
  for (Summary& s : summaries) {
    if (s.val_windows) continue;
    s.final_val_loss = s.val_loss;
    s.final_bits_per_byte = s.val_bits_per_byte;
  }
}

bool scored_differently(const std::vector<Summary>& summaries) {
  std::set<std::optional<double>> windows;
  for (const Summary& s : summaries) {
    if (s.val_loss) windows.insert(s.val_windows);
  }
  return windows.size() > 1;
}

ComparedRow figure_row(const Figure& figure, std::span<const RunFacts> runs, const std::vector<Summary>& summaries) {
  ComparedRow row;
  row.label = figure.label;
  std::vector<std::optional<double>> values;
  std::optional<double> best;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    values.push_back(figure.value(runs[i], summaries[i]));
    const auto& value = values.back();
    row.cells.push_back(value ? figure.text(*value) : "");
    if (value && (!best || figure.better * *value > figure.better * *best)) best = value;
  }
  const bool incomparable = figure.of_windows && scored_differently(summaries);
  if (figure.better == 0 || runs.size() < 2 || incomparable) return row;
  for (const auto& value : values) row.best.push_back(value.has_value() && value == best);
  return row;
}

std::vector<ComparedRow> setting_rows(std::span<const RunFacts> runs) {
  std::vector<ComparedRow> rows;
  for (const Key& key : config_keys()) {
    ComparedRow row;
    row.label = key.name;
    std::set<std::string> different;
    for (const RunFacts& run : runs) {
      row.cells.push_back(run.config ? value_text(key, *run.config) : "");
      if (run.config) different.insert(row.cells.back());
    }
    if (different.size() > 1) rows.push_back(std::move(row));
  }
  return rows;
}

/// Losses per token compare only where the tokens are the same.
std::vector<std::string> remarks_on(const std::vector<ComparedRow>& settings, std::span<const RunFacts> runs) {
  std::vector<std::string> remarks;
  const auto differs = [&](std::string_view prefix) {
    return std::any_of(settings.begin(), settings.end(),
                       [&](const auto& row) { return row.label.starts_with(prefix); });
  };
  if (differs("tokenizer.")) {
    remarks.emplace_back("The tokenizers differ: losses per token do not compare; bits per byte do.");
  }
  if (differs("data.")) {
    remarks.emplace_back("The data settings differ: the validation losses may be of different texts.");
  }
  for (const RunFacts& run : runs) {
    for (const std::string& problem : run.problems) remarks.push_back(run.metrics.name + ": " + problem);
  }
  return remarks;
}

std::vector<std::string> names_of(std::span<const RunFacts> runs) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const RunFacts& run : runs) {
    std::string name = run.metrics.name;
    for (int number = 2; !taken.insert(name).second; ++number) name = fmt::format("{} ({})", run.metrics.name, number);
    names.push_back(name);
  }
  return names;
}

// ---- text

constexpr int kGap = 2;

int width_of(const std::string& text) { return static_cast<int>(count_characters(text)); }

std::string cut(const std::string& text, int columns) {
  std::string valid = replace_invalid_utf8(text);
  if (width_of(valid) <= columns) return valid;
  return valid.substr(0, byte_position(valid, static_cast<std::size_t>(std::max(columns - 1, 0)))) + "~";
}

std::string padded(const std::string& text, int columns, bool right) {
  const std::string blanks(static_cast<std::size_t>(std::max(0, columns - width_of(text))), ' ');
  return right ? blanks + text : text + blanks;
}

/// The columns [first, last) of the runs, each as wide as its widest cell.
class TextTable {
 public:
  TextTable(const Comparison& comparison, const std::vector<ComparedRow>& rows, int width)
      : names_(comparison.names), rows_(rows), width_(width) {
    for (const ComparedRow& row : rows) label_ = std::max(label_, width_of(row.label));
    label_ = std::min(label_, std::max(width / 2, 1));
    const int most = std::max(8, width - label_ - kGap);
    for (std::size_t run = 0; run < names_.size(); ++run) {
      int wide = width_of(names_[run]);
      for (const ComparedRow& row : rows) wide = std::max(wide, width_of(row.cells[run]) + (marked(row, run) ? 2 : 0));
      columns_.push_back(std::min(wide, most));
    }
  }

  [[nodiscard]] std::string text() const {
    std::string all;
    for (std::size_t first = 0; first < names_.size();) {
      std::size_t last = first;
      int used = label_;
      while (last < names_.size() && (last == first || used + kGap + columns_[last] <= width_))
        used += kGap + columns_[last++];
      if (first > 0) all += '\n';
      all += part(first, last);
      first = last;
    }
    return all;
  }

 private:
  static bool marked(const ComparedRow& row, std::size_t run) { return run < row.best.size() && row.best[run]; }

  [[nodiscard]] std::string part(std::size_t first, std::size_t last) const {
    std::string text = line("", first, last, [&](std::size_t run) { return names_[run]; });
    for (const ComparedRow& row : rows_) {
      text += line(row.label, first, last, [&](std::size_t run) {
        const std::string cell = row.cells[run].empty() ? "-" : row.cells[run];
        return marked(row, run) ? "* " + cell : cell;
      });
    }
    return text;
  }

  template <class Cell>
  [[nodiscard]] std::string line(const std::string& label, std::size_t first, std::size_t last,
                                 const Cell& cell) const {
    std::string text = padded(cut(label, label_), label_, false);
    for (std::size_t run = first; run < last; ++run) {
      text += std::string(kGap, ' ') + padded(cut(cell(run), columns_[run]), columns_[run], true);
    }
    return text + '\n';
  }

  const std::vector<std::string>& names_;
  const std::vector<ComparedRow>& rows_;
  int width_, label_ = 0;
  std::vector<int> columns_;
};

}  // namespace

Comparison compare_runs(std::span<const RunFacts> runs) {
  Comparison comparison;
  comparison.names = names_of(runs);
  std::vector<Summary> summaries;
  for (const RunFacts& run : runs) summaries.push_back(summarize(run.metrics));
  fill_final_losses(summaries);
  for (const Figure& figure : all_figures()) {
    ComparedRow row = figure_row(figure, runs, summaries);
    if (std::any_of(row.cells.begin(), row.cells.end(), [](const auto& cell) { return !cell.empty(); })) {
      comparison.figures.push_back(std::move(row));
    }
  }
  comparison.settings = setting_rows(runs);
  comparison.remarks = remarks_on(comparison.settings, runs);
  if (scored_differently(summaries)) {
    comparison.remarks.emplace_back(
        "The runs were scored on different windows of the validation split: only losses of the whole split compare.");
  }
  return comparison;
}

std::string comparison_text(const Comparison& comparison, int width) {
  std::string text = TextTable(comparison, comparison.figures, width).text();
  if (!comparison.settings.empty()) {
    text += "\nSettings that differ:\n" + TextTable(comparison, comparison.settings, width).text();
  } else if (comparison.names.size() > 1) {
    text += "\nNo setting differs.\n";
  }
  for (const std::string& remark : comparison.remarks) text += fmt::format("\n{}\n", remark);
  return text;
}

}  // namespace minnow
