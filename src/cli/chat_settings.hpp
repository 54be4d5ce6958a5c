#pragma once
/// @file
/// The numbers that /set changes while chatting.

#include <string>
#include <string_view>

#include "minnow/gen/sampler.hpp"

namespace minnow::cli {

/// How answers are written.
struct ChatSettings {
  SamplerOptions sampler{.temperature = 0.8};
  Index max_tokens = 200;  ///< of one answer
  bool history = true;     ///< whether lines typed on a terminal are kept for the next chat
};

/// Sets one value by the name of its option: temperature, top_k (or top-k), top_p, min_p, repetition_penalty,
/// repetition_window, seed, max_tokens, history.
/// Throws: ConfigError for a name (with the nearest one) or value that is none; nothing is changed then.
void set_chat_value(ChatSettings& settings, std::string_view name, std::string_view value);

/// @return one line for each setting: name, value, what it does.
[[nodiscard]] std::string list_chat_values(const ChatSettings& settings);

}  // namespace minnow::cli
