#pragma once
/// @file
/// The options that all verbs that draw curves in the terminal share.

#include <string>

#include "cli/options.hpp"
#include "minnow/report/curve_plot.hpp"

namespace minnow::cli {

/// `--metric`, `--x`, `--log`, `--ascii`.
struct CurveOptions {
  std::string metric = "loss";
  std::string axis = "step";
  bool log_scale = false;
  bool ascii = false;

  /// Declares them. The object must live until the action has run.
  void declare(Options& options);
  [[nodiscard]] CurveAxis curve_axis() const;
  /// @return what they and the terminal behind stdout ask for; size left at its defaults.
  [[nodiscard]] PlotOptions plot_options() const;
};

/// Throws: DataError when the run has logged no finite value of the metric, naming those that it has.
void require_metric(const RunMetrics& run, const std::string& path, const std::string& metric);

/// @return whether the terminal shows UTF-8, by the variables that the C library reads, without setting a locale.
[[nodiscard]] bool shows_utf8();

}  // namespace minnow::cli
