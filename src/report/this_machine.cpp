/// @file
/// Asks Linux what machine this is.

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "minnow/report/run_facts.hpp"
#include "report/human.hpp"

namespace minnow {
namespace {

/// @return what stands behind "name :" in a file of /proc.
std::string proc_value(const char* file, const std::string& name) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(name)) continue;
    const std::size_t colon = line.find(':');
    const std::size_t begin = colon == std::string::npos ? colon : line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> this_machine() {
  std::vector<std::pair<std::string, std::string>> facts;
  const std::string processor = proc_value("/proc/cpuinfo", "model name");
  if (!processor.empty()) facts.emplace_back("processor", processor);
  facts.emplace_back("processors online", std::to_string(::sysconf(_SC_NPROCESSORS_ONLN)));
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && size > 0) {
    facts.emplace_back("memory", human_bytes(static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size)));
  }
  utsname name{};
  if (::uname(&name) == 0) {
    facts.emplace_back("system", std::string(name.sysname) + " " + name.release + " " + name.machine);
  }
  return facts;
}

}  // namespace minnow
