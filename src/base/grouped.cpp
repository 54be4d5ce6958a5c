#include "minnow/base/grouped.hpp"

namespace minnow {

std::string grouped(std::int64_t number) {
  const std::string digits = std::to_string(number);
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > first && (digits.size() - i) % 3 == 0) text += '\'';
    text += digits[i];
  }
  return text;
}

}  // namespace minnow
