#include "data/jsonl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json_fault.hpp"
#include "data/text_bytes.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kReadBytes = 1U << 20;

/// Follows a line without building it: only the wanted text is kept.
class FieldFinder final : public nlohmann::json_sax<Json> {
 public:
  FieldFinder(std::string_view field, const std::string& where) : field_(field), where_(where) {}

  [[noreturn]] void fail(const std::string& what) const { throw DataError(fmt::format("[data] {}: {}", where_, what)); }

  std::string take() {
    if (!text_) {
      std::string names;
      for (const std::string& name : members_) names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", name);
      fail(
          fmt::format("each line must have a member \"{}\"; got an object {}. Hint: data.text_field (or --text-field) "
                      "names the member that holds the text.",
                      field_, names.empty() ? "without members" : "with " + names));
    }
    return std::move(*text_);
  }

  bool null() override { return other("null"); }
  bool boolean(bool) override { return other("true or false"); }
  bool number_integer(number_integer_t) override { return other("a number"); }
  bool number_unsigned(number_unsigned_t) override { return other("a number"); }
  bool number_float(number_float_t, const string_t&) override { return other("a number"); }
  bool binary(binary_t&) override { return other("bytes"); }
  bool string(string_t& value) override {
    if (depth_ == 0) fail_root("a text");
    if (wanted_) text_ = std::move(value);
    wanted_ = false;
    return true;
  }
  bool start_object(std::size_t) override {
    if (depth_ > 0) other("an object");
    return deeper();
  }
  bool start_array(std::size_t) override {
    if (depth_ == 0) fail_root("a list");
    other("a list");
    return deeper();
  }
  bool end_object() override { return --depth_, true; }
  bool end_array() override { return --depth_, true; }
  bool key(string_t& name) override {
    if (depth_ != 1) return true;
    wanted_ = name == field_;
    if (wanted_ && text_) fail(fmt::format("a member must be there once; got \"{}\" twice.", field_));
    constexpr std::size_t kShown = 8;
    if (members_.size() < kShown) members_.push_back(shown(name));
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    // The library's own place ("at line 1, column 7") counts lines of what it was given.
    fail(fmt::format("each line must be JSON; got at byte {}: {}.", position, shown(json_reason(error.what()))));
  }

 private:
  static std::string shown(std::string_view text) {
    constexpr std::size_t kMost = 160;
    return replace_invalid_utf8(text.substr(0, kMost));
  }
  [[noreturn]] void fail_root(std::string_view got) const {
    fail(fmt::format("each line must be a JSON object; got {}. Hint: lines like {{\"{}\": \"...\"}}", got, field_));
  }
  bool other(std::string_view got) {
    if (depth_ == 0) fail_root(got);
    if (wanted_) fail(fmt::format("the member \"{}\" must be a text; got {}.", field_, got));
    return true;
  }
  bool deeper() {
    if (++depth_ > kMaxJsonDepth) fail(fmt::format("JSON must be nested at most {} deep; got more.", kMaxJsonDepth));
    return true;
  }

  std::string_view field_;
  const std::string& where_;
  std::optional<std::string> text_;
  std::vector<std::string> members_;
  int depth_ = 0;
  bool wanted_ = false;
};

bool is_blank_line(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

}  // namespace

std::string text_of_json_line(std::string_view line, std::string_view field, const std::string& where) {
  FieldFinder finder(field, where);
  if (!Json::sax_parse(line, &finder)) finder.fail("each line must be JSON.");
  return finder.take();
}

JsonlReader::JsonlReader(std::unique_ptr<ByteStream> stream, std::string name, std::string field)
    : stream_(std::move(stream)), name_(std::move(name)), field_(std::move(field)) {}

bool JsonlReader::next_line(std::string_view& line) {
  std::size_t sought = position_;  // no line feed before
  for (;;) {
    const std::size_t end = buffer_.find('\n', sought);
    if (end != std::string::npos || (ended_ && position_ < buffer_.size())) {
      const std::size_t stop = std::min(end, buffer_.size());
      line = std::string_view(buffer_).substr(position_, stop - position_);
      position_ = std::min(stop + 1, buffer_.size());
      ++line_;
      return true;
    }
    if (ended_) return false;
    buffer_.erase(0, position_);
    position_ = 0;
    sought = buffer_.size();
    if (sought > kMaxJsonLine) {
      throw DataError(
          fmt::format("[data] {}:{}: a line must have at most {} bytes; it has more. Hint: .jsonl holds one "
                      "object a line.",
                      name_, line_ + 1, grouped(static_cast<std::int64_t>(kMaxJsonLine))));
    }
    buffer_.resize(sought + kReadBytes);
    const std::size_t got = stream_->read(std::span(buffer_).subspan(sought));
    buffer_.resize(sought + got);
    ended_ = got == 0;
  }
}

bool JsonlReader::next(std::string& text) {
  std::string_view line;
  while (next_line(line)) {
    if (line_ == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    if (is_blank_line(line)) continue;
    text = text_of_json_line(line, field_, fmt::format("{}:{}", name_, line_));
    return true;
  }
  return false;
}

}  // namespace minnow
