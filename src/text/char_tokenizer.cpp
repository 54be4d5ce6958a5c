#include "minnow/text/char_tokenizer.hpp"

#include <fmt/format.h>

#include <array>

#include "minnow/base/error.hpp"
#include "minnow/text/utf8.hpp"
#include "text/tokenizer_json.hpp"

namespace minnow {
namespace {

constexpr std::size_t kPageSize = 0x1000;
constexpr std::size_t kPages = 0x110000 / kPageSize;
constexpr std::size_t kIdPage = 0x100;  // code points whose ids stand together

[[noreturn]] void throw_unknown(std::string_view text, std::size_t position, const Utf8Step& step, std::int32_t size) {
  const std::size_t index = count_characters(text.substr(0, position));
  const std::string what =
      step.valid ? describe_character(step.code_point)
                 : fmt::format("a byte that is not valid UTF-8 (0x{:02X})", static_cast<unsigned char>(text[position]));
  throw DataError(fmt::format(
      "[tokenizer] every character must be in the vocabulary of {} tokens; got {} at character {} (byte {}). "
      "Hint: leave it out, replace what is unknown (--unknown replace, or tokenizer.unknown = \"replace\"), or train "
      "with the "
      "byte tokenizer.",
      size, what, index, position));
}

}  // namespace

CharTokenizer::Builder::Builder() : pages_(kPages) {}

void CharTokenizer::Builder::add(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Step step = read_utf8(text, i);
    std::vector<bool>& page = pages_[step.code_point / kPageSize];
    if (page.empty()) page.resize(kPageSize, false);
    page[step.code_point % kPageSize] = true;
    i += step.length;
  }
}

std::shared_ptr<const CharTokenizer> CharTokenizer::Builder::build(bool with_boundary) const {
  std::vector<std::string> pieces;
  if (with_boundary) pieces.emplace_back(kBoundaryPiece);
  bool only_blank = true;
  for (std::size_t code = 0; code < kPages * kPageSize; ++code) {
    const std::vector<bool>& page = pages_[code / kPageSize];
    if (page.empty()) code += kPageSize - 1;
    if (page.empty() || !page[code % kPageSize]) continue;
    const auto code_point = static_cast<char32_t>(code);
    append_utf8(pieces.emplace_back(), code_point);
    only_blank = only_blank && is_white_space(code_point);
  }
  if (only_blank) {
    throw DataError(
        "[tokenizer] text must hold characters to learn from; got an empty or blank text. Hint: check that the data "
        "path "
        "names the file you meant.");
  }
  return std::make_shared<CharTokenizer>(std::move(pieces), with_boundary ? 0 : -1);
}

std::shared_ptr<const CharTokenizer> CharTokenizer::train(std::string_view corpus, bool with_boundary) {
  Builder builder;
  builder.add(corpus);
  return builder.build(with_boundary);
}

CharTokenizer::CharTokenizer(std::vector<std::string> pieces, std::int32_t boundary, bool begins)
    : pieces_(std::move(pieces)), boundary_(boundary), begins_(begins), pages_(0x110000 / kIdPage), ids_(kIdPage, -1) {
  for (std::int32_t id = 0; id < vocab_size(); ++id) {
    if (id == boundary_) continue;
    const std::string& piece = pieces_[static_cast<std::size_t>(id)];
    const Utf8Step step = piece.empty() ? Utf8Step{} : read_utf8(piece, 0);
    if (!step.valid || step.length != piece.size()) {
      throw DataError(
          fmt::format("[tokenizer] a character vocabulary must hold single characters; got \"{}\" for id {}.",
                      replace_invalid_utf8(piece), id));
    }
    if (lookup(step.code_point) >= 0) {
      throw DataError(fmt::format("[tokenizer] a vocabulary must hold each character once; got {} again for id {}.",
                                  describe_character(step.code_point), id));
    }
    std::int32_t& page = pages_[step.code_point / kIdPage];
    if (page == 0) {
      page = static_cast<std::int32_t>(ids_.size());
      ids_.resize(ids_.size() + kIdPage, -1);
    }
    ids_[static_cast<std::size_t>(page) + step.code_point % kIdPage] = id;
  }
  for (const char32_t candidate : std::array<char32_t, 4>{kReplacementCharacter, U'?', U' ', U'\n'}) {
    const std::int32_t id = lookup(candidate);
    if (id < 0) continue;
    fallback_ = id;
    break;
  }
}

std::optional<std::int32_t> CharTokenizer::boundary_id() const noexcept {
  return boundary_ < 0 ? std::nullopt : std::optional(boundary_);
}

std::optional<std::int32_t> CharTokenizer::begin_id() const noexcept { return begins_ ? boundary_id() : std::nullopt; }

std::int32_t CharTokenizer::lookup(char32_t code_point) const {
  return ids_[static_cast<std::size_t>(pages_[code_point / kIdPage]) + code_point % kIdPage];
}

void CharTokenizer::encode_into(std::string_view text, std::vector<std::int32_t>& ids, UnknownCharacter unknown) const {
  ids.reserve(ids.size() + text.size());
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Step step = read_utf8(text, i);
    const std::int32_t id = lookup(step.code_point);
    if (id >= 0) {
      ids.push_back(id);
    } else if (unknown == UnknownCharacter::kError) {
      throw_unknown(text, i, step, vocab_size());
    } else if (fallback_) {
      ids.push_back(*fallback_);
    }
    i += step.length;
  }
}

UnknownText CharTokenizer::unknown_in(std::string_view text) const {
  UnknownText unknown;
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Step step = read_utf8(text, i);
    const bool known = lookup(step.code_point) >= 0;
    unknown.characters += known ? 0 : 1;
    unknown.ill_formed += known && !step.valid ? 1 : 0;
    unknown.bytes += known && step.valid ? 0 : static_cast<std::int64_t>(step.length);
    i += step.length;
  }
  return unknown;
}

std::size_t CharTokenizer::cut_before(std::string_view text, std::size_t position) const {
  // At most three bytes of the form 10xxxxxx belong to the byte before them; behind any other byte a new step begins.
  for (std::size_t back = 0; back <= 3; ++back) {
    if (back > position) return 0;
    if ((static_cast<unsigned char>(text[position - back]) & 0xC0U) != 0x80U) return position - back;
  }
  return position;
}

std::string_view CharTokenizer::bytes_of(std::int32_t id) const {
  check_id(id);
  if (id == boundary_) return {};
  return pieces_[static_cast<std::size_t>(id)];
}

std::string CharTokenizer::piece_of(std::int32_t id) const {
  check_id(id);
  return pieces_[static_cast<std::size_t>(id)];
}

std::optional<std::int32_t> CharTokenizer::id_of(std::string_view piece) const {
  if (boundary_ >= 0 && piece == pieces_[static_cast<std::size_t>(boundary_)]) return boundary_;
  if (piece.empty()) return std::nullopt;
  const Utf8Step step = read_utf8(piece, 0);
  if (!step.valid || step.length != piece.size()) return std::nullopt;
  const std::int32_t id = lookup(step.code_point);
  return id < 0 ? std::nullopt : std::optional(id);
}

std::string CharTokenizer::to_json() const { return write_tokenizer_json({VocabularyKind::kChar, pieces_, boundary_}); }

}  // namespace minnow
