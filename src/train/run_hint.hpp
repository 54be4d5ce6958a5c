#pragma once
/// @file
/// Tells somebody who named a wrong run which one may have been meant.

#include <filesystem>
#include <string>

namespace minnow {

/// @param path that is no run.
/// @return what to do instead, for the end of a message: the run that `path` lies in, the runs that it holds, the run
/// with a similar name, or how to make one.
[[nodiscard]] std::string run_hint(const std::filesystem::path& path);

}  // namespace minnow
