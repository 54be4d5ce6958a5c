#pragma once
/// @file
/// Makes a run of a model that was trained elsewhere.

#include <filesystem>
#include <string>

#include "minnow/train/run.hpp"

namespace minnow {

/// Writes a run directory with one checkpoint, of step 0: everything that opens a run opens it; `--init-from` trains
/// on.
/// @param run new: no run may be there
/// @param data what its configuration names as data.path
/// Throws: ConfigError when a run is there; BusyError; IoError.
void import_model(const LoadedRun& model, const std::filesystem::path& run, const std::string& data);

}  // namespace minnow
