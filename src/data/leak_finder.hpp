#pragma once
/// @file
/// Finds stretches of a validation text in a training text.

#include <cstdint>
#include <string>
#include <string_view>

#include "data/hash_sample.hpp"
#include "data/stretch_roll.hpp"

namespace minnow {

/// Learns every stretch of kLeakBytes bytes of one text, then looks for them in another. Stretches of fewer than 12
/// different bytes (rules of dashes, blanks) are no leakage.
class LeakFinder {
 public:
  LeakFinder();

  /// The text that is given next is no continuation.
  void begin_text() { roll_.begin_text(); }
  /// Takes text of the validation. @param place  where its bytes are counted from, for messages
  void learn(std::string_view text, std::int64_t place);
  /// Takes text to train on.
  void search(std::string_view text, std::int64_t place);

  /// Two places that hold the same.
  struct Match {
    std::int64_t validation = 0, training = 0;
    std::string text;
  };

  [[nodiscard]] std::int64_t known() const { return static_cast<std::int64_t>(sample_.size()) * sample_.rate(); }
  [[nodiscard]] std::int64_t found() const { return found_ * sample_.rate(); }
  [[nodiscard]] const Match& first() const { return first_; }

 private:
  struct Stretch {
    std::int64_t place = 0;
    bool found = false;
  };

  HashSample<Stretch> sample_;
  StretchRoll roll_;
  std::int64_t found_ = 0;
  Match first_;
};

}  // namespace minnow
