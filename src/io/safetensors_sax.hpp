#pragma once
/// @file
/// Takes the JSON events of a safetensors header and builds its tensors, refusing at the first broken rule.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "minnow/io/safetensors.hpp"

namespace minnow::detail {

/// The handler of nlohmann::json::sax_parse. Offsets in `header.tensors` are still relative to the data.
class SafetensorsHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  SafetensorsHandler(SafetensorsHeader& header, std::string_view who) : header_(header), who_(who) {}

  bool null() override;
  bool boolean(bool value) override;
  bool number_integer(number_integer_t value) override;
  bool number_unsigned(number_unsigned_t value) override;
  bool number_float(number_float_t value, const string_t& text) override;
  bool string(string_t& value) override;
  bool binary(binary_t& value) override;
  bool start_object(std::size_t elements) override;
  bool key(string_t& value) override;
  bool end_object() override;
  bool start_array(std::size_t elements) override;
  bool end_array() override;
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::json::exception& error) override;

 private:
  enum class Place { kStart, kTop, kMetadata, kEntry, kShape, kOffsets, kDone };
  enum class Field { kNone, kDtype, kShape, kOffsets, kOther };

  [[noreturn]] void refuse(std::string_view rule) const;
  void open_value(bool array);
  void close_value();
  void open_field(bool array);
  void take_other(std::string_view got);
  void start_entry();
  void finish_entry();
  void see(unsigned bit, std::string_view field);

  SafetensorsHeader& header_;
  std::string_view who_;
  Place place_ = Place::kStart;
  Field field_ = Field::kNone;
  std::size_t ignored_depth_ = 0;  // open brackets inside a field that the format does not know
  bool metadata_seen_ = false;
  std::string key_;  // of the metadata field, or the tensor's name
  TensorEntry entry_;
  unsigned seen_ = 0;  // bits of the fields of this entry
  std::size_t offsets_ = 0;
};

}  // namespace minnow::detail
