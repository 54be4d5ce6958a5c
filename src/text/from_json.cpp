#include <algorithm>

#include "minnow/text/bpe_tokenizer.hpp"
#include "minnow/text/byte_tokenizer.hpp"
#include "minnow/text/char_tokenizer.hpp"
#include "minnow/text/sentencepiece_tokenizer.hpp"
#include "minnow/text/word_tokenizer.hpp"
#include "text/base64.hpp"
#include "text/tokenizer_json.hpp"

namespace minnow {
namespace {

/// Whether a model is what ByteTokenizer writes: every byte, at most a boundary, and no merge.
bool is_byte_vocabulary(const BpeModel& model) {
  if (!model.merges.empty() || model.added.size() > 1 || model.pieces.size() != 256 + model.added.size()) return false;
  if (model.pattern != SplitPattern::kGpt2 || model.add_prefix_space || model.ignore_merges) return false;
  if (model.post_processor != "null") return false;
  const std::int32_t boundary = model.added.empty() ? -1 : model.added.front().id;
  if (boundary >= 0 &&
      model.added.front() != AddedToken{.id = boundary, .content = model.pieces[static_cast<std::size_t>(boundary)]}) {
    return false;
  }
  for (std::size_t id = 0; id < model.pieces.size(); ++id) {
    const std::string& piece = model.pieces[id];
    const bool byte =
        !piece.empty() && bytes_of_piece(piece).size() == 1 && piece_of_bytes(bytes_of_piece(piece)) == piece;
    if (byte == (static_cast<std::int32_t>(id) == boundary)) return false;
  }
  return true;
}

}  // namespace

std::shared_ptr<const Tokenizer> Tokenizer::from_json(std::string_view json, std::string_view source) {
  const JsonSource file(source);
  const JsonSource::Json root = file.parse(json);
  if (root.is_object() && JsonSource::text_of(root, "type") == "SentencePiece") {
    std::string model;
    if (!decode_base64(JsonSource::text_of(root, "model").value_or(""), model)) {
      file.fail("must have the bytes of a SentencePiece model, in base64, as \"model\".");
    }
    return std::make_shared<SentencePieceTokenizer>(std::move(model), source);
  }
  check_tokenizer_json(file, root);
  if (JsonSource::text_of(root.at("model"), "type") != "BPE") {
    return std::make_shared<WordTokenizer>(read_word_json(file, root));
  }
  check_bpe(file, root);
  if (merges_characters(root)) return std::make_shared<BpeTokenizer>(read_bpe_json(file, root));
  if (root.at("pre_tokenizer").is_null()) {
    TokenizerFile characters = read_char_json(file, root);
    return std::make_shared<CharTokenizer>(std::move(characters.pieces), characters.boundary, characters.begins);
  }
  BpeModel model = read_bpe_json(file, root);
  if (!is_byte_vocabulary(model)) return std::make_shared<BpeTokenizer>(std::move(model));
  return std::make_shared<ByteTokenizer>(model.pieces, model.added.empty() ? -1 : model.added.front().id);
}

}  // namespace minnow
