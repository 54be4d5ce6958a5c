/// @file
/// `minnow man`: writes the manual page.

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "cli/man_page.hpp"
#include "cli/terminal.hpp"
#include "cli/verb.hpp"

#ifndef MINNOW_VERSION
#define MINNOW_VERSION "unknown"
#endif

namespace minnow::cli {
namespace {

/// Today, or SOURCE_DATE_EPOCH (seconds since 1970), with which packages are built the same way twice.
std::string page_date() {
  std::time_t now = std::time(nullptr);
  if (const char* text = std::getenv("SOURCE_DATE_EPOCH"); text != nullptr && *text != '\0') {
    char* end = nullptr;
    const long long given = std::strtoll(text, &end, 10);
    if (*end == '\0' && given >= 0 && given < 253402300800) now = static_cast<std::time_t>(given);  // before year 10000
  }
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(now));
}

Action setup_man(Options& options) {
  options.footer("Read it at once:\n  minnow man | man -l -\n");
  return [] {
    print_result(man_page(command_table(), MINNOW_VERSION, page_date()));
    return 0;
  };
}

}  // namespace

const Verb kVerbMan = {"man", "Write the manual page", "Help", setup_man};

}  // namespace minnow::cli
