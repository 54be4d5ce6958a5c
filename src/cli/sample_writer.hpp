#pragma once
/// @file
/// Shows samples that are written side by side one after the other, the first unfinished one live.

#include <string>
#include <string_view>
#include <vector>

#include "minnow/base/parallel.hpp"

namespace minnow::cli {

/// Prints to stdout: each sample with the prompt in front and a line feed behind, a line `---` between samples unless
/// each is a line.
class SampleWriter {
 public:
  /// @param prompt text to show in front of every sample
  /// @param one_per_line the samples are single lines: nothing stands between them
  SampleWriter(Index count, const std::string& prompt, bool one_per_line);

  void add(Index sample, std::string_view piece);
  void end(Index sample);

 private:
  struct State {
    std::string waiting;  // text not printed yet
    bool ended = false;
  };
  void start();
  void print(std::string_view text);

  std::vector<State> samples_;
  std::string prompt_;
  bool one_per_line_;
  std::size_t live_ = 0;
  char last_ = '\n';  // printed
};

}  // namespace minnow::cli
