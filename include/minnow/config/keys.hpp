#pragma once
/// @file
/// Describes every key of the configuration in ONE table, which feeds parsing, checking, writing, help and reference.
///
/// A new key is a member in config.hpp (with its default) and a row in src/config/keys_*.cpp; nothing else.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "minnow/config/config.hpp"

namespace minnow {

/// What a value of a key looks like.
enum class ValueKind {
  kBool,
  kInteger,
  kNumber,
  kText,
  kPath,    ///< text without a NUL character
  kChoice,  ///< one of a few names
};

/// What a changed value does to a run that is resumed.
enum class ResumeEffect {
  kFree,     ///< nothing: the run continues bit by bit as it would have
  kBits,     ///< allowed and logged: the numbers differ from an unchanged run
  kRefused,  ///< shapes, vocabulary or data would not fit
};

/// A value of any kind: nothing (a key that follows another one), bool, integer, number, text; a choice is its index.
using ConfigValue = std::variant<std::monostate, bool, int64_t, double, std::string>;

/// One row of the table of keys.
struct Key {
  std::string_view name;  ///< with its table: "train.max_steps"; "task" stands above the tables
  ValueKind kind{};
  ResumeEffect effect{};
  std::string_view doc;      ///< one line
  std::string_view unit;     ///< "steps", "minutes", ... or empty
  std::string_view aliases;  ///< names of the same thing elsewhere (nanoGPT, Hugging Face), parted by blanks
  std::string_view follows;  ///< key whose value is taken when this one is not given
  double low = 0;            ///< smallest value of integers and numbers
  double high = 0;           ///< largest value
  bool low_open = false;     ///< low itself is not allowed
  bool high_open = false;
  bool required = false;
  std::span<const std::string_view> choices;
  ConfigValue (*get)(const Config&) = nullptr;
  void (*set)(Config&, const ConfigValue&) = nullptr;
  bool (*applies)(const Config&) = nullptr;  ///< null, or whether the value is used at all under the other settings
  std::string_view applies_text;             ///< the same in words: `data.split = "file"`
  bool idle_is_error = false;                ///< a value other than the default is refused where it is not used

  /// @return "train" of "train.max_steps"; empty for a top-level key.
  [[nodiscard]] std::string_view table() const;
  /// @return "max_steps" of "train.max_steps".
  [[nodiscard]] std::string_view leaf() const;
};

/// @return all keys, grouped by table, in the order in which they are written.
[[nodiscard]] std::span<const Key> config_keys();

/// @param name full name such as "train.max_steps".
/// @return the key, or null.
[[nodiscard]] const Key* find_key(std::string_view name);

/// @return the names of the tables in order ("model", "data", ...), the top level left out.
[[nodiscard]] std::vector<std::string_view> config_tables();

/// Finds what somebody who wrote `name` may have meant: another spelling, another table, nanoGPT's or Hugging Face's
/// name, a typing error.
/// @return the key, or null when nothing is near.
[[nodiscard]] const Key* nearest_key(std::string_view name);

/// @return the keys that nanoGPT, Hugging Face and others call by this name: max_iters is train.max_steps.
[[nodiscard]] std::vector<const Key*> keys_called(std::string_view alias);

/// @return what a value must be, in words: "a whole number from 1 to 4096", `one of "pre", "post"`.
[[nodiscard]] std::string expected_text(const Key& key);

/// @return the value as TOML text (`0.1`, `"pre"`); "not given" for a key that follows another one.
[[nodiscard]] std::string value_text(const Key& key, const Config& config);

/// @return the paragraph that `minnow config explain` prints.
[[nodiscard]] std::string explain_key(const Key& key);

/// @return all keys as plain text, one line each, as `--help` and `minnow config reference` show it.
[[nodiscard]] std::string reference_text();

/// @return all keys as a Markdown page with one table per TOML table.
[[nodiscard]] std::string reference_markdown();

}  // namespace minnow
