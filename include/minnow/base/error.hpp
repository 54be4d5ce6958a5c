#pragma once
/// @file
/// Names every way in which minnow refuses or fails: one exception class per documented exit code.

#include <stdexcept>
#include <string>

namespace minnow {

/// What the program returns to the shell; the same numbers stand in the manual.
enum class ExitCode : int {
  kDone = 0,           ///< everything asked for was done
  kInternal = 1,       ///< a fault of minnow itself
  kUsage = 2,          ///< command line or configuration
  kData = 3,           ///< training or input data
  kCheckpoint = 4,     ///< checkpoint damaged or not fitting
  kIo = 5,             ///< disk full, read-only, missing directory
  kNumeric = 6,        ///< NaN limit reached
  kMemory = 7,         ///< not enough memory
  kBusy = 8,           ///< another process writes in this directory
  kInterrupted = 130,  ///< SIGINT, after saving
  kTerminated = 143,   ///< SIGTERM, after saving
};

/// Base of all exceptions thrown by the library. The text reads `[who] what must hold; got what; context. Hint: what
/// to do.` The library never prints and never exits: the command line turns these into a message and an exit code.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& text) : std::runtime_error(text), code_(code) {}

  /// @return the exit code that belongs to this kind of error.
  [[nodiscard]] ExitCode exit_code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// Shapes, dtypes or axes that an operation cannot work on. Reaching a user as such is a fault of minnow (exit 1).
class ShapeError : public Error {
 public:
  explicit ShapeError(const std::string& text) : Error(ExitCode::kInternal, text) {}
};

/// Misuse of the command line or a bad configuration value (exit 2).
class ConfigError : public Error {
 public:
  explicit ConfigError(const std::string& text) : Error(ExitCode::kUsage, text) {}
};

/// Data that cannot be trained on or read (exit 3).
class DataError : public Error {
 public:
  explicit DataError(const std::string& text) : Error(ExitCode::kData, text) {}
};

/// A checkpoint or weight file that is damaged or does not fit (exit 4).
class CheckpointError : public Error {
 public:
  explicit CheckpointError(const std::string& text) : Error(ExitCode::kCheckpoint, text) {}
};

/// The file system said no (exit 5).
class IoError : public Error {
 public:
  explicit IoError(const std::string& text) : Error(ExitCode::kIo, text) {}
};

/// NaN or infinity where numbers must be finite (exit 6).
class NumericError : public Error {
 public:
  explicit NumericError(const std::string& text) : Error(ExitCode::kNumeric, text) {}
};

/// Memory that is not there, found before or while allocating (exit 7).
class MemoryError : public Error {
 public:
  explicit MemoryError(const std::string& text) : Error(ExitCode::kMemory, text) {}
};

/// Another process holds the run directory (exit 8).
class BusyError : public Error {
 public:
  explicit BusyError(const std::string& text) : Error(ExitCode::kBusy, text) {}
};

}  // namespace minnow
