#include "cli/output_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/human.hpp"
#include "cli/terminal.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/file.hpp"
#include "minnow/report/run_metrics.hpp"

namespace minnow::cli {

std::string beside_metrics(const std::string& run, std::string_view name) {
  return (metrics_file(run).parent_path() / name).string();
}

void write_output(const std::string& path, std::string_view content) {
  if (path == "-") {
    print_result(content);
    return;
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw IoError(fmt::format("[output] --out must name a file; {} is a directory. Hint: {}", path,
                              (std::filesystem::path(path) / "NAME").string()));
  }
  write_where_named(path, content);
  print_line(fmt::format("{} ({})", printable(path), human_bytes(content.size())));
}

}  // namespace minnow::cli
