#include "minnow/config/nearest.hpp"

#include <algorithm>
#include <vector>

namespace minnow {

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  limit = std::min(limit, std::max(a.size(), b.size()));
  const std::size_t far = limit + 1;
  // Three rows of the dynamic programme are enough: a swap looks back two rows. Of each row only the cells within
  // `limit` of the diagonal count: a path through any other is longer than that.
  std::vector<std::size_t> older(b.size() + 1, far);
  std::vector<std::size_t> old(b.size() + 1);
  std::vector<std::size_t> now(b.size() + 1, far);
  for (std::size_t j = 0; j <= b.size(); ++j) old[j] = std::min(j, far);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    const std::size_t first = i > limit ? i - limit : 1;
    const std::size_t last = std::min(b.size(), i + limit);
    std::fill(now.begin(), now.end(), far);
    now[0] = std::min(i, far);
    std::size_t least = now[0];
    for (std::size_t j = first; j <= last; ++j) {
      const std::size_t change = old[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({old[j] + 1, now[j - 1] + 1, change, far});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], older[j - 2] + 1);
      least = std::min(least, now[j]);
    }
    if (least >= far && *std::min_element(old.begin(), old.end()) >= far) return far;
    std::swap(older, old);
    std::swap(old, now);
  }
  return old[b.size()];
}

std::string plain_spelling(std::string_view name) {
  std::string plain(name);
  for (char& c : plain) {
    if (c == '-' || c == ' ') c = '_';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');  // tolower would depend on the locale
  }
  return plain;
}

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> names) {
  constexpr std::size_t kLongest = 64;  // longer ones are no typing errors, and the distance costs length squared
  if (name.size() > kLongest) return {};
  const std::string plain = plain_spelling(name);
  std::string_view best;
  std::size_t best_distance = plain.size() + 1;
  for (const std::string_view candidate : names) {
    const std::size_t longer = std::max(plain.size(), candidate.size());
    const std::size_t shorter = std::min(plain.size(), candidate.size());
    const std::size_t third = longer / 3;
    const std::size_t limit = std::min({std::max<std::size_t>(2, third), longer - third - 1, best_distance - 1});
    if (longer == 0 || longer - shorter > limit) continue;  // the lengths alone are further apart
    const std::size_t distance = edit_distance(plain, plain_spelling(candidate), limit);
    if (distance > limit) continue;
    best = candidate;
    best_distance = distance;
    if (distance == 0) break;
  }
  return best;
}

}  // namespace minnow
