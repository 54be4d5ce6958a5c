#include "data/passage_finder.hpp"

#include <fmt/format.h>

#include "minnow/text/utf8.hpp"

namespace minnow {
namespace {

constexpr std::size_t kMostPassageStretches = std::size_t{1} << 20U;  // 80 MiB of table, twice that while it grows
constexpr std::size_t kPassagePlaces = 5;

}  // namespace

PassageFinder::PassageFinder() : sample_(kMostPassageStretches) {}

void PassageFinder::begin_document(std::string_view file, std::int64_t line) {
  if (files_.empty() || files_.back() != file) files_.emplace_back(file);
  ++number_;
  line_ = line;
  roll_.begin_text();
}

void PassageFinder::add(std::string_view text, std::int64_t place) {
  const auto wanted = [&](std::uint64_t key) { return sample_.is_sampled(key); };
  roll_.roll(text, place, wanted, [&](std::uint64_t key, std::string_view stretch, std::int64_t at) {
    const Stretch here{number_, at, line_, static_cast<std::uint32_t>(files_.size() - 1)};
    const Stretch* const known = sample_.find(key);
    if (known == nullptr) return sample_.add(key, here);
    if (known->document == number_ || !StretchRoll::says_something(stretch)) return;
    shared_ += sample_.rate();
    if (first_.empty() && places_.size() < kPassagePlaces) {
      first_ =
          fmt::format("{} as {}: \"{}\"", describe(here), describe(*known), replace_invalid_utf8(std::string(stretch)));
    }
  });
}

void PassageFinder::end_document(bool repeated) {
  if (shared_ > 0 && !repeated) {
    ++documents_;
    stretches_ += shared_;
    if (!first_.empty() && places_.size() < kPassagePlaces) places_.push_back(first_);
  }
  shared_ = 0;
  first_.clear();
}

std::string PassageFinder::describe(const Stretch& stretch) const {
  const std::string& file = files_[stretch.file];
  return stretch.line > 0 ? fmt::format("{}:{}", file, stretch.line) : fmt::format("{}, byte {}", file, stretch.at);
}

}  // namespace minnow
