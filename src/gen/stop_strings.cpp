#include "minnow/gen/stop_strings.hpp"

#include <algorithm>

#include "minnow/base/error.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow {
namespace {

/// @return length of the longest end of `text` that begins `stop` without completing it.
std::size_t open_suffix(std::string_view text, std::string_view stop) {
  for (std::size_t length = std::min(text.size(), stop.size() - 1); length > 0; --length) {
    if (text.substr(text.size() - length) == stop.substr(0, length)) return length;
  }
  return 0;
}

}  // namespace

StopStrings::StopStrings(std::vector<std::string> stops) : stops_(std::move(stops)) {
  for (const std::string& stop : stops_) {
    if (stop.empty()) throw ConfigError("[sample] a stop string must have at least one character; got an empty one");
    if (count_invalid_utf8(stop) > 0) throw ConfigError("[sample] a stop string must be valid UTF-8; got other bytes");
  }
}

std::string StopStrings::push(std::string_view piece) {
  if (stopped_) return {};
  pending_ += piece;
  std::size_t first_end = std::string::npos;
  std::size_t cut = std::string::npos;
  for (const std::string& stop : stops_) {
    const std::size_t begin = pending_.find(stop);
    if (begin == std::string::npos) continue;
    const std::size_t end = begin + stop.size();
    if (end < first_end || (end == first_end && begin < cut)) {
      first_end = end;
      cut = begin;
    }
  }
  if (cut != std::string::npos) {
    stopped_ = true;
    std::string text = pending_.substr(0, cut);
    pending_.clear();
    return text;
  }
  std::size_t held = 0;
  for (const std::string& stop : stops_) held = std::max(held, open_suffix(pending_, stop));
  std::string text = pending_.substr(0, pending_.size() - held);
  pending_.erase(0, text.size());
  return text;
}

std::string StopStrings::finish() {
  std::string text = std::move(pending_);
  pending_.clear();
  return text;
}

}  // namespace minnow
