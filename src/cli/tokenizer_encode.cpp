#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "cli/human.hpp"
#include "cli/json_line.hpp"
#include "cli/terminal.hpp"
#include "cli/tokenizer_arguments.hpp"
#include "cli/tokenizer_view.hpp"
#include "minnow/base/error.hpp"
#include "minnow/text/bpe_tokenizer.hpp"
#include "minnow/text/utf8.hpp"
#include "minnow/text/word_tokenizer.hpp"
namespace minnow::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string text_to_encode(const TokenizerArguments& arguments) {
  PromptSource source = arguments.source;
  source.text = arguments.text;
  if (source.text == "-") std::swap(source.text, source.dash);
  if (!source.text.empty() && !source.file.empty()) {
    throw ConfigError("[tokenizer encode] only one of TEXT and --text-file may be given; got both");
  }
  return read_prompt(source);
}

/// Words that a vocabulary of words lacks have a token of their own; characters are an error unless asked otherwise.
UnknownCharacter unknown_of(const TokenizerArguments& arguments, const Tokenizer& tokenizer) {
  const bool words = tokenizer.name().starts_with("word");
  const bool replace = arguments.unknown.empty() ? words : arguments.unknown == "replace";
  return replace ? UnknownCharacter::kReplace : UnknownCharacter::kError;
}

std::vector<std::int32_t> ids_of(const TokenizerArguments& arguments, const Tokenizer& tokenizer,
                                 std::string_view text) {
  const auto* const bpe = dynamic_cast<const BpeTokenizer*>(&tokenizer);
  const auto* const words = dynamic_cast<const WordTokenizer*>(&tokenizer);
  if ((arguments.marked && bpe == nullptr && words == nullptr) || (arguments.framed && words == nullptr)) {
    throw ConfigError(fmt::format("[tokenizer encode] --{} needs a {}vocabulary of words; {} holds a {} tokenizer",
                                  arguments.marked ? "special" : "frame",
                                  arguments.marked ? "byte-pair encoding or a " : "", arguments.path,
                                  described(tokenizer)));
  }
  const UnknownCharacter unknown = unknown_of(arguments, tokenizer);
  std::vector<std::int32_t> ids;
  if (arguments.framed) ids = words->before_text();
  if (!arguments.marked) {
    tokenizer.encode_into(text, ids, unknown);
  } else if (bpe != nullptr) {
    bpe->encode_marked_into(text, ids, unknown);
  } else {
    words->encode_marked_into(text, ids, unknown);
  }
  if (arguments.framed) ids.insert(ids.end(), words->behind_text().begin(), words->behind_text().end());
  return ids;
}

void print_ids(const TokenizerArguments& arguments, const Tokenizer& tokenizer, std::string_view text) {
  const std::vector<std::int32_t> ids = ids_of(arguments, tokenizer, text);
  if (arguments.json) {
    Json pieces = Json::array();
    for (const std::int32_t id : ids) pieces.push_back(tokenizer.piece_of(id));
    print_result(json_line({{"ids", ids}, {"pieces", pieces}}));
    return;
  }
  const bool terminal = is_terminal(1);
  if (arguments.pieces || terminal) print_result(shown_pieces(tokenizer, ids, use_color(1)));
  if (!arguments.pieces) print_result(fmt::format("{}\n", fmt::join(ids, " ")));
  if (terminal) {
    print_line(fmt::format("{} tokens of {} bytes", grouped(static_cast<std::int64_t>(ids.size())),
                           grouped(static_cast<std::int64_t>(text.size()))));
  }
}

std::vector<std::int32_t> ids_in(std::string_view text) {
  constexpr std::string_view kBlank = " ,\t\r\n[]";
  std::vector<std::int32_t> ids;
  for (std::size_t at = text.find_first_not_of(kBlank); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlank, at), text.size());
    std::int32_t id = 0;
    const auto parsed = std::from_chars(text.data() + at, text.data() + end, id);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + end) {
      throw DataError(fmt::format("[tokenizer decode] IDS must be whole numbers; got {}",
                                  replace_invalid_utf8(text.substr(at, std::min<std::size_t>(end - at, 40)))));
    }
    ids.push_back(id);
    at = text.find_first_not_of(kBlank, end);
  }
  return ids;
}

}  // namespace

int encode_text(const TokenizerArguments& arguments) {
  const auto tokenizer = tokenizer_at(arguments.path, arguments.pattern);
  const std::string text = text_to_encode(arguments);
  std::string_view rest = text;
  for (std::size_t end = rest.find('\0'); arguments.parted && end != std::string_view::npos; end = rest.find('\0')) {
    print_ids(arguments, *tokenizer, rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  if (!arguments.parted || !rest.empty()) print_ids(arguments, *tokenizer, rest);
  return 0;
}

int decode_ids(const TokenizerArguments& arguments) {
  const auto tokenizer = tokenizer_at(arguments.path, arguments.pattern);
  const bool piped = arguments.ids.empty() || arguments.ids == std::vector<std::string>{"-"};
  const std::vector<std::int32_t> ids =
      ids_in(piped ? read_prompt({"", "", "-"}) : fmt::format("{}", fmt::join(arguments.ids, " ")));
  const std::string text = tokenizer->decode(ids);
  if (arguments.json) {
    print_result(json_line({{"text", replace_invalid_utf8(text)}}));
  } else {
    print_result(is_terminal(1) ? printable(text) + "\n" : text);
  }
  return 0;
}

}  // namespace minnow::cli
