#pragma once
/// @file
/// Finds added tokens in a text.

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "minnow/text/bpe_model.hpp"

namespace minnow {

/// Cuts texts at added tokens by the rules of the library `tokenizers`: those that are not `normalized` first; from
/// left to right, the longest where several begin; then the white space that lstrip and rstrip take.
class AddedTokens {
 public:
  AddedTokens() = default;
  /// @param tokens  must outlive this. @param special  whether those that are special are looked for, too.
  AddedTokens(std::span<const AddedToken> tokens, bool special);

  [[nodiscard]] bool empty() const noexcept { return rounds_[0].tokens.empty() && rounds_[1].tokens.empty(); }

  /// Calls `plain` with each stretch of text between added tokens (never empty) and `token` with each id, in order.
  void cut(std::string_view text, const std::function<void(std::string_view)>& plain,
           const std::function<void(std::int32_t)>& token) const;

  /// @return whether some added token stands in `text` such that it holds `position` or borders on it.
  [[nodiscard]] bool touch(std::string_view text, std::size_t position) const;

 private:
  struct Round {
    std::vector<const AddedToken*> tokens;  // the longest first
    std::array<bool, 256> begins{};         // first bytes
    [[nodiscard]] const AddedToken* at(std::string_view text, std::size_t position) const;
  };
  using Plain = std::function<void(std::string_view)>;
  using Marked = std::function<void(std::int32_t)>;
  static void run(const Round& round, std::string_view text, const Plain& plain, const Marked& token);

  std::array<Round, 2> rounds_;
  std::size_t longest_ = 0;  // bytes
};

}  // namespace minnow
