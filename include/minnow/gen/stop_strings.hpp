#pragma once
/// @file
/// Ends a text at the first stop string, however the text is cut into pieces.

#include <string>
#include <string_view>
#include <vector>

namespace minnow {

/// Lets text through as soon as it cannot be the start of a stop string any more.
///
/// The stop string that is complete first ends the text (of those that end at one place the longest); nothing of it
/// comes out. The result does not depend on where the pieces are cut. Valid UTF-8 in gives valid UTF-8 pieces out.
class StopStrings {
 public:
  /// Throws: ConfigError when a stop string is empty or not UTF-8 (it could never be found).
  explicit StopStrings(std::vector<std::string> stops);

  /// @param piece further text
  /// @return what can be shown now, often less than came in. Empty once stopped().
  [[nodiscard]] std::string push(std::string_view piece);

  /// @return what was held back, at the end of a text that met no stop string.
  [[nodiscard]] std::string finish();

  [[nodiscard]] bool stopped() const noexcept { return stopped_; }

 private:
  std::vector<std::string> stops_;
  std::string pending_;  // shorter than the longest stop string between calls
  bool stopped_ = false;
};

}  // namespace minnow
