#pragma once
/// @file
/// Reads JSON of foreign origin; every error names the file.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace minnow {

/// One JSON text and its name.
class JsonSource {
 public:
  using Json = nlohmann::json;

  explicit JsonSource(std::string_view name) : name_(name) {}

  /// Throws: DataError "[tokenizer] NAME: WHAT".
  [[noreturn]] void fail(const std::string& what) const;

  /// Throws: UnreadTokenizer "[tokenizer] NAME: WHAT", for what is right and beyond minnow.
  [[noreturn]] void unread(const std::string& what) const;

  /// Throws: DataError, with line and column, for text that is no JSON, too large or nested too deep.
  [[nodiscard]] Json parse(std::string_view text) const;

  /// @return a member that is a string.
  [[nodiscard]] static std::optional<std::string> text_of(const Json& object, const char* key);

  /// @return a member that is true or false; `absent` when there is none. Throws: DataError for anything else.
  [[nodiscard]] bool flag_of(const Json& object, const char* key, bool absent) const;

  /// @return a value as an error message shows it.
  [[nodiscard]] static std::string shown(const Json& value);

 private:
  std::string name_;
};

}  // namespace minnow
