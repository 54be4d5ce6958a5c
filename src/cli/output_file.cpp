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

void overwrite_option(Options& options, bool& overwrite) {
  options.flag("--overwrite", overwrite, "Replace the file that --out names");
}

void require_free_output(const std::string& path, bool overwrite) {
  std::error_code ignored;
  if (path.empty() || path == "-") return;
  if (std::filesystem::is_directory(path, ignored)) {
    throw IoError(fmt::format("[output] --out must name a file; {} is a directory. Hint: {}", path,
                              (std::filesystem::path(path) / "NAME").string()));
  }
  // /dev/stdout may be a file, which its owner redirected there.
  if (overwrite || path.starts_with("/dev/") || !std::filesystem::is_regular_file(path, ignored)) return;
  throw ConfigError(
      fmt::format("[output] --out must name a file that is not there yet; {} is. Hint: --overwrite "
                  "replaces it",
                  path));
}

void write_output(const std::string& path, std::string_view content, bool overwrite) {
  if (path == "-") {
    print_result(content);
    return;
  }
  require_free_output(path, overwrite);
  write_where_named(path, content);
  print_line(fmt::format("{} ({})", printable(path), human_bytes(content.size())));
}

}  // namespace minnow::cli
