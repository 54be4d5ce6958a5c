#include "report/walk_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace minnow {
namespace {

constexpr double kSmall = 0.1, kLarge = 1000;  // tables whose largest number lies between are shown as they are

/// @return labels of `count` rows or columns: tokens where there are as many of them, else numbers.
std::vector<std::string> labels_of(const Walk& walk, bool tokens, std::size_t count) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < count; ++i) labels.push_back(tokens ? walk.labels[i] : fmt::format("[{}]", i));
  return labels;
}

std::string note_of(const Tensor& numbers, Index rows, Index columns, const WalkTable& table, bool heads) {
  std::string note = heads ? fmt::format("head 0 of {}", numbers.size(1)) : "";
  const auto add = [&](std::size_t shown, Index all, std::string_view what) {
    if (static_cast<Index>(shown) >= all) return;
    note += fmt::format("{}{} of {} {}", note.empty() ? "" : ", ", shown, all, what);
  };
  add(table.rows.size(), rows, "rows");
  add(table.columns.size(), columns, "columns");
  return note;
}

void scale(WalkTable& table) {
  if (table.largest == 0 || (table.largest >= kSmall && table.largest < kLarge)) return;
  const int exponent = static_cast<int>(std::floor(std::log10(table.largest)));
  for (auto& row : table.cells) {
    for (double& cell : row) cell *= std::pow(10.0, -exponent);
  }
  table.largest *= std::pow(10.0, -exponent);
  table.note += fmt::format("{}numbers in units of 1e{}", table.note.empty() ? "" : ", ", exponent);
}

}  // namespace

WalkTable walk_table(const Walk& walk, const WalkStep& step, const Tensor& numbers, std::size_t most_rows,
                     std::size_t most_columns) {
  const bool heads = numbers.rank() == 4;
  const Index columns = numbers.rank() > 0 ? numbers.size(-1) : 1;
  const Index rows = step.kind == WalkKind::kIds || numbers.rank() < 2 ? 1 : numbers.size(-2);
  const auto length = static_cast<Index>(walk.labels.size());
  const auto all = numbers.to_vector<double>();
  WalkTable table;
  const auto shown_rows = std::min(most_rows, static_cast<std::size_t>(rows));
  const auto shown_columns = std::min(most_columns, static_cast<std::size_t>(columns));
  const bool across = step.kind == WalkKind::kMaps || step.kind == WalkKind::kIds;
  table.rows = labels_of(walk, rows == length && step.kind != WalkKind::kIds, shown_rows);
  table.columns = labels_of(walk, across && columns == length, shown_columns);
  if (step.kind == WalkKind::kIds || step.kind == WalkKind::kScalar) table.rows = {step.symbol};
  if (step.kind == WalkKind::kScalar) table.columns = {""};
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(row) * columns;
    table.cells.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(shown_columns));
  }
  for (const auto& row : table.cells) {
    for (const double cell : row)
      table.largest = std::isfinite(cell) ? std::max(table.largest, std::abs(cell)) : table.largest;
  }
  table.note = note_of(numbers, rows, columns, table, heads);
  if (step.kind != WalkKind::kIds && step.kind != WalkKind::kScalar) scale(table);
  return table;
}

std::string walk_number(double value, int digits) {
  if (std::isinf(value)) return value < 0 ? "\u2212\u221E" : "\u221E";
  if (value == std::floor(value) && std::abs(value) < kLarge) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}", value, digits);
}

std::string walk_figure(double value) { return fmt::format("{:.4g}", value); }

std::string walk_shape(const Tensor& x) {
  std::string text;
  for (Index axis = 0; axis < x.rank(); ++axis) text += fmt::format("{}{}", axis > 0 ? ", " : "", x.size(axis));
  return "(" + text + (x.rank() == 1 ? ",)" : ")");
}

double walk_norm(const Tensor& x) {
  double sum = 0;
  for (const double one : x.to_vector<double>()) sum += one * one;
  return std::sqrt(sum);
}

std::vector<const WalkStep*> steps_back(const Walk& walk) {
  std::vector<const WalkStep*> back;
  for (std::size_t i = walk.steps.size(); i-- > 0;) {
    if (walk.steps[i].gradient.defined() && walk.steps[i].kind != WalkKind::kScalar) back.push_back(&walk.steps[i]);
  }
  return back;
}

}  // namespace minnow
