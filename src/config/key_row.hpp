#pragma once
/// @file
/// Builds rows of the table of keys from pointers to members, at compile time.

#include <cstdint>
#include <optional>
#include <type_traits>

#include "minnow/config/choices.hpp"
#include "minnow/config/keys.hpp"

namespace minnow::config_detail {

/// Largest bounds that rows use: plausible, and far from overflow when a few of them are multiplied.
inline constexpr double kMaxCount = 1e6;     ///< layers, sequences, widths, ...
inline constexpr double kMaxSteps = 1e12;    ///< steps and tokens
inline constexpr double kMaxSeed = 9.3e18;   ///< beyond the largest 64-bit integer: no limit of our own
inline constexpr double kMaxNumber = 1e300;  ///< "any finite number"

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
constexpr ValueKind kind_of() {
  if constexpr (IsOptional<T>::value) return kind_of<typename T::value_type>();
  if constexpr (std::is_enum_v<T>) return ValueKind::kChoice;
  if constexpr (std::is_same_v<T, bool>) return ValueKind::kBool;
  if constexpr (std::is_same_v<T, int64_t>) return ValueKind::kInteger;
  if constexpr (std::is_same_v<T, std::string>) return ValueKind::kText;
  return ValueKind::kNumber;
}

/// Reads any member as a ConfigValue; enums become their index, an empty optional becomes nothing.
template <class T>
ConfigValue read_field(const T& field) {
  if constexpr (std::is_enum_v<T>) {
    return static_cast<int64_t>(field);
  } else if constexpr (IsOptional<T>::value) {
    return field.has_value() ? ConfigValue(*field) : ConfigValue();
  } else {
    return field;
  }
}

/// Writes a ConfigValue of the right kind into a member.
template <class T>
void write_field(T& field, const ConfigValue& value) {
  if constexpr (std::is_enum_v<T>) {
    field = static_cast<T>(std::get<int64_t>(value));
  } else if constexpr (IsOptional<T>::value) {
    if (std::holds_alternative<std::monostate>(value)) {
      field.reset();
    } else {
      field = std::get<typename T::value_type>(value);
    }
  } else {
    field = std::get<T>(value);
  }
}

/// A Key under construction: each call sets one thing and returns a copy.
struct Row : Key {
  [[nodiscard]] constexpr Row range(double lowest, double highest) const {
    Row row = *this;
    row.low = lowest;
    row.high = highest;
    return row;
  }
  [[nodiscard]] constexpr Row above(double bound) const {
    Row row = range(bound, high);
    row.low_open = true;
    return row;
  }
  [[nodiscard]] constexpr Row below(double bound) const {
    Row row = range(low, bound);
    row.high_open = true;
    return row;
  }
  [[nodiscard]] constexpr Row in(std::string_view text) const {
    Row row = *this;
    row.unit = text;
    return row;
  }
  [[nodiscard]] constexpr Row also(std::string_view names) const {
    Row row = *this;
    row.aliases = names;
    return row;
  }
  [[nodiscard]] constexpr Row like(std::string_view other) const {
    Row row = *this;
    row.follows = other;
    return row;
  }
  [[nodiscard]] constexpr Row needed() const {
    Row row = *this;
    row.required = true;
    return row;
  }
  [[nodiscard]] constexpr Row path() const {
    Row row = *this;
    row.kind = ValueKind::kPath;
    return row;
  }
  [[nodiscard]] constexpr Row when(bool (*test)(const Config&), std::string_view text) const {
    Row row = *this;
    row.applies = test;
    row.applies_text = text;
    return row;
  }
  /// As when(), and to give it another value where it is not used is an error.
  [[nodiscard]] constexpr Row only(bool (*test)(const Config&), std::string_view text) const {
    Row row = when(test, text);
    row.idle_is_error = true;
    return row;
  }
};

/// Starts the row of `config.TABLE.MEMBER`.
template <auto kTable, auto kMember>
constexpr Row row(std::string_view name, ResumeEffect effect, std::string_view doc) {
  using Field = std::remove_cvref_t<decltype(Config{}.*kTable.*kMember)>;
  Row result{};
  result.name = name;
  result.kind = kind_of<Field>();
  result.effect = effect;
  result.doc = doc;
  result.low = -kMaxNumber;
  result.high = kMaxNumber;
  if constexpr (std::is_enum_v<Field>) result.choices = kChoiceNames<Field>;
  result.get = [](const Config& config) { return read_field(config.*kTable.*kMember); };
  result.set = [](Config& config, const ConfigValue& value) { write_field(config.*kTable.*kMember, value); };
  return result;
}

/// Starts the row of a key above all tables.
template <auto kMember>
constexpr Row top_row(std::string_view name, ResumeEffect effect, std::string_view doc) {
  using Field = std::remove_cvref_t<decltype(Config{}.*kMember)>;
  Row result{};
  result.name = name;
  result.kind = kind_of<Field>();
  result.effect = effect;
  result.doc = doc;
  if constexpr (std::is_enum_v<Field>) result.choices = kChoiceNames<Field>;
  result.get = [](const Config& config) { return read_field(config.*kMember); };
  result.set = [](Config& config, const ConfigValue& value) { write_field(config.*kMember, value); };
  return result;
}

}  // namespace minnow::config_detail
