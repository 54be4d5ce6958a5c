#pragma once
/// @file
/// Runs a program in a folder, with a time limit, and keeps what it wrote.

#include <filesystem>
#include <string>
#include <vector>

namespace minnow::cases {

struct ProcessRequest {
  std::vector<std::string> words;  ///< program and arguments
  std::filesystem::path folder;    ///< working directory
  std::filesystem::path scratch;   ///< folder for the captured output, outside the working directory
  std::string input;
  std::vector<std::string> environment;  ///< NAME=VALUE beside what this process has
  double timeout_s = 20;
};

struct ProcessResult {
  int exit_code = -1;  ///< 128 + n after a death by signal n
  bool timed_out = false;
  std::string out;
  std::string err;
};

/// Throws: std::runtime_error when the program cannot be started.
ProcessResult run_process(const ProcessRequest& request);

}  // namespace minnow::cases
