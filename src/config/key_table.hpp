#pragma once
/// @file
/// Declares the parts of the table of keys, in their order.

#include <span>

#include "minnow/config/keys.hpp"

namespace minnow::config_detail {

/// task, [model], [data], [tokenizer]: what is trained.
std::span<const Key> subject_keys();
/// [train].
std::span<const Key> train_keys();
/// [optimizer].
std::span<const Key> optimizer_keys();
/// [schedule] and everything after it.
std::span<const Key> run_keys();

}  // namespace minnow::config_detail
