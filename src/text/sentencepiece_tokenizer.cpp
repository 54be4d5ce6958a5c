#include "minnow/text/sentencepiece_tokenizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "minnow/base/error.hpp"
#include "minnow/text/utf8.hpp"
#include "text/base64.hpp"

#ifdef MINNOW_HAS_SENTENCEPIECE
#include <sentencepiece_processor.h>
#endif

namespace minnow {
namespace {

// The largest models in use (a quarter of a million pieces) take about 5 MB.
[[maybe_unused]] constexpr std::size_t kMostModelBytes = 32U << 20;
// The library counts in 32 bits.
[[maybe_unused]] constexpr std::size_t kMostTextBytes = std::size_t{1} << 30U;

#ifdef MINNOW_HAS_SENTENCEPIECE

constexpr std::string_view kBlankSign = "\xE2\x96\x81";  // U+2581, how pieces spell a blank

/// Steps through the fields of a protobuf message. Source: protobuf's encoding (wire types 0, 1, 2 and 5).
class ProtoFields {
 public:
  explicit ProtoFields(std::string_view message) : rest_(message) {}

  /// @return false at the end, or where the bytes are no message.
  bool next() {
    bytes = {};
    if (rest_.empty() || !number(value)) return false;
    field = value >> 3U;
    switch (value & 7U) {
      case 0:
        return number(value);
      case 1:
        return skip(8);
      case 2:
        return number(value) && take(value);
      case 5:
        return skip(4);
      default:
        return false;
    }
  }

  std::uint64_t field = 0, value = 0;
  std::string_view bytes;

 private:
  bool number(std::uint64_t& into) {
    into = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      into |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
  bool take(std::uint64_t count) {
    if (count > rest_.size()) return false;
    bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return true;
  }
  bool skip(std::size_t count) { return take(count); }

  std::string_view rest_;
};

/// What a model does to a text before it is cut. Source: sentencepiece_model.proto, NormalizerSpec; absent means true.
struct Normalizing {
  std::string name;
  bool adds_blank = true, removes_blanks = true;
};

Normalizing normalizing_of(std::string_view model) {
  constexpr std::uint64_t kNormalizerSpec = 3, kName = 1, kAddDummyPrefix = 3, kRemoveExtraWhitespaces = 4;
  Normalizing found;
  for (ProtoFields fields(model); fields.next();) {
    if (fields.field != kNormalizerSpec) continue;
    for (ProtoFields spec(fields.bytes); spec.next();) {
      if (spec.field == kName) found.name = spec.bytes;
      if (spec.field == kAddDummyPrefix) found.adds_blank = spec.value != 0;
      if (spec.field == kRemoveExtraWhitespaces) found.removes_blanks = spec.value != 0;
    }
  }
  return found;
}

#endif

}  // namespace

#ifdef MINNOW_HAS_SENTENCEPIECE

bool has_sentencepiece() noexcept { return true; }

class SentencePieceTokenizer::Parts {
 public:
  Parts(std::string given, std::string_view source) : model(std::move(given)) {
    const auto refuse = [&](const std::string& what) {
      throw DataError(fmt::format("[tokenizer] {}: must be a SentencePiece model; {}.", source, what));
    };
    if (model.size() > kMostModelBytes) {
      refuse(fmt::format("it has {} bytes, and the largest have {}", model.size(), kMostModelBytes));
    }
    const auto status = processor.LoadFromSerializedProto(model);
    if (!status.ok()) refuse(replace_invalid_utf8(status.ToString()));
    if (processor.GetPieceSize() < 1) refuse("it has no pieces");
    const Normalizing normalizing = normalizing_of(model);
    keeps = normalizing.name == "identity" && !normalizing.removes_blanks;
    adds_blank = normalizing.adds_blank;
    for (int id = 0; id < processor.GetPieceSize(); ++id) spell(id);
  }

  std::string model;
  sentencepiece::SentencePieceProcessor processor;
  bool keeps = false, adds_blank = false;
  std::vector<std::string> bytes, first_bytes;  // by id: behind other tokens, and at the beginning

 private:
  void spell(int id) {
    std::string& text = bytes.emplace_back();
    const std::string& piece = processor.IdToPiece(id);
    if (processor.IsByte(id)) {
      text.push_back(static_cast<char>(std::stoi(piece.substr(3, 2), nullptr, 16)));  // <0x41>
    } else if (processor.IsUnknown(id)) {
      text = " \xE2\x81\x87 ";  // U+2047, two question marks, as the library writes it
    } else if (!processor.IsControl(id)) {
      for (std::size_t at = 0; at < piece.size();) {
        const bool blank = std::string_view(piece).substr(at).starts_with(kBlankSign);
        text.push_back(blank ? ' ' : piece[at]);
        at += blank ? kBlankSign.size() : 1;
      }
    }
    const bool drops = adds_blank && text.starts_with(' ') && !processor.IsUnknown(id) && !processor.IsByte(id);
    first_bytes.push_back(drops ? text.substr(1) : text);
  }
};

SentencePieceTokenizer::SentencePieceTokenizer(std::string model, std::string_view source)
    : parts_(std::make_unique<const Parts>(std::move(model), source)) {}

std::int32_t SentencePieceTokenizer::vocab_size() const noexcept { return parts_->processor.GetPieceSize(); }

std::optional<std::int32_t> SentencePieceTokenizer::boundary_id() const noexcept {
  const int id = parts_->processor.eos_id();
  return id < 0 ? std::nullopt : std::optional(id);
}

std::optional<std::int32_t> SentencePieceTokenizer::begin_id() const noexcept {
  const int id = parts_->processor.bos_id();
  return id < 0 ? std::nullopt : std::optional(id);
}

std::optional<std::int32_t> SentencePieceTokenizer::fallback_id() const noexcept {
  const int id = parts_->processor.unk_id();
  return id < 0 ? std::nullopt : std::optional(id);
}

void SentencePieceTokenizer::encode_into(std::string_view text, std::vector<std::int32_t>& ids,
                                         UnknownCharacter unknown) const {
  if (text.size() > kMostTextBytes) {
    throw DataError(
        fmt::format("[tokenizer] SentencePiece takes at most {} bytes at once; got {}. Hint: several files.",
                    kMostTextBytes, text.size()));
  }
  std::vector<int> made;
  const auto status = parts_->processor.Encode(text, &made);
  if (!status.ok()) throw DataError(fmt::format("[tokenizer] SentencePiece: {}", status.ToString()));
  if (unknown == UnknownCharacter::kError) {
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (!parts_->processor.IsUnknown(made[i])) continue;
      std::vector<std::string> pieces;
      (void)parts_->processor.Encode(text, &pieces).ok();
      throw DataError(
          fmt::format("[tokenizer] every character must be in the vocabulary of {} tokens; got \"{}\". Hint: replace "
                      "what is unknown "
                      "(--unknown replace, or tokenizer.unknown = \"replace\").",
                      vocab_size(), i < pieces.size() ? replace_invalid_utf8(pieces[i]) : ""));
    }
  }
  ids.insert(ids.end(), made.begin(), made.end());
}

UnknownText SentencePieceTokenizer::unknown_in(std::string_view text) const {
  UnknownText result;
  std::vector<int> ids;
  std::vector<std::string> pieces;
  if (!parts_->processor.Encode(text, &ids).ok() || !parts_->processor.Encode(text, &pieces).ok()) return result;
  for (std::size_t i = 0; i < std::min(ids.size(), pieces.size()); ++i) {
    if (!parts_->processor.IsUnknown(ids[i])) continue;
    ++result.characters;
    result.bytes += static_cast<std::int64_t>(pieces[i].size());
  }
  return result;
}

bool SentencePieceTokenizer::keeps_text() const noexcept { return parts_->keeps; }

bool SentencePieceTokenizer::adds_blank() const noexcept { return parts_->adds_blank; }

std::string_view SentencePieceTokenizer::bytes_of(std::int32_t id) const {
  check_id(id);
  return parts_->bytes[static_cast<std::size_t>(id)];
}

std::string_view SentencePieceTokenizer::first_bytes_of(std::int32_t id) const {
  check_id(id);
  return parts_->first_bytes[static_cast<std::size_t>(id)];
}

std::string SentencePieceTokenizer::piece_of(std::int32_t id) const {
  check_id(id);
  return parts_->processor.IdToPiece(id);
}

std::optional<std::int32_t> SentencePieceTokenizer::id_of(std::string_view piece) const {
  const int id = parts_->processor.PieceToId(piece);
  const bool known = id >= 0 && id < vocab_size() && parts_->processor.IdToPiece(id) == piece;
  return known ? std::optional(id) : std::nullopt;
}

const std::string& SentencePieceTokenizer::model() const noexcept { return parts_->model; }

#else

bool has_sentencepiece() noexcept { return false; }

class SentencePieceTokenizer::Parts {};

SentencePieceTokenizer::SentencePieceTokenizer(std::string, std::string_view source) {
  throw ConfigError(fmt::format(
      "[tokenizer] a SentencePiece model needs a minnow that was built with the library; got {}. Hint: install "
      "libsentencepiece-dev and build again, or convert the model to a tokenizer.json.",
      source));
}

// None of these is ever called: there is no such object.
std::int32_t SentencePieceTokenizer::vocab_size() const noexcept { return 0; }
std::optional<std::int32_t> SentencePieceTokenizer::boundary_id() const noexcept { return std::nullopt; }
std::optional<std::int32_t> SentencePieceTokenizer::begin_id() const noexcept { return std::nullopt; }
std::optional<std::int32_t> SentencePieceTokenizer::fallback_id() const noexcept { return std::nullopt; }
void SentencePieceTokenizer::encode_into(std::string_view, std::vector<std::int32_t>&, UnknownCharacter) const {}
UnknownText SentencePieceTokenizer::unknown_in(std::string_view) const { return {}; }
bool SentencePieceTokenizer::keeps_text() const noexcept { return false; }
bool SentencePieceTokenizer::adds_blank() const noexcept { return false; }
std::string_view SentencePieceTokenizer::bytes_of(std::int32_t) const { return {}; }
std::string_view SentencePieceTokenizer::first_bytes_of(std::int32_t) const { return {}; }
std::string SentencePieceTokenizer::piece_of(std::int32_t) const { return {}; }
std::optional<std::int32_t> SentencePieceTokenizer::id_of(std::string_view) const { return std::nullopt; }
const std::string& SentencePieceTokenizer::model() const noexcept {
  static const std::string none;
  return none;
}

#endif

SentencePieceTokenizer::~SentencePieceTokenizer() = default;

std::size_t SentencePieceTokenizer::cut_before(std::string_view, std::size_t) const { return 0; }

std::string SentencePieceTokenizer::to_json() const {
  const nlohmann::ordered_json json = {
      {"version", "1.0"}, {"type", "SentencePiece"}, {"model", encode_base64(model())}};
  return json.dump(2) + "\n";
}

}  // namespace minnow
