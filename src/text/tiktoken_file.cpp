#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include "minnow/base/error.hpp"
#include "minnow/text/bpe_model.hpp"
#include "text/base64.hpp"
#include "text/bpe_merger.hpp"
#include "text/vocabulary_builder.hpp"

namespace minnow {
namespace {

// The largest files in use (200,000 tokens) have less than 4 MB.
constexpr std::size_t kMaxTiktokenBytes = 64U << 20;

using Fail = std::function<void(const std::string&)>;

struct RankLine {
  std::string bytes{};
  std::uint64_t rank = 0;
};

std::vector<RankLine> read_lines(std::string_view text, const Fail& fail) {
  std::vector<RankLine> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const std::size_t blank = line.find(' ');
    RankLine read;
    const bool two = blank != std::string_view::npos && decode_base64(line.substr(0, blank), read.bytes);
    const char* const end = line.data() + line.size();
    const char* const begin = two ? line.data() + blank + 1 : end;
    const auto parsed = std::from_chars(begin, end, read.rank);
    if (!two || parsed.ec != std::errc() || parsed.ptr != end) {
      fail(fmt::format("line {} must be a byte string in base64, a blank and a rank.", number));
    }
    lines.push_back(std::move(read));
  }
  if (lines.empty()) fail("must have a token a line; it has none.");
  return lines;
}

/// The last of the merges by which tokens come about: each is encoded by what has a lower rank; of what then still are
/// two tokens the next merge makes it. (A token that never becomes two comes of no merge.)
std::vector<BpeMerge> merges_of_ranks(const std::vector<RankLine>& lines) {
  std::array<std::int32_t, 256> byte_ids;
  byte_ids.fill(-1);
  for (const RankLine& line : lines) {
    if (line.bytes.size() == 1)
      byte_ids[static_cast<std::uint8_t>(line.bytes[0])] = static_cast<std::int32_t>(line.rank);
  }
  std::vector<BpeMerge> merges;
  PairTable pairs(lines.size());
  MergeScratch scratch;
  std::vector<std::int32_t> tokens;
  for (const RankLine& line : lines) {
    if (line.bytes.size() < 2) continue;
    tokens.clear();
    for (const char byte : line.bytes) tokens.push_back(byte_ids[static_cast<std::uint8_t>(byte)]);
    if (std::find(tokens.begin(), tokens.end(), -1) != tokens.end()) continue;
    if (merge_tokens(pairs, tokens, scratch) != 2) continue;
    const auto id = static_cast<std::int32_t>(line.rank);
    merges.push_back({tokens[0], tokens[1], id});
    pairs.insert(tokens[0], tokens[1], static_cast<std::uint32_t>(id), id);
  }
  return merges;
}

}  // namespace

BpeModel read_tiktoken(std::string_view text, SplitPattern pattern, std::vector<AddedToken> special,
                       std::string_view source) {
  const Fail fail = [&](const std::string& what) { throw DataError(fmt::format("[tokenizer] {}: {}", source, what)); };
  if (text.size() > kMaxTiktokenBytes) {
    fail(fmt::format("must be at most {} bytes; got {}.", kMaxTiktokenBytes, text.size()));
  }
  std::vector<RankLine> lines = read_lines(text, fail);
  std::stable_sort(lines.begin(), lines.end(), [](const RankLine& a, const RankLine& b) { return a.rank < b.rank; });
  VocabularyBuilder vocabulary(lines.size() + special.size(), fail);
  for (const RankLine& line : lines) vocabulary.add(piece_of_bytes(line.bytes), line.rank);
  for (const AddedToken& token : special) vocabulary.add(token.content, static_cast<std::uint64_t>(token.id));
  BpeModel model;
  model.merges = merges_of_ranks(lines);
  model.pieces = vocabulary.take();
  model.added = std::move(special);
  model.pattern = pattern;
  model.ignore_merges = true;
  return model;
}

}  // namespace minnow
