#pragma once
/// @file
/// Draws a progress line with rate and time left; without a terminal it prints plain lines now and then.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace minnow::cli {

/// One line that is redrawn in place. It knows nothing of what is counted; the caller gives the words.
class ProgressLine {
 public:
  struct Setup {
    std::int64_t total = 0;  ///< 0 = unknown: no bar and no time left
    std::int64_t first = 0;  ///< count at the start, for example the step that a run resumes from
    std::string unit = "step";
    bool terminal = false;  ///< redraw one line; otherwise print whole lines
    int width = 80;         ///< columns
    bool color = false;
    double redraw_seconds = 0.1;  ///< at most so often on a terminal
    double line_seconds = 10;     ///< at most so often without one
    double silent_seconds = 0;    ///< nothing is drawn before
  };
  /// Takes the bytes to show.
  using Sink = std::function<void(std::string_view)>;
  /// Seconds on a clock that never goes back.
  using Clock = std::function<double()>;

  ProgressLine(Setup setup, Sink sink, Clock clock);

  /// A progress line on stderr, with what stderr is able to show.
  /// @param silent_seconds nothing is drawn before; without a terminal for as long as it takes between two lines
  static ProgressLine on_stderr(std::int64_t total, std::int64_t first, std::string unit, double silent_seconds = 0);

  /// Tells the count that is reached now and draws if it is time to.
  /// @param tail further figures, for instance "loss 1.93  21.3k tok/s".
  void update(std::int64_t done, std::string_view tail);

  /// Shows other work than what is counted, for instance "evaluating 12/40 windows", in the place of the figures, until
  /// the next update(). Its time says nothing about the rate.
  void aside(std::string_view text);

  /// Tells how long work beside the count will still take in all; the time left includes it. @param seconds 0 = unknown
  void expect_aside(double seconds) { aside_left_ = seconds; }

  /// Prints a line above the progress line.
  void message(std::string_view text);

  /// Draws the last state and leaves it standing.
  void finish();

  /// @return seconds that the rest will take at the recent rate, work beside the count included; negative if unknown.
  [[nodiscard]] double seconds_left() const;

 private:
  void measure(double now);
  void draw_if_due(double now);
  void draw();
  void erase();
  /// @return the whole line; without the rate where the terminal is too narrow, so that the time left is seen.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string text(bool with_rate) const;

  Setup setup_;
  Sink sink_;
  Clock clock_;
  std::int64_t done_ = 0;
  std::string tail_, aside_;
  double start_ = 0;                              // seconds
  double last_drawn_ = -1;                        // seconds; negative = never
  double last_measured_ = 0;                      // seconds
  std::int64_t counted_ = 0;                      // done_ at last_measured_
  double recent_seconds_ = 0, recent_units_ = 0;  // sums in which the past fades
  double seconds_per_unit_ = -1;                  // negative = unknown
  double aside_began_ = -1;                       // seconds; negative = no aside
  double aside_seconds_ = 0, aside_left_ = 0;
  bool line_is_up_ = false;
  bool drawn_is_current_ = false;
};

}  // namespace minnow::cli
