#include "text/text_frame.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "minnow/base/error.hpp"

namespace minnow {
namespace {

using Json = nlohmann::json;

/// @return a member, null when there is none.
const Json& member(const Json& object, const char* key) {
  static const Json null;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? null : *found;
}

void take_id(const Json& id, std::vector<std::int32_t>& ids) {
  if (id.is_number_unsigned() && id.get<std::uint64_t>() <= INT32_MAX) ids.push_back(id.get<std::int32_t>());
}

/// @return what stands before (false) or behind (true) a text by a post-processor of BERT's kind.
std::vector<std::int32_t> side_of(const Json& processor, bool behind) {
  std::vector<std::int32_t> ids;
  const Json& type = member(processor, "type");
  if (type == "BertProcessing" || type == "RobertaProcessing") {
    const Json& pair = member(processor, behind ? "sep" : "cls");
    if (pair.is_array() && pair.size() == 2) take_id(pair[1], ids);
  }
  if (type != "TemplateProcessing" || !member(processor, "single").is_array()) return ids;
  bool seen = false;
  for (const Json& step : member(processor, "single")) {
    seen = seen || !member(step, "Sequence").is_null();
    const Json& name = member(member(step, "SpecialToken"), "id");
    if (!name.is_string() || seen != behind) continue;
    const Json& token = member(member(processor, "special_tokens"), name.get_ref<const std::string&>().c_str());
    if (!member(token, "ids").is_array()) continue;
    for (const Json& id : member(token, "ids")) take_id(id, ids);
  }
  return ids;
}

}  // namespace

TextFrame frame_of(std::string_view post_processor, std::size_t tokens) {
  const Json processor = Json::parse(post_processor);
  TextFrame frame{side_of(processor, false), side_of(processor, true)};
  for (const auto* side : {&frame.before, &frame.behind}) {
    for (const std::int32_t id : *side) {
      if (static_cast<std::size_t>(id) < tokens) continue;
      throw DataError(fmt::format(
          "[tokenizer] what a post_processor adds must be tokens of the vocabulary, 0 .. {}; got the id {}.",
          tokens - 1, id));
    }
  }
  return frame;
}

}  // namespace minnow
