#include "minnow/data/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "data/byte_stream.hpp"
#include "data/encoding_scan.hpp"
#include "data/leak_finder.hpp"
#include "data/passage_finder.hpp"
#include "data/repeat_finder.hpp"
#include "data/text_block.hpp"
#include "data/token_counts.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/base/parallel.hpp"
#include "minnow/data/text_reader.hpp"
#include "minnow/text/char_tokenizer.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCodePoints = 0x110000;
constexpr std::size_t kShownPlaces = 5;
constexpr std::int64_t kLineShare = 1000;  // repeated lines of less than a thousandth of the text are no finding

std::string plural(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped(count), count == 1 ? one : many);
}

/// Collects what is found of one kind.
struct CheckTally {
  std::int64_t count = 0;
  std::vector<std::string> places;

  /// @param place  called for the first few alone: whole files may be of this kind
  template <class Place>
  void add(const Place& place, std::int64_t times = 1) {
    count += times;
    if (places.size() < kShownPlaces) places.push_back(place());
  }
  /// What a look at the file itself found.
  void add(std::int64_t times, const std::vector<std::string>& first) {
    count += times;
    for (const std::string& place : first) {
      if (places.size() < kShownPlaces) places.push_back(place);
    }
  }
};

/// Texts are read more than once; throws IoError for what can be read once or has no end.
void require_regular_files(const std::vector<fs::path>& files) {
  for (const fs::path& file : files) {
    std::error_code error;  // what cannot be read is judged later
    const fs::file_status status = fs::status(file, error);
    if (file == kStandardInput || error || fs::is_regular_file(status) || fs::is_directory(status)) continue;
    throw IoError(
        fmt::format("[data] a text that is read more than once must be a regular file; got a device, pipe or socket: "
                    "{}. Hint: write it into a file first.",
                    file.string()));
  }
}

/// Reads the texts block by block and puts each look together.
class TextCheck {
 public:
  explicit TextCheck(const CheckOptions& options) : options_(options), characters_(kCodePoints) {}

  CheckReport run() {
    require_regular_files(options_.files);
    require_regular_files(options_.validation);
    tokenizer_ = options_.tokenizer ? options_.tokenizer : characters_of_texts();
    if (tokenizer_) counts_.emplace(tokenizer_->vocab_size());
    // Where there is one document it shares nothing.
    const bool many = options_.documents == Documents::kLines || options_.files.size() > 1;
    if (many || (options_.files.size() == 1 && is_jsonl_name(options_.files.front()))) passages_.emplace();
    learn_validation();
    bool going_on = !stopped();
    for (auto file = options_.files.begin(); going_on && file != options_.files.end(); ++file)
      going_on = check_file(*file);
    report_.finished = going_on;
    if (going_on) conclude();
    return report_;
  }

 private:
  [[nodiscard]] bool stopped() const { return options_.interrupted && options_.interrupted(); }

  TextReaderOptions reading() const {
    TextReaderOptions reading{
        .documents = options_.documents == Documents::kLines ? Documents::kLines : Documents::kFiles,
        .field = options_.text_field};
    if (tokenizer_) {
      reading.cut_before = [this](std::string_view text, std::size_t position) {
        return tokenizer_->cut_before(text, position);
      };
    }
    return reading;
  }

  /// @return null when there are no characters; files that cannot be read are judged later.
  std::shared_ptr<const Tokenizer> characters_of_texts() const {
    CharTokenizer::Builder builder;
    bool any = false;
    for (const fs::path& file : options_.files) {
      try {
        TextReader reader({file}, reading());
        for (TextPiece piece; reader.next(piece);) {
          if (stopped()) return nullptr;
          builder.add(piece.text);
          any = any || piece.text.find_first_not_of(" \t\n\r") != std::string_view::npos;
        }
      } catch (const DataError&) {
        continue;
      }
    }
    try {
      return any ? builder.build() : nullptr;
    } catch (const DataError&) {  // white space of other kinds alone
      return nullptr;
    }
  }

  void learn_validation() {
    if (options_.validation.empty()) return;
    leaks_.emplace();
    TextReader reader(options_.validation, reading());
    bool any = false;
    for (TextPiece piece; !stopped() && reader.next(piece);) {
      any = any || !piece.text.empty();
      if (piece.begins) leaks_->begin_text();
      leaks_->learn(piece.text, piece.offset);
    }
    if (!any && !stopped()) empty_.add([&] { return options_.validation.front().string() + " (validation)"; });
  }

  /// @return false when interrupted.
  bool check_file(const fs::path& file) {
    ++report_.files;
    TextReader reader({file}, reading());
    const std::int64_t bytes_before = report_.text_bytes;
    const EncodingScan scan = file == kStandardInput ? EncodingScan{} : scan_encoding(file, kShownPlaces);
    by_scan_ = scan.read;
    encoding_.add(scan.errors, scan.places);
    nulls_.add(scan.nulls, scan.null_places);
    repeats_.begin_file();
    file_name_ = file.string();
    blank_ = true;
    try {
      TextBlock block;
      while (block.read(reader)) {
        look(block, reader);
        if (options_.progress) options_.progress(consumed_ + reader.consumed());
        if (stopped()) return false;
      }
      end_document();
      if (blank_) {
        const char* const what = report_.text_bytes == bytes_before ? "" : " (white space only)";
        empty_.add([&] { return file.string() + what; });
      }
    } catch (const DataError& error) {
      end_document();
      unreadable_.add([&] { return std::string(error.what()); });
    }
    consumed_ += reader.consumed();
    return true;
  }

  void end_document() {
    repeats_.end_document();
    if (passages_) passages_->end_document(repeats_.last_was_repeated());
  }

  /// The looks share nothing but the text, so each is a task of a thread.
  void look(TextBlock& block, const TextReader& reader) {
    if (tokenizer_) block.encode(*tokenizer_, UnknownCharacter::kReplace, reader);
    parallel_chunks(4, [&](Index look) {
      if (look == 0) look_at_characters(block, reader);
      if (look == 1) look_for_repeats(block, reader);
      if (look == 2) look_for_leaks(block);
      if (look == 3) count_tokens(block);
    });
  }

  void look_at_characters(const TextBlock& block, const TextReader& reader) {
    for (const TextBlock::Piece& piece : block.pieces()) {
      const std::string_view text = block.text(piece);
      report_.text_bytes += static_cast<std::int64_t>(text.size());
      if (piece.place.begins) ++report_.documents;
      count_characters_of(text, [&](std::size_t at) { return reader.place_of(piece.place, at); });
    }
  }

  void look_for_repeats(const TextBlock& block, const TextReader& reader) {
    for (const TextBlock::Piece& piece : block.pieces()) {
      const std::string_view text = block.text(piece);
      const auto place = [&] { return reader.place_of(piece.place); };
      if (options_.documents == Documents::kLines) {
        repeats_.add_line_document(text, piece.place.begins, place);
      } else {
        repeats_.add(text, piece.place, place);
      }
      look_for_passages(text, piece.place);
    }
  }

  void look_for_leaks(const TextBlock& block) {
    if (!leaks_) return;
    for (const TextBlock::Piece& piece : block.pieces()) {
      if (piece.place.begins) leaks_->begin_text();
      leaks_->search(block.text(piece), piece.place.offset);
    }
  }

  void count_tokens(const TextBlock& block) {
    if (!counts_) return;
    for (const TextBlock::Piece& piece : block.pieces()) {
      if (piece.place.begins) counts_->begin_document();
      counts_->add(block.ids(piece));
    }
  }

  void look_for_passages(std::string_view text, const TextPiece& piece) {
    if (!passages_) return;
    if (piece.begins) {
      passages_->end_document(repeats_.last_was_repeated());
      passages_->begin_document(file_name_, piece.line);
    }
    passages_->add(text, piece.offset);
  }

  /// @param place  of the byte at a position of the text
  template <class Place>
  void count_characters_of(std::string_view text, const Place& place) {
    for (std::size_t i = 0; i < text.size();) {
      const auto byte = static_cast<unsigned char>(text[i]);
      const Utf8Step step = byte < 0x80 ? Utf8Step{byte, 1, true, false} : read_utf8(text, i);
      const auto here = [&] { return place(i); };
      if (!step.valid && !by_scan_) encoding_.add(here);
      if (step.code_point == 0 && !by_scan_) nulls_.add(here);
      if (step.valid && characters_[step.code_point]++ == 0) judge_character(step.code_point, here);
      if (blank_ && !is_white_space(step.code_point)) blank_ = false;
      ++report_.characters;
      i += step.length;
    }
  }

  /// Asks the tokenizer about a character that is seen for the first time.
  template <class Place>
  void judge_character(char32_t code_point, const Place& place) {
    ++report_.distinct_characters;
    if (!options_.tokenizer) return;
    std::string text;
    append_utf8(text, code_point);
    std::vector<std::int32_t> ids;
    try {
      options_.tokenizer->encode_into(text, ids);
    } catch (const DataError&) {
      unknown_.push_back(code_point);
      if (unknown_places_.size() < kShownPlaces)
        unknown_places_.push_back(fmt::format("{} in {}", describe_character(code_point), place()));
    }
  }

  void conclude() {
    report_.lines = repeats_.lines();
    report_.file_bytes = static_cast<std::int64_t>(consumed_);
    if (counts_) {
      report_.tokens = counts_->tokens();
      report_.vocab_size = tokenizer_->vocab_size();
      report_.used_tokens = counts_->used();
      report_.uniform_nats = std::log(static_cast<double>(report_.vocab_size));
      report_.unigram_nats = counts_->unigram_nats();
      report_.bigram_nats = counts_->bigram_nats();
      report_.bigram_tokens = counts_->bigram_tokens();
    }
    conclude_bytes();
    conclude_repeats();
    conclude_passages();
    conclude_leakage();
    conclude_unknown();
  }

  void found(std::string kind, std::int64_t count, std::string text, std::vector<std::string> places) {
    if (count > 0) report_.findings.push_back({std::move(kind), count, std::move(text), std::move(places)});
  }

  void conclude_bytes() {
    found("unreadable", unreadable_.count,
          fmt::format("{} cannot be read to the end", plural(unreadable_.count, "file", "files")), unreadable_.places);
    found("encoding", encoding_.count,
          fmt::format(
              "{} not valid UTF-8; characters and words are lost there, only bytes are kept by the byte tokenizer",
              plural(encoding_.count, "place is", "places are")),
          encoding_.places);
    found("null_characters", nulls_.count,
          fmt::format("{} U+0000: is it UTF-16, or no text at all?",
                      plural(nulls_.count, "character is", "characters are")),
          nulls_.places);
    found("empty", empty_.count, fmt::format("{} no text", plural(empty_.count, "file holds", "files hold")),
          empty_.places);
  }

  void conclude_repeats() {
    const auto add = [&](const char* kind, const RepeatFinder::Repeats& repeats, std::string_view one,
                         std::string_view many, std::int64_t of) {
      const double share =
          static_cast<double>(repeats.bytes) / static_cast<double>(std::max<std::int64_t>(1, report_.text_bytes));
      found(kind, repeats.count,
            fmt::format("{}{} of {} there before, {:.1f} % of the text", repeats.estimated ? "about " : "",
                        plural(repeats.count, one, many), grouped(of), 100 * share),
            repeats.places);
    };
    add("duplicate_documents", repeats_.documents(), "document was", "documents were", report_.documents);
    // A refrain, a heading: what is no part of the text to speak of.
    const RepeatFinder::Repeats lines = repeats_.long_lines();
    if (lines.bytes * kLineShare >= report_.text_bytes)
      add("duplicate_lines", lines, "line was", "lines were", report_.lines);
  }

  void conclude_passages() {
    if (!passages_ || passages_->stretches() * kLineShare < report_.text_bytes) return;
    const double share = static_cast<double>(passages_->stretches()) /
                         static_cast<double>(std::max<std::int64_t>(1, report_.text_bytes));
    found(
        "shared_passages", passages_->documents(),
        fmt::format("{}{} of {} passages of {} bytes and more with an earlier one, {:.1f} % of the text",
                    passages_->is_part() ? "at least " : "", plural(passages_->documents(), "document", "documents"),
                    fmt::format("{} {}", grouped(report_.documents), passages_->documents() == 1 ? "shares" : "share"),
                    kLeakBytes, 100 * share),
        passages_->places());
  }

  void conclude_leakage() {
    if (!leaks_ || leaks_->found() == 0) return;
    const LeakFinder::Match& first = leaks_->first();
    const double share =
        static_cast<double>(leaks_->found()) / static_cast<double>(std::max<std::int64_t>(1, leaks_->known()));
    found("leakage", leaks_->found(),
          fmt::format("{:.3g} % of the validation's stretches of {} bytes are in the training text too", 100 * share,
                      kLeakBytes),
          {fmt::format("byte {} of the validation's text is byte {} of the training text: \"{}\"", first.validation,
                       first.training, replace_invalid_utf8(first.text))});
  }

  void conclude_unknown() {
    std::int64_t count = 0;
    for (const char32_t code_point : unknown_) count += characters_[code_point];
    found(
        "unknown_characters", count,
        fmt::format("{} of {} {} not in the vocabulary of {}", plural(count, "character", "characters"),
                    grouped(static_cast<std::int64_t>(unknown_.size())), unknown_.size() == 1 ? "kind is" : "kinds are",
                    tokenizer_ ? grouped(tokenizer_->vocab_size()) : ""),
        unknown_places_);
  }

  const CheckOptions& options_;
  CheckReport report_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::optional<TokenCounts> counts_;
  std::optional<LeakFinder> leaks_;
  std::optional<PassageFinder> passages_;
  std::string file_name_;
  RepeatFinder repeats_;
  std::vector<std::int64_t> characters_;  // how often, by code point
  std::vector<char32_t> unknown_;
  std::vector<std::string> unknown_places_;
  CheckTally unreadable_, encoding_, nulls_, empty_;
  std::uint64_t consumed_ = 0;
  bool by_scan_ = false;  // the file's encoding was judged in the file itself
  bool blank_ = true;     // the file had white space alone so far
};

}  // namespace

CheckReport check_texts(const CheckOptions& options) { return TextCheck(options).run(); }

}  // namespace minnow
