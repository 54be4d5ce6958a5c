#include "exchange/config_reader.hpp"

#include <fmt/format.h>

#include "minnow/base/error.hpp"

namespace minnow::exchange {

using Json = nlohmann::json;

void ConfigReader::refuse(const std::string& rule) const {
  throw CheckpointError(fmt::format("[model folder] {}: {}", who_, rule));
}

std::string ConfigReader::shown(const Json& value) {
  constexpr std::size_t kMost = 60;
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

const Json* ConfigReader::find(std::initializer_list<const char*> keys) const {
  for (const char* key : keys) {
    const auto found = json_.find(key);
    if (found != json_.end() && !found->is_null()) return &*found;
  }
  return nullptr;
}

std::int64_t ConfigReader::whole(std::initializer_list<const char*> keys, std::int64_t most) const {
  const std::int64_t value = whole(keys, most, -1);
  if (value < 0) refuse(fmt::format("{} must be given; it is missing", *keys.begin()));
  return value;
}

std::int64_t ConfigReader::whole(std::initializer_list<const char*> keys, std::int64_t most,
                                 std::int64_t otherwise) const {
  const Json* value = nullptr;
  for (const char* key : keys) {
    const Json* one = find({key});
    if (one == nullptr) continue;
    if (value != nullptr && *one != *value) {
      refuse(fmt::format("{} and {} must say the same; got {} and {}", *keys.begin(), key, shown(*value), shown(*one)));
    }
    value = one;
  }
  if (value == nullptr) return otherwise;
  const bool fits = value->is_number_integer() && !(value->is_number_unsigned() && *value > std::uint64_t{INT64_MAX});
  const std::int64_t got = fits ? value->get<std::int64_t>() : -1;
  if (got < 1 || got > most) {
    refuse(fmt::format("{} must be a whole number from 1 to {}; got {}", *keys.begin(), most, shown(*value)));
  }
  return got;
}

double ConfigReader::number(const char* key, double otherwise, double least, double most) const {
  const Json* value = find({key});
  if (value == nullptr) return otherwise;
  const double got = value->is_number() ? value->get<double>() : least - 1;
  if (!(got >= least && got <= most)) {
    refuse(fmt::format("{} must be a number from {} to {}; got {}", key, least, most, shown(*value)));
  }
  return got;
}

bool ConfigReader::flag(const char* key, bool otherwise) const {
  const Json* value = find({key});
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) refuse(fmt::format("{} must be true or false; got {}", key, shown(*value)));
  return value->get<bool>();
}

std::string ConfigReader::word(const char* key, const std::string& otherwise) const {
  const Json* value = find({key});
  if (value == nullptr) return otherwise;
  if (!value->is_string()) refuse(fmt::format("{} must be a text; got {}", key, shown(*value)));
  return value->get<std::string>();
}

void ConfigReader::require(const char* key, const Json& wanted, std::string_view why) const {
  const Json* value = find({key});
  if (value == nullptr || *value == wanted) return;
  refuse(fmt::format("{} must be {}: {}; got {}", key, shown(wanted), why, shown(*value)));
}

}  // namespace minnow::exchange
