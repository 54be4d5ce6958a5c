#include "minnow/data/text_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "data/byte_stream.hpp"
#include "data/jsonl.hpp"
#include "data/text_bytes.hpp"
#include "minnow/base/error.hpp"

namespace minnow {
namespace {

constexpr std::size_t kChunkBytes = 1U << 20;      // read at once
constexpr std::size_t kLongestUncut = 256U << 20;  // bytes of a text that no tokenizer cuts

}  // namespace

/// The text that is read now: a file of plain text as it comes, or one line of a .jsonl file after the other.
struct TextReader::Unit {
  std::unique_ptr<ByteStream> stream;    // plain text
  std::unique_ptr<JsonlReader> records;  // JSON Lines
  std::unique_ptr<TextCleaner> cleaner;
  std::filesystem::path path;
  std::string chunk, text;   // what was read; what is to be given
  std::int64_t dropped = 0;  // bytes of text that were given and are no longer held
  std::size_t position = 0;  // in text
  std::size_t wanted = 0;    // bytes behind position before a piece is cut
  bool complete = false;     // text is all there is of the file or record
  bool begun = false;        // its document was begun
  bool given = false;        // a piece of the present line was given
};

TextReader::TextReader(std::vector<std::filesystem::path> files, TextReaderOptions options)
    : files_(std::move(files)), options_(std::move(options)) {
  if (!options_.cut_before) options_.cut_before = character_start;
}

TextReader::~TextReader() = default;

std::uint64_t TextReader::consumed() const {
  if (!unit_) return consumed_before_;
  return consumed_before_ + (unit_->records ? unit_->records->consumed() : unit_->stream->consumed());
}

/// Goes on to the next record or file. @return false when there is none.
bool TextReader::open_unit() {
  for (;;) {
    if (unit_ && unit_->records) {
      Unit& unit = *unit_;
      if (unit.records->next(unit.text)) {
        drop_crlf(unit.text);
        if (options_.documents == Documents::kStream) unit.text += '\n';
        unit.position = 0;
        unit.dropped = 0;
        unit.begun = unit.given = false;
        return true;
      }
    }
    consumed_before_ = consumed();
    unit_.reset();
    if (next_file_ == files_.size()) return false;
    auto unit = std::make_unique<Unit>();
    unit->path = files_[next_file_++];
    unit->wanted = 2 * options_.piece_bytes;
    auto stream = open_bytes(unit->path);
    const bool input = unit->path == kStandardInput;
    if (input ? options_.input_is_jsonl : is_jsonl_name(unit->path)) {
      unit->records = std::make_unique<JsonlReader>(std::move(stream), input ? "standard input" : unit->path.string(),
                                                    options_.field);
      unit->complete = true;
      unit_ = std::move(unit);
      continue;
    }
    unit->stream = std::move(stream);
    unit->cleaner = std::make_unique<TextCleaner>();
    unit_ = std::move(unit);
    return true;
  }
}

void TextReader::fill() {
  Unit& unit = *unit_;
  unit.text.erase(0, unit.position);
  unit.dropped += static_cast<std::int64_t>(unit.position);
  unit.position = 0;
  unit.chunk.resize(kChunkBytes);
  const std::size_t got = unit.stream->read(unit.chunk);
  unit.cleaner->add(std::string_view(unit.chunk).substr(0, got), got == 0, unit.text);
  unit.complete = got == 0;
}

/// @param end  of the present document's text in unit_->text, as far as it is known
/// @param whole  the document ends there
/// @return false when more must be read first.
bool TextReader::find_end(std::size_t& end, bool& whole) {
  const Unit& unit = *unit_;
  end = unit.text.size();
  whole = unit.complete;
  if (options_.documents == Documents::kLines) {
    const std::size_t line_end = unit.text.find('\n', unit.position);
    if (line_end != std::string::npos) {
      end = line_end;
      whole = true;
    }
  }
  return whole || end - unit.position >= unit.wanted;
}

/// @return how much of `rest` is the next piece; 0 when more must be read to know.
std::size_t TextReader::piece_length(std::string_view rest, bool whole) {
  if (rest.size() <= options_.piece_bytes) return rest.size();
  const std::size_t cut = options_.cut_before(rest, options_.piece_bytes);
  if (cut > 0 || whole) return cut > 0 ? cut : rest.size();
  if (rest.size() > kLongestUncut) {
    throw DataError(fmt::format(
        "[data] {}: a text must have places where the tokenizer can cut it; it has {} bytes in a row without one.",
        unit_->path.string(), kLongestUncut));
  }
  unit_->wanted = 2 * rest.size();
  return 0;
}

std::string TextReader::place_of(const TextPiece& piece) const {
  const std::filesystem::path& path = files_[piece.file];
  const std::string name = path == kStandardInput ? "standard input" : path.string();
  if (piece.line > 0) return fmt::format("{}:{}", name, piece.line);
  return fmt::format("{}, from byte {} of its text on", name, piece.offset);
}

std::string TextReader::place_of(const TextPiece& piece, std::size_t at) const {
  const std::string whole = place_of(piece);
  const std::int64_t byte = piece.offset + static_cast<std::int64_t>(at);
  return fmt::format("{}, byte {} of its text", std::string_view(whole).substr(0, whole.rfind(", from byte ")), byte);
}

bool TextReader::next(TextPiece& piece) {
  for (;;) {
    if (!unit_ && !open_unit()) return false;
    Unit& unit = *unit_;
    std::size_t end = 0;
    bool whole = false;
    if (!find_end(end, whole)) {
      fill();
      continue;
    }
    const bool lines = options_.documents == Documents::kLines;
    if (unit.position == end) {
      if (end < unit.text.size()) {  // the line feed of a line
        ++unit.position;
        unit.given = false;
      } else if (!open_unit()) {
        return false;
      }
      continue;
    }
    const auto rest = std::string_view(unit.text).substr(unit.position, end - unit.position);
    const std::size_t length = piece_length(rest, whole);
    if (length == 0) {
      fill();
      continue;
    }
    unit.wanted = 2 * options_.piece_bytes;
    piece.text = rest.substr(0, length);
    piece.begins = options_.documents == Documents::kStream ? false : lines ? !unit.given : !unit.begun;
    piece.file = next_file_ - 1;
    piece.line = unit.records ? unit.records->line() : 0;
    piece.offset = unit.dropped + static_cast<std::int64_t>(unit.position);
    unit.begun = unit.given = true;
    unit.position += length;
    return true;
  }
}

}  // namespace minnow
