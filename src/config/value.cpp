/// @file
/// Converts and checks single values, and says in words what a key takes.

#include <fmt/format.h>

#include <cmath>

#include "config/assignment.hpp"
#include "config/key_row.hpp"
#include "minnow/config/nearest.hpp"

namespace minnow {
namespace config_detail {
namespace {

std::string bound_text(const Key& key, double bound) {
  return key.kind == ValueKind::kInteger ? fmt::format("{:.0f}", bound) : fmt::format("{}", bound);
}

std::string interval_text(const Key& key) {
  const bool has_low = key.low > -kMaxNumber;
  const bool has_high = key.high < (key.kind == ValueKind::kInteger ? kMaxSeed : kMaxNumber);
  if (!has_low && !has_high) return "";
  const std::string low = bound_text(key, key.low);
  const std::string high = bound_text(key, key.high);
  if (!has_high) return fmt::format(" {} {}", key.low_open ? "above" : "of at least", low);
  if (key.low_open && key.high_open) return fmt::format(" between {} and {}, both excluded", low, high);
  if (key.low_open) return fmt::format(" above {}, up to {}", low, high);
  return fmt::format(" from {} to {}{}", low, high, key.high_open ? " (excluded)" : "");
}

bool in_range(const Key& key, double value) {
  if (!std::isfinite(value)) return false;
  const bool above = key.low_open ? value > key.low : value >= key.low;
  const bool below = key.high_open ? value < key.high : value <= key.high;
  return above && below;
}

std::string refusal(const Key& key, const std::string& shown) {
  return fmt::format("{} must be {}; got {}", key.name, expected_text(key), shown);
}

std::string convert_number(const Key& key, const WrittenValue& written, const std::string& shown, ConfigValue& result) {
  if (const auto* integer = std::get_if<int64_t>(&written)) {
    if (key.kind == ValueKind::kInteger) {
      result = *integer;
    } else {
      result = static_cast<double>(*integer);
    }
    return check_range(key, result, shown);
  }
  const auto* number = std::get_if<double>(&written);
  if (number == nullptr) return refusal(key, shown);
  if (key.kind == ValueKind::kNumber) {
    result = *number;
    return check_range(key, result, shown);
  }
  constexpr double kExact = 9e15;  // whole numbers up to here are exact in a double
  const bool whole = std::isfinite(*number) && std::trunc(*number) == *number && std::abs(*number) < kExact;
  return refusal(key, shown) + (whole ? fmt::format(". Hint: write {:.0f}", *number) : "");
}

std::string convert_choice(const Key& key, const WrittenValue& written, const std::string& shown, ConfigValue& result) {
  const auto* text = std::get_if<std::string>(&written);
  if (text == nullptr) return refusal(key, shown);
  for (std::size_t index = 0; index < key.choices.size(); ++index) {
    if (key.choices[index] != *text) continue;
    result = static_cast<int64_t>(index);
    return "";
  }
  const auto near = nearest_name(*text, key.choices);
  return refusal(key, shown) + (near.empty() ? "" : fmt::format(". Hint: did you mean \"{}\"?", near));
}

}  // namespace

std::string check_range(const Key& key, const ConfigValue& value, const std::string& shown) {
  if (const auto* integer = std::get_if<int64_t>(&value); integer != nullptr && key.kind == ValueKind::kInteger) {
    return in_range(key, static_cast<double>(*integer)) ? "" : refusal(key, shown);
  }
  if (const auto* number = std::get_if<double>(&value)) return in_range(key, *number) ? "" : refusal(key, shown);
  if (const auto* text = std::get_if<std::string>(&value); text != nullptr && key.kind == ValueKind::kPath) {
    if (text->find('\0') != std::string::npos) return refusal(key, shown);
  }
  return "";
}

std::string convert_value(const Key& key, const WrittenValue& written, const std::string& shown, ConfigValue& result) {
  switch (key.kind) {
    case ValueKind::kBool:
      if (!std::holds_alternative<bool>(written)) return refusal(key, shown);
      result = std::get<bool>(written);
      return "";
    case ValueKind::kText:
    case ValueKind::kPath:
      if (!std::holds_alternative<std::string>(written)) return refusal(key, shown);
      result = std::get<std::string>(written);
      return check_range(key, result, shown);
    case ValueKind::kChoice:
      return convert_choice(key, written, shown, result);
    default:
      return convert_number(key, written, shown, result);
  }
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
          out += fmt::format("\\u{:04X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace config_detail

std::string expected_text(const Key& key) {
  switch (key.kind) {
    case ValueKind::kBool:
      return "true or false";
    case ValueKind::kText:
      return "text in quotes";
    case ValueKind::kPath:
      return "a path in quotes";
    case ValueKind::kInteger:
      return "a whole number" + config_detail::interval_text(key);
    case ValueKind::kNumber:
      return "a number" + config_detail::interval_text(key);
    case ValueKind::kChoice:
      break;
  }
  std::string text = key.choices.size() == 1 ? "" : "one of ";
  for (std::size_t i = 0; i < key.choices.size(); ++i)
    text += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", key.choices[i]);
  return text;
}

std::string value_text(const Key& key, const Config& config) {
  const ConfigValue value = key.get(config);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<double>(&value)) return config_detail::number_text(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return config_detail::quoted(*text);
  if (const auto* integer = std::get_if<int64_t>(&value)) {
    if (key.kind != ValueKind::kChoice) return fmt::format("{}", *integer);
    const auto index = static_cast<std::size_t>(*integer);
    return index < key.choices.size() ? fmt::format("\"{}\"", key.choices[index]) : fmt::format("\"?{}\"", *integer);
  }
  return "not given";
}

}  // namespace minnow
