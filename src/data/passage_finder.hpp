#pragma once
/// @file
/// Finds passages that two documents of one text share.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/hash_sample.hpp"
#include "data/stretch_roll.hpp"

namespace minnow {

/// Remembers every stretch of kLeakBytes bytes with the first document that has it, and looks for it in later ones.
/// Documents that were there as a whole before are no finding of this kind.
class PassageFinder {
 public:
  PassageFinder();

  /// A document begins. @param file  name of its file
  void begin_document(std::string_view file, std::int64_t line);
  /// Takes a part of the document. @param place  where its bytes are counted from
  void add(std::string_view text, std::int64_t place);
  /// The document at hand is over. @param repeated  the whole of it was there before
  void end_document(bool repeated);

  /// @return documents with a passage that is in an earlier one; some are overlooked where is_part().
  [[nodiscard]] std::int64_t documents() const { return documents_; }
  /// @return about how many stretches they share.
  [[nodiscard]] std::int64_t stretches() const { return stretches_; }
  /// @return whether a part of all stretches was looked at.
  [[nodiscard]] bool is_part() const { return sample_.rate() > 1; }
  [[nodiscard]] const std::vector<std::string>& places() const { return places_; }

 private:
  struct Stretch {
    std::int64_t document = 0;  // its number
    std::int64_t at = 0;        // byte in it, or in its file
    std::int64_t line = 0;
    std::uint32_t file = 0;
  };

  [[nodiscard]] std::string describe(const Stretch& stretch) const;

  HashSample<Stretch> sample_;
  StretchRoll roll_;
  std::vector<std::string> files_;
  std::int64_t number_ = 0, line_ = 0;
  std::int64_t shared_ = 0;  // stretches of the document at hand
  std::string first_;        // the first of them, for people
  std::int64_t documents_ = 0, stretches_ = 0;
  std::vector<std::string> places_;
};

}  // namespace minnow
