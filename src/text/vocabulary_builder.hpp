#pragma once
/// @file
/// Collects the names of a vocabulary whose numbers come from a foreign file.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace minnow {

/// Names by id with gaps, and ids by name.
class VocabularyBuilder {
 public:
  /// @param fail  throws an error with what must hold.
  VocabularyBuilder(std::size_t names, std::function<void(const std::string&)> fail);

  /// Throws by `fail`: a name that is empty or there twice, an id that is taken or far beyond what is needed (gaps may
  /// take as many ids as tokens do, and 1024 more).
  void add(std::string_view name, std::uint64_t id);

  /// @return the id of a name; -1: there is none.
  [[nodiscard]] std::int32_t find(std::string_view name) const;

  /// @return the names by id; the builder is empty then.
  [[nodiscard]] std::vector<std::string> take();

 private:
  std::function<void(const std::string&)> fail_;
  std::uint64_t limit_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::int32_t> ids_;
};

}  // namespace minnow
