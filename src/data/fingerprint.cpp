#include "minnow/data/fingerprint.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/base/sha256.hpp"

namespace minnow {

std::uint64_t DataFingerprint::bytes() const {
  std::uint64_t sum = 0;
  for (const DataFile& file : files) sum += file.bytes;
  return sum;
}

std::string DataFingerprint::digest() const {
  std::string list;
  for (const DataFile& file : files) list += fmt::format("{} {}\n", file.bytes, file.sha256);
  return sha256_hex(std::string_view(list));
}

void check_same_data(const DataFingerprint& saved, const DataFingerprint& now) {
  const auto number = [](std::uint64_t count) { return grouped(static_cast<std::int64_t>(count)); };
  constexpr std::string_view kHint =
      "Hint: put the original data back, or start a new run; going on with other data would not be the run that began.";
  const std::size_t common = std::min(saved.files.size(), now.files.size());
  for (std::size_t i = 0; i < common; ++i) {
    const DataFile& before = saved.files[i];
    const DataFile& after = now.files[i];
    if (before.bytes != after.bytes) {
      throw DataError(fmt::format("[data] the data must be those the run began with; {} has {} bytes, was {} bytes. {}",
                                  after.path, number(after.bytes), number(before.bytes), kHint));
    }
    if (before.sha256 != after.sha256) {
      throw DataError(fmt::format(
          "[data] the data must be those the run began with; {} has the same size ({} bytes) but other content: "
          "SHA-256 {}, was {}. {}",
          after.path, number(after.bytes), after.sha256, before.sha256, kHint));
    }
  }
  if (saved.files.size() != now.files.size()) {
    throw DataError(fmt::format("[data] the data must be those the run began with; got {} files, were {}. {}",
                                number(now.files.size()), number(saved.files.size()), kHint));
  }
}

}  // namespace minnow
