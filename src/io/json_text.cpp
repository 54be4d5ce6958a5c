#include "io/json_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace minnow::detail {

using Json = nlohmann::json;

std::optional<std::string> json_quote(std::string_view text) {
  try {
    return Json(text).dump();
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::optional<std::string> json_unquote(std::string_view quoted) {
  const Json value = Json::parse(quoted.begin(), quoted.end(), nullptr, false);
  if (!value.is_string()) return std::nullopt;
  return value.get<std::string>();
}

std::string json_quote_lossy(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  return Json(value).dump();
}

std::string shown(std::string_view name) {
  constexpr std::size_t kLongest = 80;
  std::string text = "'";
  for (const char letter : name.substr(0, kLongest)) text += letter >= ' ' && letter <= '~' ? letter : '?';
  return text + (name.size() > kLongest ? "...'" : "'");
}

std::optional<long long> json_step(std::string_view line) {
  const Json value = Json::parse(line.begin(), line.end(), nullptr, false);
  if (!value.is_object()) return std::nullopt;
  const auto step = value.find("step");
  if (step == value.end() || !step->is_number_integer()) return std::nullopt;
  return step->get<long long>();
}

}  // namespace minnow::detail
