#include "train/kept_text.hpp"

#include "minnow/io/file.hpp"

namespace minnow {

void find_kept_text(const std::filesystem::path& run_dir, DataConfig& data) {
  const std::filesystem::path name = std::filesystem::path(data.path).filename();
  if (name != kKeptInput && name != kKeptJsonl) return;
  const std::filesystem::path kept = run_dir / name;
  std::error_code ignored;  // the path as it was recorded is judged later
  if (std::filesystem::is_regular_file(kept, ignored)) data.path = kept.string();
}

}  // namespace minnow
