#include "minnow/io/run_log.hpp"

#include <fmt/format.h>

#include <charconv>

#include "io/json_text.hpp"
#include "minnow/io/file.hpp"

namespace minnow {

namespace {

constexpr std::uint64_t kMaxLogBytes = std::uint64_t{16} << 30U;

std::string value_text(const MetricValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
  if (const auto* number = std::get_if<double>(&value)) return detail::json_number(*number);
  return detail::json_quote_lossy(std::get<std::string>(value));
}

bool later(long long step, std::optional<std::int64_t> resumed) { return resumed && step > *resumed; }

// Opens a log for appending after `cut` has been applied to what is there. The cut is atomic.
AppendFile open_cut(const std::filesystem::path& path, std::optional<std::int64_t> resumed,
                    std::string (*cut)(std::string_view, std::optional<std::int64_t>)) {
  if (path_exists(path)) {
    const std::string content = read_file(path, kMaxLogBytes);
    const std::string kept = cut(content, resumed);
    if (kept != content) write_file_atomic(path, kept);
  }
  return AppendFile(path);
}

struct SampleHeading {
  long long step = 0;
  std::size_t text = 0;  // where the text begins
  std::size_t end = 0;   // of the section, newline included
  bool torn = false;     // the file ends before the section does
};

// Reads the heading at `at`. @return nothing if no section begins there
std::optional<SampleHeading> sample_at(std::string_view content, std::size_t at) {
  constexpr std::string_view kStart = "=== step ", kMiddle = ", ", kEnd = " bytes ===\n";
  const char* const last = content.data() + content.size();
  SampleHeading heading;
  std::size_t bytes = 0;
  if (!content.substr(at).starts_with(kStart)) return std::nullopt;
  auto parsed = std::from_chars(content.data() + at + kStart.size(), last, heading.step);
  at = static_cast<std::size_t>(parsed.ptr - content.data());
  if (parsed.ec != std::errc() || !content.substr(at).starts_with(kMiddle)) return std::nullopt;
  parsed = std::from_chars(content.data() + at + kMiddle.size(), last, bytes);
  at = static_cast<std::size_t>(parsed.ptr - content.data());
  if (parsed.ec != std::errc() || !content.substr(at).starts_with(kEnd)) return std::nullopt;
  at += kEnd.size();
  heading.text = at;
  heading.torn = bytes >= content.size() - at;
  heading.end = heading.torn ? content.size() : at + bytes + 1;
  if (!heading.torn && content[at + bytes] != '\n') return std::nullopt;
  return heading;
}

// Where the next whole section begins after `at`; the end of the content if there is none.
std::size_t next_sample(std::string_view content, std::size_t at) {
  for (at = content.find("\n=== step ", at); at != std::string_view::npos; at = content.find("\n=== step ", at + 1)) {
    if (sample_at(content, at + 1)) return at + 1;
  }
  return content.size();
}

}  // namespace

std::string metrics_line(std::int64_t step, const MetricFields& fields) {
  std::string line = fmt::format("{{\"step\": {}", step);
  for (const auto& [name, value] : fields) {
    line += fmt::format(", {}: {}", detail::json_quote_lossy(name), value_text(value));
  }
  return line + "}";
}

std::string cut_metrics(std::string_view content, std::optional<std::int64_t> resumed_step) {
  std::string kept;
  for (std::size_t at = 0; at < content.size();) {
    const std::size_t newline = std::min(content.find('\n', at), content.size());
    const std::string_view line = content.substr(at, newline - at);
    const bool is_last = newline + 1 >= content.size();
    const auto step = detail::json_step(line);
    at = newline + 1;
    // A last line that is no whole object was torn by a crash; in the middle it is somebody else's and stays.
    if (step ? later(*step, resumed_step) : is_last) continue;
    kept += line;
    kept += '\n';
  }
  return kept;
}

std::vector<LoggedSample> parse_samples(std::string_view content) {
  std::vector<LoggedSample> samples;
  for (std::size_t at = 0; at < content.size();) {
    const auto sample = sample_at(content, at);
    if (sample && !sample->torn) {
      samples.push_back({sample->step, std::string(content.substr(sample->text, sample->end - 1 - sample->text))});
    }
    at = sample ? sample->end : next_sample(content, at);
  }
  return samples;
}

std::string cut_samples(std::string_view content, std::optional<std::int64_t> resumed_step) {
  std::string kept;
  for (std::size_t at = 0; at < content.size();) {
    const auto sample = sample_at(content, at);
    const std::size_t end = sample ? sample->end : next_sample(content, at);
    // What is no section was torn by a crash if it is the last thing; before others it is somebody else's and stays.
    const bool drop = sample ? sample->torn || later(sample->step, resumed_step) : end == content.size();
    if (!drop) kept += content.substr(at, end - at);
    at = end;
  }
  return kept;
}

MetricsLog::MetricsLog(const std::filesystem::path& path, std::optional<std::int64_t> resumed_step)
    : file_(open_cut(path, resumed_step, &cut_metrics)) {}

void MetricsLog::append(std::int64_t step, const MetricFields& fields) {
  file_.append(metrics_line(step, fields) + "\n");
}

SamplesLog::SamplesLog(const std::filesystem::path& path, std::optional<std::int64_t> resumed_step)
    : file_(open_cut(path, resumed_step, &cut_samples)) {}

void SamplesLog::append(std::int64_t step, std::string_view text) {
  file_.append(fmt::format("=== step {}, {} bytes ===\n{}\n", step, text.size(), text));
}

}  // namespace minnow
