/// @file
/// Feeds any bytes to the reader of configurations. What it accepts must be valid, and must read back as the same after
/// writing. Bytes after the first NUL are overrides, parted by NULs.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/base/error.hpp"
#include "minnow/config/load.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(std::string_view text, const std::vector<std::string>& overrides) {
  minnow::LoadedConfig loaded;
  try {
    loaded = minnow::load_config(text, "fuzz.toml", overrides);
  } catch (const minnow::ConfigError&) {
    return;  // refused with a message: that is all right; any other exception ends the run
  }
  minnow::validate(loaded.config);
  const std::string written = minnow::to_toml(loaded);
  const auto again = minnow::load_config(written, "again.toml");
  require(again.config == loaded.config);
  require(minnow::compare_configs(again.config, loaded.config).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const auto take = [&rest] {
    const auto end = rest.find('\0');
    const auto part = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    return part;
  };
  const auto text = take();
  std::vector<std::string> overrides;
  while (!rest.empty()) overrides.emplace_back(take());
  check(text, overrides);
  return 0;
}
