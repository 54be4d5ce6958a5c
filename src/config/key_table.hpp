#pragma once
/// @file
/// Declares the two halves of the table of keys.

#include <span>

#include "minnow/config/keys.hpp"

namespace minnow::config_detail {

/// task, [model], [data], [tokenizer]: what is trained.
std::span<const Key> subject_keys();
/// [train] and everything after it: how it is trained.
std::span<const Key> run_keys();

}  // namespace minnow::config_detail
