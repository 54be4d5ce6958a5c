#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "minnow/base/error.hpp"
#include "text/tokenizer_json.hpp"

namespace minnow {
namespace {

using Json = nlohmann::json;

// The largest vocabularies in use (a quarter of a million tokens) take about 30 MB.
constexpr std::size_t kMaxBytes = 64U << 20;
// tokenizer.json needs six levels; deeper input is hostile.
constexpr int kMaxDepth = 64;
constexpr std::array kTopLevelKeys = {"version",       "truncation",     "padding", "added_tokens", "normalizer",
                                      "pre_tokenizer", "post_processor", "decoder", "model"};

/// Reads the parts of one file; every error names the file.
class Reader {
 public:
  explicit Reader(std::string_view source) : source_(source) {}

  TokenizerFile read(std::string_view text) {
    const Json root = parse(text);
    check_top_level(root);
    const Json& model = root.at("model");
    check_model(model);
    TokenizerFile file;
    file.kind = kind_of(root);
    file.pieces = pieces_of(model.at("vocab"));
    file.boundary = add_special(root, file.pieces);
    return file;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(fmt::format("[tokenizer] {}: {}", source_, what));
  }

  [[nodiscard]] Json parse(std::string_view text) const {
    if (text.size() > kMaxBytes) fail(fmt::format("must be at most {} bytes; got {}.", kMaxBytes, text.size()));
    const auto watch = [&](int depth, Json::parse_event_t, Json&) {
      if (depth > kMaxDepth) fail(fmt::format("must be nested at most {} deep; got more.", kMaxDepth));
      return true;
    };
    try {
      return Json::parse(text, watch);
    } catch (const Json::exception& error) {
      fail(fmt::format("must be JSON; got \"{}\".", error.what()));
    }
  }

  void check_top_level(const Json& root) const {
    if (!root.is_object()) fail("must hold a JSON object.");
    for (const char* key : kTopLevelKeys) {
      if (!root.contains(key)) fail(fmt::format("must have the key \"{}\"; it is missing.", key));
    }
    for (const auto& item : root.items()) {
      if (std::find(kTopLevelKeys.begin(), kTopLevelKeys.end(), item.key()) == kTopLevelKeys.end()) {
        fail(fmt::format("must have no key but the nine of the format; got \"{}\".", item.key()));
      }
    }
    if (root.at("version") != "1.0")
      fail(fmt::format("must be of version \"1.0\"; got {}.", shown(root.at("version"))));
    if (!root.at("normalizer").is_null()) fail("must have no normalizer: minnow leaves text as it is.");
  }

  void check_model(const Json& model) const {
    if (!model.is_object() || text_of(model, "type") != "BPE") fail("must have a model of type \"BPE\".");
    if (!model.contains("vocab") || !model.at("vocab").is_object()) fail("must have an object \"vocab\" in its model.");
    if (!model.contains("merges") || !model.at("merges").is_array()) fail("must have a list \"merges\" in its model.");
    if (!model.at("merges").empty()) {
      fail(fmt::format("must be a character or byte vocabulary without merges; got {} merges.",
                       model.at("merges").size()));
    }
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      const std::optional<std::string> affix = text_of(model, key);
      if (affix && !affix->empty()) fail(fmt::format("must have no {}; got \"{}\".", key, *affix));
    }
  }

  [[nodiscard]] VocabularyKind kind_of(const Json& root) const {
    const Json& before = root.at("pre_tokenizer");
    if (before.is_null()) return VocabularyKind::kChar;
    if (!before.is_object() || text_of(before, "type") != "ByteLevel") {
      fail("must have the pre-tokenizer null (characters) or ByteLevel (bytes); got another one.");
    }
    if (before.contains("add_prefix_space") && before.at("add_prefix_space") != false) {
      fail("must have add_prefix_space false in its pre-tokenizer.");
    }
    return VocabularyKind::kByte;
  }

  [[nodiscard]] std::vector<std::string> pieces_of(const Json& vocab) const {
    std::vector<std::string> pieces(vocab.size());
    for (const auto& item : vocab.items()) {
      place(pieces, item.key(), id_of(item.value(), pieces.size()));
    }
    return pieces;
  }

  void place(std::vector<std::string>& pieces, const std::string& piece, std::size_t id) const {
    if (piece.empty()) fail("must have no empty piece in its vocabulary.");
    if (!pieces[id].empty()) fail(fmt::format("must give every token an id of its own; id {} is there twice.", id));
    pieces[id] = piece;
  }

  [[nodiscard]] std::size_t id_of(const Json& value, std::size_t size) const {
    if (value.is_number_unsigned() && value.get<std::uint64_t>() < size) return value.get<std::size_t>();
    fail(
        fmt::format("must number its {} tokens 0 .. {}; got the id {}.", size, size == 0 ? 0 : size - 1, shown(value)));
  }

  /// The boundary is the one special token; it may stand in the vocabulary too or follow it.
  [[nodiscard]] std::int32_t add_special(const Json& root, std::vector<std::string>& pieces) const {
    const Json& added = root.at("added_tokens");
    if (added.is_null()) return -1;
    if (!added.is_array()) fail("must have a list of added_tokens.");
    if (added.empty()) return -1;
    if (added.size() > 1)
      fail(fmt::format("must have at most one added token, the document boundary; got {}.", added.size()));
    const Json& token = added.front();
    const std::optional<std::string> content = token.is_object() ? text_of(token, "content") : std::nullopt;
    if (!content || !token.contains("id")) fail("must give its added token an id and a content.");
    const auto known = std::find(pieces.begin(), pieces.end(), *content);
    // The vocabulary's number wins over the list's, as in the library.
    if (known != pieces.end()) return static_cast<std::int32_t>(known - pieces.begin());
    pieces.emplace_back();
    const std::size_t id = id_of(token.at("id"), pieces.size());
    place(pieces, *content, id);
    return static_cast<std::int32_t>(id);
  }

  [[nodiscard]] static std::optional<std::string> text_of(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string()) return std::nullopt;
    return found->get<std::string>();
  }

  [[nodiscard]] static std::string shown(const Json& value) {
    std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (text.size() > 40) text = text.substr(0, 40) + "...";
    return text;
  }

  std::string source_;
};

}  // namespace

TokenizerFile read_tokenizer_json(std::string_view text, std::string_view source) { return Reader(source).read(text); }

}  // namespace minnow
