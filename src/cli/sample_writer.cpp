#include "cli/sample_writer.hpp"

#include "cli/terminal.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow::cli {

SampleWriter::SampleWriter(Index count, const std::string& prompt, bool one_per_line)
    : samples_(static_cast<std::size_t>(count)), prompt_(replace_invalid_utf8(prompt)), one_per_line_(one_per_line) {
  start();
}

void SampleWriter::add(Index sample, std::string_view piece) {
  State& state = samples_[static_cast<std::size_t>(sample)];
  if (static_cast<std::size_t>(sample) != live_) {
    state.waiting += piece;
    return;
  }
  print(piece);
  flush_results();
}

void SampleWriter::end(Index sample) {
  samples_[static_cast<std::size_t>(sample)].ended = true;
  while (live_ < samples_.size() && samples_[live_].ended) {
    if (last_ != '\n') print("\n");
    if (++live_ == samples_.size()) break;
    if (!one_per_line_) print("---\n");
    start();
    print(samples_[live_].waiting);
    samples_[live_].waiting.clear();
  }
  flush_results();
}

/// The prompt of the sample that is live now. A sample that is empty so far still gets its line.
void SampleWriter::start() {
  last_ = ' ';
  print(prompt_);
}

void SampleWriter::print(std::string_view text) {
  if (text.empty()) return;
  print_result(text);
  last_ = text.back();
}

}  // namespace minnow::cli
