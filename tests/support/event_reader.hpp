#pragma once
/// @file
/// Reads TensorBoard event files, written apart from the writer: bit by bit where that one uses tables.

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace minnow::test {

/// One record.
struct Event {
  double wall_time = 0;
  std::int64_t step = 0;
  std::string file_version;
  std::map<std::string, float> scalars;
  std::map<std::string, std::string> texts;
};

/// @return all events of a file. Throws: std::runtime_error for anything that a reader of the format refuses.
std::vector<Event> read_events(std::string_view bytes);

}  // namespace minnow::test
