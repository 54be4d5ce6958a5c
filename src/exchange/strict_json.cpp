#include "exchange/strict_json.hpp"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "base/json_fault.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"

namespace minnow::exchange {
namespace {

using Json = nlohmann::json;
constexpr int kMaxJsonDepth = 64;

[[noreturn]] void refuse_json(std::string_view who, const std::string& rule) {
  throw CheckpointError(fmt::format("[model folder] {} {}", who, rule));
}

}  // namespace

nlohmann::json parse_object(std::string_view text, std::string_view who, std::size_t most_bytes) {
  if (text.size() > most_bytes) {
    refuse_json(who, fmt::format("must have at most {} bytes; got {}", grouped(static_cast<std::int64_t>(most_bytes)),
                                 grouped(static_cast<std::int64_t>(text.size()))));
  }
  std::vector<std::set<std::string>> keys;  // of the objects that are open, the innermost last
  const auto watch = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth > kMaxJsonDepth) refuse_json(who, fmt::format("must be nested at most {} deep", kMaxJsonDepth));
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second) {
      refuse_json(who, fmt::format("must have every key once; {} stands twice in one object", value.dump()));
    }
    return true;
  };
  Json parsed;
  try {
    parsed = Json::parse(text, watch);
  } catch (const Json::parse_error& error) {
    refuse_json(json_place(who, text, error.byte),
                fmt::format("must be JSON in UTF-8; {}", text.empty() ? "it is empty" : json_reason(error.what())));
  } catch (const Json::exception& error) {
    refuse_json(who, fmt::format("must be JSON in UTF-8; {}", json_reason(error.what())));
  }
  if (!parsed.is_object()) refuse_json(who, fmt::format("must hold a JSON object; got {}", parsed.type_name()));
  return parsed;
}

}  // namespace minnow::exchange
