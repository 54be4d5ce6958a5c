#include "text/json_vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace minnow {
namespace {

using Json = JsonSource::Json;

std::uint64_t checked_id(const JsonSource& source, const Json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  source.fail(fmt::format("must number its tokens from 0 on; got the id {}.", JsonSource::shown(value)));
}

AddedToken read_added(const JsonSource& source, const Json& token, const std::string& content,
                      VocabularyBuilder& vocabulary) {
  std::int32_t id = vocabulary.find(content);
  if (id < 0) {
    vocabulary.add(content, checked_id(source, token.at("id")));
    id = vocabulary.find(content);
  }  // else the vocabulary's number wins over the list's, as in the library
  return {.id = id,
          .content = content,
          .single_word = source.flag_of(token, "single_word", false),
          .lstrip = source.flag_of(token, "lstrip", false),
          .rstrip = source.flag_of(token, "rstrip", false),
          .normalized = source.flag_of(token, "normalized", false),
          .special = source.flag_of(token, "special", false)};
}

}  // namespace

std::size_t names_in(const Json& root) {
  const Json& added = root.at("added_tokens");
  return root.at("model").at("vocab").size() + (added.is_array() ? added.size() : 0);
}

std::vector<AddedToken> read_vocabulary(const JsonSource& source, const Json& root, VocabularyBuilder& vocabulary) {
  for (const auto& item : root.at("model").at("vocab").items()) {
    vocabulary.add(item.key(), checked_id(source, item.value()));
  }
  const Json& added = root.at("added_tokens");
  if (!added.is_null() && !added.is_array()) source.fail("must have a list of added_tokens.");
  std::vector<AddedToken> result;
  std::unordered_set<std::string> known;
  for (const Json& token : added) {
    const std::optional<std::string> content = token.is_object() ? JsonSource::text_of(token, "content") : std::nullopt;
    if (!content || content->empty() || !token.contains("id")) {
      source.fail("must give each added token an id and a content.");
    }
    if (known.insert(*content).second) result.push_back(read_added(source, token, *content, vocabulary));
  }
  std::sort(result.begin(), result.end(), [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
  return result;
}

}  // namespace minnow
