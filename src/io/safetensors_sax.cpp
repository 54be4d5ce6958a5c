#include "io/safetensors_sax.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "io/json_text.hpp"
#include "minnow/base/error.hpp"

namespace minnow::detail {

namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxText = std::size_t{4} << 20U;
constexpr std::size_t kMaxMetadata = 10'000;
constexpr unsigned kDtypeBit = 1, kShapeBit = 2, kOffsetsBit = 4;

}  // namespace

void SafetensorsHandler::refuse(std::string_view rule) const {
  std::string where = "the header";
  if (place_ == Place::kMetadata) where = "__metadata__";
  if (place_ == Place::kEntry || place_ == Place::kShape || place_ == Place::kOffsets) where = "tensor " + shown(key_);
  throw CheckpointError(
      fmt::format("[safetensors] {}; got a breach in {} of '{}'. Hint: the file is damaged or not a "
                  "safetensors file.",
                  rule, where, who_));
}

void SafetensorsHandler::see(unsigned bit, std::string_view field) {
  if ((seen_ & bit) != 0) refuse(fmt::format("a tensor must have one {} (duplicate field)", field));
  seen_ |= bit;
}

// A value that is not what the place needs. Inside a field that the format does not know everything is allowed.
void SafetensorsHandler::take_other(std::string_view got) {
  if (ignored_depth_ > 0 || (place_ == Place::kEntry && field_ == Field::kOther)) return;
  switch (place_) {
    case Place::kStart:
      refuse("the header must be a JSON object");
    case Place::kTop:
      refuse(fmt::format("every field of the header must be an object, not {}", got));
    case Place::kMetadata:
      refuse(fmt::format("metadata must be texts, not {}", got));
    case Place::kShape:
      refuse(fmt::format("dimensions must be whole numbers from 0 to 2^63-1, not {}", got));
    case Place::kOffsets:
      refuse(fmt::format("data_offsets must be two whole numbers, not {}", got));
    default:
      break;
  }
  refuse(field_ == Field::kDtype ? "dtype must be a text" : "shape and data_offsets must be arrays");
}

bool SafetensorsHandler::null() {
  if (place_ == Place::kTop && key_ == "__metadata__" && !metadata_seen_) {  // the reference reads it as absent
    metadata_seen_ = true;
    return true;
  }
  take_other("null");
  return true;
}

bool SafetensorsHandler::boolean(bool /*value*/) { return take_other("a boolean"), true; }
bool SafetensorsHandler::number_integer(number_integer_t /*value*/) { return take_other("a negative number"), true; }
bool SafetensorsHandler::number_float(number_float_t /*value*/, const string_t& /*text*/) {
  return take_other("a number with a fraction, an exponent or too many digits"), true;
}
bool SafetensorsHandler::binary(binary_t& /*value*/) { return take_other("binary data"), true; }

bool SafetensorsHandler::number_unsigned(number_unsigned_t value) {
  if (ignored_depth_ > 0) return true;
  if (place_ == Place::kShape) {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) take_other("a larger one");
    if (entry_.shape.size() == kMaxFileRank) refuse(fmt::format("a tensor must have at most {} axes", kMaxFileRank));
    entry_.shape.push_back(static_cast<std::int64_t>(value));
  } else if (place_ == Place::kOffsets) {
    if (offsets_ == 2) take_other("three or more");
    (offsets_++ == 0 ? entry_.begin : entry_.end) = value;
  } else {
    take_other("a number");
  }
  return true;
}

bool SafetensorsHandler::string(string_t& value) {
  if (value.size() > kMaxText) refuse("a text must have at most 4 MiB");
  if (ignored_depth_ > 0) return true;
  if (place_ == Place::kMetadata) {
    if (header_.metadata.size() == kMaxMetadata) refuse("metadata must have at most 10000 fields");
    if (!header_.metadata.emplace(std::move(key_), std::move(value)).second) refuse("duplicate field in metadata");
  } else if (place_ == Place::kEntry && field_ == Field::kDtype) {
    const auto dtype = dtype_from_name(value);
    if (!dtype) refuse(fmt::format("dtype must be one of the format, not {}", shown(value)));
    entry_.dtype = *dtype;
  } else {
    take_other("a text");
  }
  return true;
}

bool SafetensorsHandler::key(string_t& value) {
  if (value.size() > kMaxText) refuse("a name must have at most 4 MiB");
  if (ignored_depth_ > 0) return true;
  if (place_ != Place::kEntry) {
    key_ = std::move(value);
    return true;
  }
  field_ = Field::kOther;
  if (value == "dtype") field_ = Field::kDtype, see(kDtypeBit, value);
  if (value == "shape") field_ = Field::kShape, see(kShapeBit, value);
  if (value == "data_offsets") field_ = Field::kOffsets, see(kOffsetsBit, value);
  return true;
}

// A bracket opens inside a tensor's entry.
void SafetensorsHandler::open_field(bool array) {
  if (field_ == Field::kOther) {
    ++ignored_depth_;
  } else if (array && field_ == Field::kShape) {
    place_ = Place::kShape;
  } else if (array && field_ == Field::kOffsets) {
    place_ = Place::kOffsets;
  } else {
    take_other(array ? "an array" : "an object");
  }
}

void SafetensorsHandler::open_value(bool array) {
  if (ignored_depth_ > 0) {
    if (++ignored_depth_ + 2 > kMaxDepth) refuse("brackets must be nested at most 64 deep");
  } else if (place_ == Place::kEntry) {
    open_field(array);
  } else if (place_ == Place::kStart && !array) {
    place_ = Place::kTop;
  } else if (place_ == Place::kTop && !array) {
    start_entry();
  } else {
    take_other(array ? "an array" : "an object");
  }
}

void SafetensorsHandler::start_entry() {
  if (key_ != "__metadata__") {
    place_ = Place::kEntry;
    field_ = Field::kNone;
    entry_.shape.clear();
    seen_ = 0;
    offsets_ = 0;
    return;
  }
  place_ = Place::kMetadata;
  if (metadata_seen_) refuse("__metadata__ must stand once (duplicate)");
  metadata_seen_ = true;
}

void SafetensorsHandler::finish_entry() {
  if (seen_ != (kDtypeBit | kShapeBit | kOffsetsBit)) refuse("a tensor must have dtype, shape and data_offsets");
  if (offsets_ != 2) refuse("data_offsets must be two whole numbers");
  if (entry_.begin > entry_.end) refuse("data_offsets must not run backwards");
  const auto bytes = tensor_bytes(entry_.dtype, entry_.shape);
  if (!bytes) refuse("the size of a tensor must be whole bytes and fit 64 bits (overflow)");
  if (*bytes != entry_.end - entry_.begin) {
    refuse(fmt::format("data_offsets must span the {} bytes that dtype and shape need, not {}", *bytes,
                       entry_.end - entry_.begin));
  }
  TensorEntry& entry = header_.tensors.emplace_back();
  entry.name = key_;
  entry.dtype = entry_.dtype;
  entry.shape.assign(entry_.shape.begin(), entry_.shape.end());  // exact capacity, unlike a move of the scratch one
  entry.begin = entry_.begin;
  entry.end = entry_.end;
  place_ = Place::kTop;
}

void SafetensorsHandler::close_value() {
  if (ignored_depth_ > 0) {
    --ignored_depth_;
  } else if (place_ == Place::kShape || place_ == Place::kOffsets) {
    place_ = Place::kEntry;
  } else if (place_ == Place::kEntry) {
    finish_entry();
  } else {
    place_ = place_ == Place::kMetadata ? Place::kTop : Place::kDone;
  }
}

bool SafetensorsHandler::start_object(std::size_t /*elements*/) { return open_value(false), true; }
bool SafetensorsHandler::end_object() { return close_value(), true; }
bool SafetensorsHandler::start_array(std::size_t /*elements*/) { return open_value(true), true; }
bool SafetensorsHandler::end_array() { return close_value(), true; }

bool SafetensorsHandler::parse_error(std::size_t position, const std::string& /*token*/,
                                     const nlohmann::json::exception& /*error*/) {
  place_ = place_ == Place::kStart ? Place::kStart : Place::kTop;
  refuse(fmt::format("the header must be valid JSON in UTF-8; it breaks off at its byte {}", position));
}

}  // namespace minnow::detail
