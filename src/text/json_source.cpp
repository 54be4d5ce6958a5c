#include "text/json_source.hpp"

#include <fmt/format.h>

#include "base/json_fault.hpp"
#include "minnow/base/error.hpp"
#include "minnow/text/unread_tokenizer.hpp"

namespace minnow {
namespace {

// The largest vocabularies in use (a quarter of a million tokens) take about 30 MB.
constexpr std::size_t kMaxBytes = 64U << 20;
// tokenizer.json needs eight levels; deeper input is hostile.
constexpr int kMaxDepth = 64;

}  // namespace

void JsonSource::fail(const std::string& what) const {
  throw DataError(fmt::format("[tokenizer] {}: {}", name_, what));
}

void JsonSource::unread(const std::string& what) const {
  throw UnreadTokenizer(fmt::format("[tokenizer] {}: {}", name_, what));
}

JsonSource::Json JsonSource::parse(std::string_view text) const {
  if (text.size() > kMaxBytes) unread(fmt::format("must be at most {} bytes; got {}.", kMaxBytes, text.size()));
  const auto watch = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kMaxDepth) fail(fmt::format("must be nested at most {} deep; got more.", kMaxDepth));
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::parse_error& error) {
    throw DataError(fmt::format("[tokenizer] {}: must be JSON; {}. Hint: the file is damaged; fetch or write it again.",
                                json_place(name_, text, error.byte),
                                text.empty() ? "it is empty" : json_reason(error.what())));
  } catch (const Json::exception& error) {
    fail(fmt::format("must be JSON; {}.", json_reason(error.what())));
  }
}

std::optional<std::string> JsonSource::text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

bool JsonSource::flag_of(const Json& object, const char* key, bool absent) const {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return absent;
  if (!found->is_boolean()) fail(fmt::format("must have true or false for {}; got {}.", key, shown(*found)));
  return found->get<bool>();
}

std::string JsonSource::shown(const Json& value) {
  constexpr std::size_t kShown = 60;
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > kShown) text = text.substr(0, kShown) + "...";
  return text;
}

}  // namespace minnow
