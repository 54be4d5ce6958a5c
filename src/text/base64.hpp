#pragma once
/// @file
/// Base64 with padding (RFC 4648, section 4).

#include <string>
#include <string_view>

namespace minnow {

[[nodiscard]] std::string encode_base64(std::string_view bytes);

/// @return whether `text` is base64 and not empty; its bytes are then in `bytes`.
bool decode_base64(std::string_view text, std::string& bytes);

}  // namespace minnow
