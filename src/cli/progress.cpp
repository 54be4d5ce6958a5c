#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "cli/human.hpp"
#include "cli/terminal.hpp"

namespace minnow::cli {
namespace {

constexpr std::string_view kEraseLine = "\r\x1b[K";
constexpr int kWideTerminal = 100;     // columns from which there is room for the long bar
constexpr int kNarrowTerminal = 60;    // columns below which there is no bar
constexpr double kMeasureSeconds = 1;  // the rate is measured over at least so long
constexpr double kMemorySeconds = 30;  // and remembers about so much

std::string bar(double part, int columns) {
  const int full = std::clamp(static_cast<int>(std::floor(part * columns)), 0, columns);
  return fmt::format("[{:=<{}}{: <{}}]", "", full, "", columns - full);
}

}  // namespace

ProgressLine::ProgressLine(Setup setup, Sink sink, Clock clock)
    : setup_(std::move(setup)), sink_(std::move(sink)), clock_(std::move(clock)), done_(setup_.first) {
  start_ = clock_();
  last_measured_ = start_;
  counted_ = done_;
}

ProgressLine ProgressLine::on_stderr(std::int64_t total, std::int64_t first, std::string unit, double silent_seconds) {
  Setup setup;
  setup.total = total;
  setup.first = first;
  setup.unit = std::move(unit);
  setup.terminal = is_terminal(STDERR_FILENO);
  setup.width = terminal_width(STDERR_FILENO);
  setup.color = use_color(STDERR_FILENO);
  if (silent_seconds > 0) setup.silent_seconds = setup.terminal ? silent_seconds : setup.line_seconds;
  const auto sink = [](std::string_view text) {
    [[maybe_unused]] const auto count = std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  };
  const auto clock = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  return {std::move(setup), sink, clock};
}

void ProgressLine::measure(double now) {
  now -= aside_seconds_;
  const double elapsed = now - last_measured_;
  if (done_ <= counted_ || (elapsed < kMeasureSeconds && seconds_per_unit_ >= 0)) return;
  // Both sums fade alike, so that the first unit, often slow, weighs no more than the time it took.
  const double kept = std::exp(-elapsed / kMemorySeconds);
  recent_seconds_ = kept * recent_seconds_ + elapsed;
  recent_units_ = kept * recent_units_ + static_cast<double>(done_ - counted_);
  seconds_per_unit_ = recent_seconds_ / recent_units_;
  last_measured_ = now;
  counted_ = done_;
}

double ProgressLine::seconds_left() const {
  if (setup_.total <= 0 || seconds_per_unit_ < 0) return -1;
  return static_cast<double>(std::max<std::int64_t>(0, setup_.total - done_)) * seconds_per_unit_ + aside_left_;
}

std::string ProgressLine::text() const {
  const std::string line = text(true);
  return setup_.terminal && display_width(line) >= setup_.width ? text(false) : line;
}

std::string ProgressLine::text(bool with_rate) const {
  std::string line = setup_.unit;
  if (setup_.total > 0) {
    const double part = std::clamp(static_cast<double>(done_) / static_cast<double>(setup_.total), 0.0, 1.0);
    line += fmt::format(" {}/{}", grouped(done_), grouped(setup_.total));
    if (setup_.terminal && setup_.width >= kNarrowTerminal)
      line += fmt::format(" {}", styled(bar(part, setup_.width < kWideTerminal ? 10 : 20), Style::kBlue, setup_.color));
    line += fmt::format(" {:3.0f}%", std::floor(part * 100));
  } else {
    line += fmt::format(" {}", grouped(done_));
  }
  if (const std::string& tail = aside_.empty() ? tail_ : aside_; !tail.empty()) line += fmt::format("  {}", tail);
  if (with_rate && aside_.empty() && seconds_per_unit_ > 0)
    line += fmt::format("  {} {}s/s", human_count(1 / seconds_per_unit_), setup_.unit);
  if (const double left = seconds_left(); left > 0) line += fmt::format("  {} left", human_duration(left));
  return line;
}

void ProgressLine::erase() {
  if (!line_is_up_) return;
  sink_(kEraseLine);
  line_is_up_ = false;
}

void ProgressLine::draw() {
  if (setup_.terminal) {
    // One column stays free: some terminals wrap as soon as the last one is used.
    sink_(std::string(kEraseLine) + cut_to_width(text(), setup_.width - 1));
    line_is_up_ = true;
  } else {
    sink_(text() + "\n");
  }
  drawn_is_current_ = true;
}

void ProgressLine::update(std::int64_t done, std::string_view tail) {
  done_ = done;
  tail_ = tail;
  drawn_is_current_ = false;
  const double now = clock_();
  if (aside_began_ >= 0) aside_seconds_ += now - aside_began_;
  aside_began_ = -1;
  aside_.clear();
  measure(now);
  draw_if_due(now);
}

void ProgressLine::aside(std::string_view text) {
  const double now = clock_();
  if (aside_began_ < 0) aside_began_ = now;
  aside_ = text;
  drawn_is_current_ = false;
  draw_if_due(now);
}

void ProgressLine::draw_if_due(double now) {
  if (now - start_ < setup_.silent_seconds) return;
  const double pause = setup_.terminal ? setup_.redraw_seconds : setup_.line_seconds;
  if (last_drawn_ >= 0 && now - start_ - last_drawn_ < pause) return;
  last_drawn_ = now - start_;
  draw();
}

void ProgressLine::message(std::string_view text) {
  erase();
  sink_(fmt::format("{}\n", text));
  if (setup_.terminal && last_drawn_ >= 0) draw();
}

void ProgressLine::finish() {
  if (last_drawn_ < 0) return;
  if (!drawn_is_current_) draw();
  if (line_is_up_) sink_("\n");
  line_is_up_ = false;
}

}  // namespace minnow::cli
