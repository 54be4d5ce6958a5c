#include "minnow/report/loss_curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "minnow/base/error.hpp"
#include "minnow/io/file.hpp"

namespace minnow {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMaxLogBytes = std::uint64_t{4} << 30U;

/// Drops what an earlier attempt logged at this step or later.
void go_back(std::vector<CurvePoint>& curve, std::int64_t step) {
  while (!curve.empty() && curve.back().step >= step) curve.pop_back();
}

void add_value(const Json& line, const char* key, std::int64_t step, std::vector<CurvePoint>& curve,
               std::int64_t& not_finite) {
  const auto found = line.find(key);
  if (found == line.end()) return;
  const double value = found->is_number() ? found->get<double>() : NAN;
  if (std::isfinite(value)) {
    curve.push_back({step, value});
  } else {
    ++not_finite;
  }
}

void add_line(std::string_view text, LossCurves& curves) {
  const Json line = Json::parse(text, nullptr, false);
  const auto step = line.is_object() ? line.find("step") : line.end();
  if (!line.is_object() || step == line.end() || !step->is_number_integer()) {
    ++curves.bad_lines;
    return;
  }
  const auto number = step->get<std::int64_t>();
  go_back(curves.train, number + (number == curves.last_step ? 1 : 0));
  go_back(curves.val, number + (number == curves.last_step ? 1 : 0));
  curves.last_step = number;
  add_value(line, "loss", number, curves.train, curves.not_finite);
  add_value(line, "val_loss", number, curves.val, curves.not_finite);
}

}  // namespace

std::optional<CurvePoint> LossCurves::best() const {
  const auto lowest =
      std::min_element(val.begin(), val.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  return lowest == val.end() ? std::nullopt : std::optional(*lowest);
}

LossCurves parse_loss_curves(std::string_view content, std::string name) {
  LossCurves curves;
  curves.name = std::move(name);
  curves.last_step = -1;
  for (std::size_t begin = 0; begin < content.size();) {
    const std::size_t end = content.find('\n', begin);
    if (end == std::string_view::npos) break;
    const std::string_view line = content.substr(begin, end - begin);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) add_line(line, curves);
    begin = end + 1;
  }
  curves.last_step = std::max<std::int64_t>(curves.last_step, 0);
  return curves;
}

LossCurves read_loss_curves(const std::filesystem::path& path) {
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(path, ignored);
  const std::filesystem::path file = folder ? path / "metrics.jsonl" : path;
  if (!path_exists(file)) {
    throw IoError(
        fmt::format("[plot] a run must have the file metrics.jsonl; {} {}. Hint: name the directory that "
                    "`minnow train` wrote, such as runs/quickstart",
                    folder ? file.string() : path.string(), "does not exist"));
  }
  std::filesystem::path whole = std::filesystem::absolute(file).lexically_normal().parent_path();
  LossCurves curves = parse_loss_curves(read_file(file, kMaxLogBytes), whole.filename().string());
  if (curves.train.empty() && curves.val.empty()) {
    throw DataError(
        fmt::format("[plot] {} must hold at least one loss; got {}. Hint: the first one is logged after "
                    "log.every_steps steps",
                    file.string(),
                    curves.not_finite > 0  ? "only values that are not finite"
                    : curves.bad_lines > 0 ? "lines that are no metrics"
                                           : "none"));
  }
  return curves;
}

}  // namespace minnow
