#include "cli/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <mutex>

#include "cli/terminal.hpp"

namespace minnow::cli {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"trace", "debug", "info", "warning", "error"};

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::kTrace:
      return spdlog::level::trace;
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

/// The flag `%*`: "minnow: warning: " and "minnow: error: "; nothing before lower levels.
class LevelPrefix final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& into) override {
    if (message.level < spdlog::level::warn) return;
    const bool error = message.level >= spdlog::level::err;
    const std::string text =
        "minnow: " +
        styled(error ? "error:" : "warning:", error ? Style::kRed : Style::kYellow, use_color(STDERR_FILENO)) + " ";
    into.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<LevelPrefix>(); }
};

std::unique_ptr<spdlog::formatter> make_formatter(bool detailed) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::local, std::string());
  formatter->add_flag<LevelPrefix>('*').set_pattern(detailed ? "%H:%M:%S.%e %-7l %v" : "%*%v");
  return formatter;
}

/// Hands whole lines to whoever owns stderr now.
class LineSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  void set_writer(std::function<void(std::string_view)> writer) {
    const std::lock_guard lock(mutex_);
    writer_ = std::move(writer);
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    const std::string_view text(line.data(), line.size());
    writer_ ? writer_(text) : print_line(text);
  }
  void flush_() override { std::fflush(stderr); }

  std::function<void(std::string_view)> writer_;
};

struct Log {
  Log() {
    logger.set_formatter(make_formatter(false));
    logger.set_level(spdlog::level::info);
  }
  std::shared_ptr<LineSink> sink = std::make_shared<LineSink>();
  spdlog::logger logger{"minnow", sink};  // in no registry: nobody else looks for it
};

Log& the_log() {
  static Log log;
  return log;
}

}  // namespace

void set_log_level(LogLevel level) {
  the_log().logger.set_formatter(make_formatter(level <= LogLevel::kDebug));
  the_log().logger.set_level(spdlog_level(level));
}

bool log_shows(LogLevel level) { return the_log().logger.should_log(spdlog_level(level)); }

void log_line(LogLevel level, std::string_view text) {
  the_log().logger.log(spdlog_level(level), spdlog::string_view_t(text.data(), text.size()));
}

void set_log_writer(std::function<void(std::string_view)> writer) { the_log().sink->set_writer(std::move(writer)); }

void log_level_option(Options& options, std::string& target) {
  options.choice("--log-level", target, {kNames.begin(), kNames.end()},
                 "What is said on stderr: this level and those after it");
}

void use_log_level(const std::string& chosen, bool quiet) {
  const auto found = std::find(kNames.begin(), kNames.end(), chosen);
  const auto level = found == kNames.end() ? LogLevel::kInfo : static_cast<LogLevel>(found - kNames.begin());
  set_log_level(quiet ? std::max(level, LogLevel::kWarning) : level);
}

}  // namespace minnow::cli
