#include "minnow/text/bpe_tokenizer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "minnow/base/error.hpp"
#include "minnow/base/mapped_file.hpp"
#include "minnow/base/parallel.hpp"
#include "minnow/base/philox.hpp"
#include "minnow/base/sha256.hpp"
#include "minnow/text/load_tokenizer.hpp"

namespace minnow {
namespace {

using Ids = std::vector<std::int32_t>;
using Json = nlohmann::json;

std::string shared_file(const std::string& name) {
  const char* const folder = std::getenv("MINNOW_SHARED_DIR");
  return folder == nullptr ? "" : std::string(folder) + "/data/" + name;
}

#define NEED_SHARED_DATA() \
  if (shared_file("").empty()) GTEST_SKIP() << "needs the shared data: set MINNOW_SHARED_DIR"

std::string content_of(const std::string& path) { return std::string(MappedFile::open(path).text()); }

const BpeTokenizer& as_bpe(const std::shared_ptr<const Tokenizer>& tokenizer) {
  return dynamic_cast<const BpeTokenizer&>(*tokenizer);
}

std::string hash_of(const Ids& ids) { return sha256_hex(std::as_bytes(std::span(ids))); }

struct Reference {
  std::string key;
  std::shared_ptr<const Tokenizer> tokenizer;
};

std::vector<Reference> references() {
  return {{"gpt2", load_tokenizer(shared_file("tokenizer/gpt2"))},
          {"cl100k_base", load_tokenizer(shared_file("tokenizer/cl100k_base.tiktoken"))},
          {"shakespeare_bpe1024", load_tokenizer(shared_file("tokenizer/shakespeare_bpe1024.tokenizer.json"))}};
}

/// The reference's shakespeare_bpe1024 was made by a library that knows special tokens everywhere.
Ids encode_as(const Reference& reference, std::string_view text) {
  if (reference.key != "shakespeare_bpe1024") return reference.tokenizer->encode(text);
  Ids ids;
  as_bpe(reference.tokenizer).encode_marked_into(text, ids);
  return ids;
}

TEST(BpeReference, GivesTheIdsOfTiktokenAndTokenizers) {
  NEED_SHARED_DATA();
  const Json expected = Json::parse(content_of(shared_file("tokenizer/reference_encodings.json")));
  for (const Reference& reference : references()) {
    for (const Json& row : expected.at("cases")) {
      const auto text = row.at("text").get<std::string>();
      ASSERT_EQ(encode_as(reference, text), row.at(reference.key).get<Ids>()) << reference.key << ": " << text;
      ASSERT_EQ(reference.tokenizer->decode(encode_as(reference, text)).size() <= text.size(), true);
    }
    const auto special = reference.key == "gpt2"          ? "gpt2_allow_special"
                         : reference.key == "cl100k_base" ? "cl100k_allow_special"
                                                          : "";
    for (const Json& row : expected.at("special")) {
      if (!row.contains(special)) continue;
      Ids ids;
      as_bpe(reference.tokenizer).encode_marked_into(row.at("text").get<std::string>(), ids);
      EXPECT_EQ(ids, row.at(special).get<Ids>());
    }
  }
}

TEST(BpeReference, CutsThePiecesOfTheRegexes) {
  NEED_SHARED_DATA();
  const Json expected = Json::parse(content_of(shared_file("tokenizer/reference_encodings.json")));
  for (const Json& row : expected.at("cases")) {
    const auto text = row.at("text").get<std::string>();
    for (const auto& [key, pattern] :
         {std::pair("gpt2_pieces", SplitPattern::kGpt2), std::pair("cl100k_pieces", SplitPattern::kCl100k)}) {
      std::vector<std::string> pieces;
      for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = piece_end(pattern, text, begin);
        pieces.push_back(text.substr(begin, end - begin));
        begin = end;
      }
      ASSERT_EQ(pieces, row.at(key).get<std::vector<std::string>>()) << key;
    }
  }
}

TEST(BpeReference, EncodesWholeFilesAtAnyThreads) {
  NEED_SHARED_DATA();
  const Json expected = Json::parse(content_of(shared_file("tokenizer/reference_encodings.json")));
  for (const Reference& reference : references()) {
    for (const Json& row : expected.at("whole_files")) {
      if (!row.contains(reference.key)) continue;
      auto name = row.at("file").get<std::string>();
      if (!name.starts_with("text/")) name = "tokenizer/" + name;
      const std::string text = content_of(shared_file(name));
      for (const int count : {1, 2, 3}) {
        set_threads(count);
        const Ids ids = encode_as(reference, text);
        EXPECT_EQ(ids.size(), row.at(reference.key).at("n_tokens").get<std::size_t>()) << name << reference.key;
        EXPECT_EQ(hash_of(ids), row.at(reference.key).at("sha256_of_uint32_le")) << name << reference.key;
        // What was read as a special token decodes to nothing.
        EXPECT_TRUE(reference.key == "shakespeare_bpe1024" || reference.tokenizer->decode(ids) == text) << name;
      }
    }
  }
  set_threads(2);
}

TEST(BpeReference, TokenizerJsonKeepsTheIds) {
  NEED_SHARED_DATA();
  const std::string text = content_of(shared_file("tokenizer/multilingual_sample.txt"));
  for (const Reference& reference : references()) {
    const std::string json = reference.tokenizer->to_json();
    const auto back = Tokenizer::from_json(json);
    EXPECT_EQ(back->encode(text), reference.tokenizer->encode(text));
    EXPECT_EQ(back->vocab_size(), reference.tokenizer->vocab_size());
    EXPECT_EQ(back->boundary_id(), reference.tokenizer->boundary_id());
    EXPECT_EQ(back->to_json(), json) << reference.key;
  }
}

}  // namespace
}  // namespace minnow
