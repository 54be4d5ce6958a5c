#pragma once
/// @file
/// Gives the verbs the forms of numbers that reports have too.

#include "minnow/base/grouped.hpp"  // IWYU pragma: export
#include "report/human.hpp"

namespace minnow::cli {

using minnow::human_bytes;     // NOLINT(misc-unused-using-decls)
using minnow::human_count;     // NOLINT(misc-unused-using-decls)
using minnow::human_duration;  // NOLINT(misc-unused-using-decls)

}  // namespace minnow::cli
