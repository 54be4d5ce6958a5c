#include "minnow/text/word_tokenizer.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "minnow/base/error.hpp"
#include "minnow/base/mapped_file.hpp"
#include "minnow/text/load_tokenizer.hpp"
#include "minnow/text/stream_decoder.hpp"

namespace minnow {
namespace {

using Ids = std::vector<std::int32_t>;
constexpr auto kReplace = UnknownCharacter::kReplace;

WordModel small_pieces() {
  return read_vocab_txt(
      "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nun\n##aff\n##able\nthe\n##n\n,\n.\ncafe\n\xE4\xB8\xAD\n'\ns\n");
}

TEST(WordTokenizer, TakesTheLongestPieceAgainAndAgain) {
  const WordTokenizer tokenizer(small_pieces());
  EXPECT_EQ(tokenizer.name(), "wordpiece");
  EXPECT_EQ(tokenizer.encode("unaffable", kReplace), (Ids{5, 6, 7}));
  EXPECT_EQ(tokenizer.encode("the then, the.", kReplace), (Ids{8, 8, 9, 10, 8, 11}));
  // A word that cannot be spelled to its end is unknown as a whole.
  EXPECT_EQ(tokenizer.encode("unaffablex the", kReplace), (Ids{1, 8}));
  EXPECT_THROW((void)tokenizer.encode("unaffablex"), DataError);
  EXPECT_EQ(tokenizer.encode("", kReplace), Ids{});
}

TEST(WordTokenizer, CleansAsBertDoes) {
  const WordTokenizer tokenizer(small_pieces());
  EXPECT_EQ(tokenizer.encode("CAF\xC3\x89", kReplace), (Ids{12}));   // one character
  EXPECT_EQ(tokenizer.encode("Cafe\xCC\x81", kReplace), (Ids{12}));  // e and a mark
  EXPECT_EQ(tokenizer.encode("the\xE4\xB8\xADthe", kReplace), (Ids{8, 13, 8}));
  EXPECT_EQ(tokenizer.encode("t\xE2\x80\x8Dhe\x01 the\xEF\xBF\xBD", kReplace), (Ids{8, 8}));  // joiner, control, U+FFFD
  EXPECT_EQ(tokenizer.encode("the\xFF", kReplace), (Ids{8}));  // no UTF-8: U+FFFD, which is removed
  EXPECT_EQ(tokenizer.encode("the's", kReplace), (Ids{8, 14, 15}));
}

TEST(WordTokenizer, WordsHaveALongestLength) {
  WordModel model = small_pieces();
  model.pieces.emplace_back("x");
  model.pieces.emplace_back("##x");
  model.max_characters = 4;
  const WordTokenizer tokenizer(std::move(model));
  EXPECT_EQ(tokenizer.encode("xxxx", kReplace), (Ids{16, 17, 17, 17}));
  EXPECT_EQ(tokenizer.encode("xxxxx", kReplace), (Ids{1}));
}

TEST(WordTokenizer, SpecialTokensAreMarksOnRequestOnly) {
  const WordTokenizer tokenizer(small_pieces());
  Ids marked;
  tokenizer.encode_marked_into("the [MASK]un", marked, kReplace);
  EXPECT_EQ(marked, (Ids{8, 4, 5}));
  EXPECT_EQ(tokenizer.encode("the [MASK]", kReplace), (Ids{8, 1, 1, 1}));
  EXPECT_EQ(tokenizer.before_text(), (Ids{2}));
  EXPECT_EQ(tokenizer.behind_text(), (Ids{3}));
  EXPECT_EQ(tokenizer.begin_id(), 2);
  EXPECT_EQ(tokenizer.boundary_id(), 3);
}

TEST(WordTokenizer, DecodesToPrintedText) {
  const WordTokenizer tokenizer(small_pieces());
  const Ids ids = {2, 8, 9, 10, 5, 6, 7, 1, 11, 3};
  EXPECT_EQ(tokenizer.decode(ids), "then, unaffable [UNK].");
  EXPECT_FALSE(tokenizer.keeps_text());
  StreamDecoder begins(tokenizer), goes_on(tokenizer, false);
  std::string one, other;
  for (const std::int32_t id : ids) {
    one += begins.push(id);
    other += goes_on.push(id);
  }
  EXPECT_EQ(one, "then, unaffable [UNK].");
  EXPECT_EQ(other, " then, unaffable [UNK].");
}

TEST(WordTokenizer, JsonComesBack) {
  const WordTokenizer tokenizer(small_pieces());
  const std::string json = tokenizer.to_json();
  const auto again = Tokenizer::from_json(json);
  EXPECT_EQ(again->to_json(), json);
  EXPECT_EQ(again->name(), "wordpiece");
  EXPECT_EQ(again->encode("Unaffable, \xC3\x89the", kReplace), tokenizer.encode("Unaffable, \xC3\x89the", kReplace));
  EXPECT_EQ(read_vocab_txt(write_vocab_txt(small_pieces())).pieces, small_pieces().pieces);
}

/// A vocabulary of whole words that is cut and joined as named.
std::string words_json(const nlohmann::json& split, const nlohmann::json& join) {
  const nlohmann::json root = {{"version", "1.0"},
                               {"truncation", nullptr},
                               {"padding", nullptr},
                               {"added_tokens", nlohmann::json::array()},
                               {"normalizer", nullptr},
                               {"pre_tokenizer", split},
                               {"post_processor", nullptr},
                               {"decoder", join},
                               {"model",
                                {{"type", "WordLevel"},
                                 {"unk_token", "<unk>"},
                                 {"vocab", {{"<unk>", 0}, {"a", 1}, {"b", 2}, {"!?", 3}, {"b!?", 4}, {" b", 5}}}}}};
  return root.dump();
}

TEST(WordTokenizer, CutsAndJoinsAsTheFileSays) {
  const auto load = [](const char* split, const nlohmann::json& join = nullptr) {
    return Tokenizer::from_json(words_json({{"type", split}}, join));
  };
  EXPECT_EQ(load("Whitespace")->encode("a b!? c", kReplace), (Ids{1, 2, 3, 0}));
  EXPECT_EQ(load("WhitespaceSplit")->encode("a b!? c", kReplace), (Ids{1, 4, 0}));
  EXPECT_EQ(load("BertPreTokenizer")->encode("a b!? c", kReplace), (Ids{1, 2, 0, 0, 0}));
  EXPECT_EQ(load("Whitespace")->decode(Ids{1, 2, 0}), "a b <unk>");
  EXPECT_EQ(load("Whitespace", {{"type", "Fuse"}})->decode(Ids{1, 5}), "a b");
  const auto whole = Tokenizer::from_json(words_json(nullptr, {{"type", "Fuse"}}));
  EXPECT_EQ(whole->encode("b!?", kReplace), (Ids{4}));
  EXPECT_EQ(whole->cut_before("a a a", 3), 0U);
  EXPECT_THROW((void)load("Digits"), DataError);
}

TEST(WordTokenizer, PartsHaveTheWordsOfTheWhole) {
  const WordTokenizer tokenizer(small_pieces());
  const std::string text = "the unaffable then, the. un e\xCC\x81 the the";
  const Ids whole = tokenizer.encode(text, kReplace);
  for (std::size_t at = 1; at < text.size(); ++at) {
    const std::size_t cut = tokenizer.cut_before(text, at);
    ASSERT_LE(cut, at);
    Ids parts = tokenizer.encode(text.substr(0, cut), kReplace);
    tokenizer.encode_into(std::string_view(text).substr(cut), parts, kReplace);
    EXPECT_EQ(parts, whole) << at;
  }
}

TEST(WordTokenizer, RefusesVocabulariesThatAreNone) {
  EXPECT_THROW((void)read_vocab_txt("a\nb\n"), DataError);         // no [UNK]
  EXPECT_THROW((void)read_vocab_txt("[UNK]\n\nb\n"), DataError);   // an empty line
  EXPECT_THROW((void)read_vocab_txt("[UNK]\na\na\n"), DataError);  // twice
  EXPECT_THROW((void)read_vocab_txt("[UNK]\n\xFF\n"), DataError);  // no UTF-8
  WordModel model = small_pieces();
  model.unknown = "[NONE]";
  EXPECT_THROW(WordTokenizer{std::move(model)}, DataError);
}

TEST(WordTokenizer, CapitalsDecideUnlessToldOtherwise) {
  EXPECT_TRUE(read_vocab_txt("[UNK]\na\n").cleaning->lowercase);
  EXPECT_FALSE(read_vocab_txt("[UNK]\nA\n").cleaning->lowercase);
  EXPECT_TRUE(read_vocab_txt("[UNK]\nA\n", true).cleaning->lowercase);
}

TEST(WordTokenizer, BertReferenceIds) {
  const char* const shared = std::getenv("MINNOW_SHARED_DIR");
  if (shared == nullptr) GTEST_SKIP() << "MINNOW_SHARED_DIR is not set: no BERT vocabulary to compare with";
  const std::filesystem::path folder = std::filesystem::path(shared) / "data" / "tokenizer";
  const auto loaded = load_tokenizer(folder / "bert_base_uncased_vocab.txt");
  const auto& tokenizer = dynamic_cast<const WordTokenizer&>(*loaded);
  const MappedFile file = MappedFile::open(folder / "reference_encodings.json", "test");
  const auto root = nlohmann::json::parse(file.text());
  for (const auto& item : root.at("cases")) {
    Ids ids = tokenizer.before_text();
    tokenizer.encode_marked_into(item.at("text").get<std::string>(), ids, kReplace);
    ids.insert(ids.end(), tokenizer.behind_text().begin(), tokenizer.behind_text().end());
    EXPECT_EQ(ids, item.at("bert_base_uncased").get<Ids>()) << item.at("text");
  }
}

}  // namespace
}  // namespace minnow
