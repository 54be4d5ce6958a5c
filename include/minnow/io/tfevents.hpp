#pragma once
/// @file
/// Writes event files for TensorBoard: records of protocol buffers, encoded by hand.
///
/// Record: u64 length (little-endian), u32 masked CRC-32C of these 8 bytes, data, u32 masked CRC-32C of the data. The
/// first record of a file names its version. Source: tensorboard/summary/writer/record_writer.py, event.proto,
/// summary.proto.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "minnow/io/run_log.hpp"

namespace minnow {

/// Tags and values of one moment.
using EventScalars = std::vector<std::pair<std::string, double>>;

/// @return the first record of every file. @param wall_time seconds since 1970
[[nodiscard]] std::string events_header(double wall_time);
/// @return the record that holds scalars of a step. Values are stored as f32.
[[nodiscard]] std::string scalars_event(double wall_time, std::int64_t step, const EventScalars& scalars);
/// @return the record that shows a text (Markdown, UTF-8; wrong bytes become U+FFFD) in TensorBoard's tab of texts.
[[nodiscard]] std::string text_event(double wall_time, std::int64_t step, std::string_view tag, std::string_view text);

/// @return the tag of a metric: "train/loss" of loss, "val/loss" of val_loss, "speed/tokens_per_s" of tokens_per_s.
[[nodiscard]] std::string event_tag(std::string_view metric);

/// @return the records up to a step; what follows a torn or damaged record is dropped.
[[nodiscard]] std::string cut_events(std::string_view content, std::int64_t last_step);

/// @return the name of a new event file: events.out.tfevents.<seconds>.<host>.<process>.0.minnow
[[nodiscard]] std::string new_events_name(double wall_time);

/// The event file of a run while it trains.
class EventsLog {
 public:
  /// Cuts the event files that minnow wrote in the directory at `resumed_step` and goes on with the newest; without
  /// one (or when nothing of them is left) begins a new file. Files of other programs are not touched. @throws IoError
  EventsLog(const std::filesystem::path& run_dir, std::int64_t resumed_step);
  /// Appends the numbers among `fields`, at the present time. @throws IoError
  void append(std::int64_t step, const MetricFields& fields);
  void sync() { file_->sync(); }

 private:
  std::optional<AppendFile> file_;
};

}  // namespace minnow
