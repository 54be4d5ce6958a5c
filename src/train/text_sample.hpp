#pragma once
/// @file
/// Takes a part of texts of any size, spread over all of them: to learn a tokenizer from, and to count with.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace minnow {

/// A part of the texts, and where it was put together.
struct TextSample {
  std::string bytes;
  std::vector<std::size_t> begins;  ///< of what stood together

  /// @return what stood together, each by itself; valid as long as the sample stays where it is.
  [[nodiscard]] std::vector<std::string_view> views() const;
};

/// Takes every part of a mebibyte, or every n-th, so that there are about 32 MiB at most.
/// @param text_bytes  of all files, about
/// Throws: as TextReader.
[[nodiscard]] TextSample sample_text(const std::vector<std::filesystem::path>& files, const std::string& text_field,
                                     std::int64_t text_bytes);

}  // namespace minnow
