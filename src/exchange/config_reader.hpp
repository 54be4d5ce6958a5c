#pragma once
/// @file
/// Takes typed values out of a config.json; every refusal names the file, the key and what stands there.

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace minnow::exchange {

class ConfigReader {
 public:
  ConfigReader(const nlohmann::json& json, std::string_view who) : json_(json), who_(who) {}

  /// @return the value of the first of these keys that is there and not null, or nullptr.
  [[nodiscard]] const nlohmann::json* find(std::initializer_list<const char*> keys) const;
  /// Whole numbers; the first key names it in messages, the others are older names of it. Throws when two of the names
  /// say different things.
  [[nodiscard]] std::int64_t whole(std::initializer_list<const char*> keys, std::int64_t most) const;
  [[nodiscard]] std::int64_t whole(std::initializer_list<const char*> keys, std::int64_t most,
                                   std::int64_t otherwise) const;
  [[nodiscard]] double number(const char* key, double otherwise, double least, double most) const;
  [[nodiscard]] bool flag(const char* key, bool otherwise) const;
  [[nodiscard]] std::string word(const char* key, const std::string& otherwise) const;
  /// Throws unless the key is absent, null or `wanted`: minnow has nothing else.
  void require(const char* key, const nlohmann::json& wanted, std::string_view why) const;
  /// Throws the CheckpointError of this file.
  [[noreturn]] void refuse(const std::string& rule) const;
  /// @return a value as it stands in the file, cut for a message.
  [[nodiscard]] static std::string shown(const nlohmann::json& value);

 private:
  const nlohmann::json& json_;
  std::string_view who_;
};

}  // namespace minnow::exchange
