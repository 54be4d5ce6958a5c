#pragma once
/// @file
/// Carries what a file or an override says about one key, before it is checked.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "minnow/config/keys.hpp"

namespace minnow::config_detail {

/// A value as written; nothing = an array, a table or a date, which no key takes.
using WrittenValue = std::variant<std::monostate, bool, int64_t, double, std::string>;

/// Where something was written; sorts messages. Overrides and the file as a whole come after all lines.
struct Place {
  std::size_t line = SIZE_MAX;
  std::size_t column = SIZE_MAX;
  std::string text;  ///< for messages: `x.toml:3:5` or `--set a=b`; empty = written nowhere
};

/// One `key = value`.
struct Assignment {
  const Key* key = nullptr;
  WrittenValue value;
  std::string shown;  ///< the value for messages: `"abc"`, `nan`, `an array`
  Place place;
  std::string origin;  ///< for the resolved configuration: `x.toml:3` or `--set`
};

/// Something wrong: what must hold; what was got.
struct Problem {
  Place place;
  std::string text;
};

/// Reads a TOML document. Unknown tables and keys become problems.
/// Throws: ConfigError for a syntax error or a duplicate.
std::vector<Assignment> read_document(std::string_view text, const std::string& file, std::vector<Problem>& problems);

/// Reads one `KEY=VALUE` of the command line; what is wrong becomes a problem.
void read_override(const std::string& argument, std::vector<Assignment>& assignments, std::vector<Problem>& problems);

/// Says that `name` is no key, and which one may be meant.
std::string unknown_key_text(std::string_view name);

/// @return text as a TOML string in double quotes, with escapes.
std::string quoted(std::string_view text);

/// @return the number as TOML writes it: shortest text that reads back as the same double, always with a point or
/// exponent.
std::string number_text(double value);

/// Converts what was written to the key's kind and checks the range.
/// @param result receives the value.
/// @return empty, or what is wrong: `train.seed must be ...; got ...`.
std::string convert_value(const Key& key, const WrittenValue& written, const std::string& shown, ConfigValue& result);

/// @return empty, or what is wrong with a value of the right kind.
std::string check_range(const Key& key, const ConfigValue& value, const std::string& shown);

/// A rule between keys.
struct Rule {
  std::array<std::string_view, 4> keys;  ///< all that it reads; a message points at the first one that was written
  std::string (*broken)(const Config&);  ///< empty, or what is wrong
};

std::span<const Rule> config_rules();

}  // namespace minnow::config_detail
