#include "data/repeat_finder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "minnow/base/fast_hash.hpp"
#include "minnow/data/check.hpp"

namespace minnow {
namespace {

constexpr std::size_t kMostRemembered = std::size_t{1} << 21U;  // 32 MiB of table at half full, twice while it grows
constexpr std::size_t kLongestLine = 1U << 16;
constexpr std::size_t kRepeatPlaces = 5;

std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0) {
  return fast_hash(std::as_bytes(std::span(text)), seed);
}

std::string_view without_ends(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t") - begin + 1);
}

}  // namespace

RepeatFinder::RepeatFinder()
    : documents_{HashSample<Nothing>(kMostRemembered), {}}, long_lines_{HashSample<Nothing>(kMostRemembered), {}} {}

RepeatFinder::Repeats RepeatFinder::result(const Seen& seen) {
  Repeats repeats = seen.repeats;
  repeats.estimated = seen.sample.rate() > 1;
  return repeats;
}

bool RepeatFinder::judge(Seen& seen, std::uint64_t hash, std::int64_t bytes, const Place& place) {
  if (hash == 0) hash = std::uint64_t{1} << 63U;
  if (!seen.sample.is_sampled(hash)) return false;
  if (seen.sample.find(hash) == nullptr) {
    seen.sample.add(hash, {});
    return false;
  }
  seen.repeats.count += seen.sample.rate();
  seen.repeats.bytes += bytes * seen.sample.rate();
  if (seen.repeats.places.size() < kRepeatPlaces) seen.repeats.places.push_back(place());
  return true;
}

void RepeatFinder::begin_file() {
  line_.clear();
  line_in_file_ = 0;
}

void RepeatFinder::end_line() {
  ++lines_;
  ++line_in_file_;
  const std::string_view line = without_ends(line_);
  if (!line_too_long_ && line.size() >= kLongLineBytes) {
    (void)judge(long_lines_, hash_of(line), static_cast<std::int64_t>(line.size()), [&] {
      return file_place_.empty() ? document_place_ : fmt::format("{}:{}", file_place_, line_in_file_);
    });
  }
  line_.clear();
  line_too_long_ = false;
}

void RepeatFinder::end_document() {
  if (!line_.empty() || line_too_long_) end_line();
  last_was_repeated_ =
      document_bytes_ > 0 && judge(documents_, document_hash_, document_bytes_, [&] { return document_place_; });
  document_hash_ = 0;
  document_bytes_ = 0;
}

void RepeatFinder::add(std::string_view text, const TextPiece& piece, const Place& place) {
  if (piece.begins) {
    end_document();
    document_place_ = place();
    // Lines of a plain file have numbers, those inside a .jsonl text have not.
    file_place_ = piece.line > 0 ? "" : document_place_.substr(0, document_place_.rfind(", from byte "));
  }
  document_hash_ = hash_of(text, document_hash_);
  document_bytes_ += static_cast<std::int64_t>(text.size());
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    line_too_long_ = line_too_long_ || line_.size() + part.size() > kLongestLine;
    if (!line_too_long_) line_ += part;
    if (end == text.size()) break;
    end_line();
    begin = end + 1;
  }
}

void RepeatFinder::add_line_document(std::string_view text, bool begins, const Place& place) {
  if (begins) {
    end_document();
    ++lines_;
    document_place_ = place();
  }
  document_hash_ = hash_of(text, document_hash_);
  document_bytes_ += static_cast<std::int64_t>(text.size());
}

}  // namespace minnow
