#include "cli/narrator.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/human.hpp"
#include "cli/log.hpp"
#include "cli/terminal.hpp"
#include "minnow/base/parallel.hpp"

namespace minnow::cli {
namespace {

void info(const std::string& text) { log_line(LogLevel::kInfo, text); }

std::string score_text(const TrainProgress& now) {
  const LmScore& score = *now.score;
  std::string text = fmt::format("step {:>6}  loss {:.4f}  val loss {:.4f}  perplexity {:.2f}", now.step, now.loss,
                                 score.loss, score.perplexity);
  if (score.bits_per_byte > 0) text += fmt::format("  bits/byte {:.4f}", score.bits_per_byte);
  if (!score.whole) text += fmt::format("  ({} windows)", grouped(score.windows));
  if (!now.final_score) return text;
  const LmScore& last = *now.final_score;
  text += fmt::format("\nwhole validation split: val loss {:.4f}  perplexity {:.2f}", last.loss, last.perplexity);
  if (last.bits_per_byte > 0) text += fmt::format("  bits/byte {:.4f}", last.bits_per_byte);
  return text;
}

}  // namespace

Narrator::Narrator() : color_(use_color(STDERR_FILENO)) {}

Narrator::~Narrator() { finish(); }

void Narrator::on_start(const TrainStart& start) {
  evaluations_ = EvaluationClock(start);
  info(fmt::format("{} {}", styled("run", Style::kBold, color_), printable(start.run_dir.string())));
  info(fmt::format("{} parameters, {} thread{}", grouped(start.parameters), threads(), threads() == 1 ? "" : "s"));
  for (const std::string& line : start.data) info(printable(line));
  if (start.first_step > 0) info(fmt::format("going on after step {}", start.first_step));
  if (!log_shows(LogLevel::kInfo)) return;
  line_ = std::make_unique<ProgressLine>(ProgressLine::on_stderr(start.max_steps, start.first_step, "step"));
  set_log_writer([this](std::string_view text) { line_->message(text); });
}

void Narrator::say_figures(const TrainProgress& now) const {
  const LogLevel level = now.logged ? LogLevel::kDebug : LogLevel::kTrace;
  if (!log_shows(level)) return;
  log_line(level, fmt::format("step {}  loss {:.6f}  lr {:.4g}  gradient norm {:.4g}  {} tokens  {} tok/s", now.step,
                              now.loss, now.lr, now.grad_norm, grouped(now.tokens), human_count(now.tokens_per_s)));
}

void Narrator::on_step(const TrainProgress& now) {
  if (now.logged) rate_ = now.tokens_per_s;
  if (line_) {
    std::string tail = fmt::format("loss {:.4f}", now.loss);
    if (rate_ > 0) tail += fmt::format("  {} tok/s", human_count(rate_));
    line_->expect_aside(evaluations_.after(now.step));
    line_->update(now.step, tail);
  }
  say_figures(now);
  if (now.score) info(score_text(now));
  if (sample_.empty()) return;
  info(styled(fmt::format("sample at step {}:", now.step), Style::kDim, color_));
  info(sample_);
  sample_.clear();
}

void Narrator::on_evaluation(const EvalProgress& now) {
  const double left = evaluations_.during(now, seconds());
  if (line_) {
    line_->expect_aside(left);
    line_->aside(fmt::format("evaluating {}/{} windows", grouped(now.done), grouped(now.total)));
  }
  if (now.done == now.total) {
    log_line(LogLevel::kDebug, fmt::format("step {}: {} validation windows evaluated in {}", now.step,
                                           grouped(now.total), human_duration(evaluations_.seconds())));
  }
}

void Narrator::on_sample(std::int64_t, const std::string& text) { sample_ = printable(text); }

void Narrator::on_checkpoint(std::int64_t step, const std::filesystem::path& directory, bool best) {
  log_line(LogLevel::kDebug, fmt::format("step {}: checkpoint saved in {}{}", step, printable(directory.string()),
                                         best ? ", the best so far" : ""));
}

void Narrator::on_note(const std::string& text) { info(printable(text)); }

void Narrator::on_detail(const std::string& text) { log_line(LogLevel::kDebug, printable(text)); }

void Narrator::on_warning(const std::string& text) { print_warning(text); }

void Narrator::finish() {
  if (!line_) return;
  set_log_writer({});
  line_->finish();
  line_.reset();
}

}  // namespace minnow::cli
