#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/text_frame.hpp"
#include "text/tokenizer_json.hpp"

namespace minnow {
namespace {

constexpr std::array kTopLevelKeys = {"version",       "truncation",     "padding", "added_tokens", "normalizer",
                                      "pre_tokenizer", "post_processor", "decoder", "model"};

/// Reads the parts of one file of characters.
class CharReader {
 public:
  using Json = JsonSource::Json;

  explicit CharReader(const JsonSource& source) : source_(source) {}

  TokenizerFile read(const Json& root) {
    const Json& model = root.at("model");
    if (!model.at("merges").empty()) {
      source_.unread(
          fmt::format("must be a character vocabulary without merges when it has no pre-tokenizer; got {} "
                      "merges.",
                      model.at("merges").size()));
    }
    TokenizerFile file;
    file.pieces = pieces_of(model.at("vocab"));
    file.boundary = add_special(root, file.pieces);
    const std::vector<std::int32_t> before = frame_of(root.at("post_processor").dump(), file.pieces.size()).before;
    file.begins = file.boundary >= 0 && before == std::vector{file.boundary};
    return file;
  }

 private:
  [[nodiscard]] std::vector<std::string> pieces_of(const Json& vocab) const {
    std::vector<std::string> pieces(vocab.size());
    for (const auto& item : vocab.items()) {
      place(pieces, item.key(), id_of(item.value(), pieces.size()));
    }
    return pieces;
  }

  void place(std::vector<std::string>& pieces, const std::string& piece, std::size_t id) const {
    if (piece.empty()) source_.fail("must have no empty piece in its vocabulary.");
    if (!pieces[id].empty())
      source_.fail(fmt::format("must give every token an id of its own; id {} is there twice.", id));
    pieces[id] = piece;
  }

  [[nodiscard]] std::size_t id_of(const Json& value, std::size_t size) const {
    if (value.is_number_unsigned() && value.get<std::uint64_t>() < size) return value.get<std::size_t>();
    source_.fail(fmt::format("must number its {} tokens 0 .. {}; got the id {}.", size, size == 0 ? 0 : size - 1,
                             JsonSource::shown(value)));
  }

  /// The boundary is the one special token; it may stand in the vocabulary too or follow it.
  [[nodiscard]] std::int32_t add_special(const Json& root, std::vector<std::string>& pieces) const {
    const Json& added = root.at("added_tokens");
    if (added.is_null()) return -1;
    if (!added.is_array()) source_.fail("must have a list of added_tokens.");
    if (added.empty()) return -1;
    if (added.size() > 1)
      source_.unread(fmt::format("must have at most one added token, the document boundary; got {}.", added.size()));
    const Json& token = added.front();
    const std::optional<std::string> content = token.is_object() ? JsonSource::text_of(token, "content") : std::nullopt;
    if (!content || !token.contains("id")) source_.fail("must give its added token an id and a content.");
    const auto known = std::find(pieces.begin(), pieces.end(), *content);
    // The vocabulary's number wins over the list's, as in the library.
    if (known != pieces.end()) return static_cast<std::int32_t>(known - pieces.begin());
    pieces.emplace_back();
    const std::size_t id = id_of(token.at("id"), pieces.size());
    place(pieces, *content, id);
    return static_cast<std::int32_t>(id);
  }

  const JsonSource& source_;
};

}  // namespace

void check_bpe(const JsonSource& source, const JsonSource::Json& root) {
  const JsonSource::Json& model = root.at("model");
  if (!model.contains("merges") || !model.at("merges").is_array()) {
    source.fail("must have a list \"merges\" in its model.");
  }
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    const std::optional<std::string> affix = JsonSource::text_of(model, key);
    if (affix && !affix->empty()) source.unread(fmt::format("must have no {}; got \"{}\".", key, *affix));
  }
}

void check_tokenizer_json(const JsonSource& source, const JsonSource::Json& root) {
  if (!root.is_object()) source.fail("must hold a JSON object.");
  for (const char* key : kTopLevelKeys) {
    if (!root.contains(key)) source.fail(fmt::format("must have the key \"{}\"; it is missing.", key));
  }
  for (const auto& item : root.items()) {
    if (std::find(kTopLevelKeys.begin(), kTopLevelKeys.end(), item.key()) == kTopLevelKeys.end()) {
      source.unread(fmt::format("must have no key but the nine of the format; got \"{}\".", item.key()));
    }
  }
  if (root.at("version") != "1.0") {
    source.unread(fmt::format("must be of version \"1.0\"; got {}.", JsonSource::shown(root.at("version"))));
  }
  const JsonSource::Json& model = root.at("model");
  const std::optional<std::string> type = model.is_object() ? JsonSource::text_of(model, "type") : std::nullopt;
  if (type != "BPE" && type != "WordPiece" && type != "WordLevel") {
    source.unread(fmt::format("must have a model of type \"BPE\", \"WordPiece\" or \"WordLevel\"; got {}.",
                              type.value_or("none")));
  }
  if (!model.contains("vocab") || !model.at("vocab").is_object()) {
    source.fail("must have an object \"vocab\" in its model.");
  }
}

TokenizerFile read_char_json(const JsonSource& source, const JsonSource::Json& root) {
  return CharReader(source).read(root);
}

}  // namespace minnow
