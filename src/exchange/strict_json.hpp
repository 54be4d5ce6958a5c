#pragma once
/// @file
/// Parses the small JSON files beside weights, refusing what their writers never produce.

#include <nlohmann/json.hpp>
#include <string_view>

namespace minnow::exchange {

/// @param who the file's name, for messages. @param most_bytes longest text that is looked at
/// Throws: CheckpointError when the text is too long, no JSON, nested more than 64 deep, has a key twice in one object,
/// or is no object.
[[nodiscard]] nlohmann::json parse_object(std::string_view text, std::string_view who, std::size_t most_bytes);

}  // namespace minnow::exchange
