#include "minnow/report/run_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "minnow/base/error.hpp"
#include "minnow/io/file.hpp"
#include "train/run_hint.hpp"

namespace minnow {
namespace {

using Json = nlohmann::ordered_json;  // columns keep their order

constexpr std::uint64_t kMaxLogBytes = std::uint64_t{4} << 30U;
constexpr std::size_t kMostColumns = 256;  // a log of ours has some twenty

/// Builds the table line by line.
class Reader {
 public:
  explicit Reader(std::string name) { metrics_.name = std::move(name); }

  void add(std::string_view line) {
    const Json json = Json::parse(line, nullptr, false);
    const auto step = json.is_object() ? json.find("step") : json.end();
    if (!json.is_object() || step == json.end() || !step->is_number_integer()) {
      ++metrics_.bad_lines;
      return;
    }
    go_to(step->get<std::int64_t>());
    for (const auto& [key, value] : json.items()) {
      if (key != "step" && (value.is_number() || value.is_null())) set(key, value);
    }
  }

  [[nodiscard]] RunMetrics finish() {
    for (MetricColumn& column : metrics_.columns) column.values.resize(metrics_.steps.size(), kNotLogged);
    return std::move(metrics_);
  }

 private:
  /// Makes the row of a step the last one: drops what an earlier attempt logged at it or later.
  void go_to(std::int64_t step) {
    auto& steps = metrics_.steps;
    if (!steps.empty() && steps.back() == step) return;
    if (!steps.empty() && steps.back() > step) {
      while (!steps.empty() && steps.back() >= step) steps.pop_back();
      for (MetricColumn& column : metrics_.columns) {
        column.values.resize(std::min(column.values.size(), steps.size()), kNotLogged);
      }
    }
    steps.push_back(step);
  }

  void set(const std::string& key, const Json& value) {
    if (places_.size() >= kMostColumns && places_.count(key) == 0) return;
    const auto [found, fresh] = places_.try_emplace(key, metrics_.columns.size());
    if (fresh) metrics_.columns.push_back({key, {}});
    std::vector<double>& values = metrics_.columns[found->second].values;
    values.resize(metrics_.steps.size(), kNotLogged);
    const double number = value.is_number() ? value.get<double>() : kNotFinite;
    values.back() = std::isfinite(number) ? number : kNotFinite;
  }

  RunMetrics metrics_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace

const MetricColumn* RunMetrics::find(std::string_view column) const {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.name == column; });
  return found == columns.end() ? nullptr : &*found;
}

std::optional<MetricPoint> RunMetrics::last(std::string_view column) const {
  const MetricColumn* const found = find(column);
  for (std::size_t row = steps.size(); found != nullptr && row-- > 0;) {
    if (std::isfinite(found->values[row])) return MetricPoint{steps[row], found->values[row]};
  }
  return std::nullopt;
}

std::optional<MetricPoint> RunMetrics::lowest(std::string_view column) const {
  const MetricColumn* const found = find(column);
  std::optional<MetricPoint> best;
  for (std::size_t row = 0; found != nullptr && row < steps.size(); ++row) {
    const double value = found->values[row];
    if (std::isfinite(value) && (!best || value < best->value)) best = MetricPoint{steps[row], value};
  }
  return best;
}

std::int64_t RunMetrics::not_finite(std::string_view column) const {
  const MetricColumn* const found = find(column);
  return found == nullptr ? 0 : std::count(found->values.begin(), found->values.end(), kNotFinite);
}

RunMetrics parse_run_metrics(std::string_view content, std::string name) {
  Reader reader(std::move(name));
  for (std::size_t begin = 0; begin < content.size();) {
    const std::size_t end = content.find('\n', begin);
    if (end == std::string_view::npos) break;
    const std::string_view line = content.substr(begin, end - begin);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) reader.add(line);
    begin = end + 1;
  }
  return reader.finish();
}

std::filesystem::path metrics_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? path / "metrics.jsonl" : path;
}

RunMetrics read_run_metrics(const std::filesystem::path& path, std::string_view who) {
  const std::filesystem::path file = metrics_file(path);
  if (!path_exists(file) && file != path && path_exists(path / "checkpoints")) {
    throw CheckpointError(fmt::format(
        "[{}] a run must have trained to have a log (metrics.jsonl); {} has weights alone: it was imported, "
        "or has not come to its first log line. Hint: `minnow inspect {}` shows its weights",
        who, path.string(), path.string()));
  }
  if (!path_exists(file)) {
    throw CheckpointError(fmt::format("[{}] a run must have the file metrics.jsonl; {} does not exist. Hint: {}", who,
                                      file.string(), run_hint(path)));
  }
  const std::filesystem::path whole = std::filesystem::absolute(file).lexically_normal().parent_path();
  return parse_run_metrics(read_file(file, kMaxLogBytes), whole.filename().string());
}

}  // namespace minnow
