#pragma once
/// @file
/// What FileAccess means to the system.

#include <sys/types.h>

#include "minnow/io/file.hpp"

namespace minnow::detail {

/// @return the mode for open(2), before the umask.
[[nodiscard]] inline mode_t mode_of(FileAccess access) { return access == FileAccess::kOwner ? 0600 : 0666; }

}  // namespace minnow::detail
