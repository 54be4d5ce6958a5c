#include "minnow/gen/generate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "minnow/base/error.hpp"
#include "minnow/config/config.hpp"
#include "minnow/text/byte_tokenizer.hpp"
#include "minnow/text/char_tokenizer.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow {
namespace {

using ::testing::HasSubstr;

/// One thread is quickest for models of this size; the test of threads sets its own.
class Generate : public testing::Test {
 protected:
  void SetUp() override { set_threads(1); }
};

ModelConfig small_config(Index block_size = 64) {
  ModelConfig config;
  config.n_layer = 2;
  config.n_head = 2;
  config.n_embd = 16;
  config.block_size = block_size;
  config.init_std = 0.3;  // a random model that is sure of itself
  return config;
}

std::unique_ptr<LanguageModel> make_model(const ModelConfig& config, Index vocab_size, std::uint64_t seed = 3) {
  auto model = make_language_model(config, vocab_size);
  model->parameters().initialize(seed);
  return model;
}

std::shared_ptr<const Tokenizer> letters(bool boundary = false) {
  return CharTokenizer::train("abcdefghijklmnopqrstuvwxyz \n", boundary);
}

struct Scores {
  std::map<Index, std::vector<std::vector<float>>> by_sample;
  void listen(GenerateOptions& options) {
    options.on_scores = [this](Index sample, std::span<const float> scores) {
      by_sample[sample].emplace_back(scores.begin(), scores.end());
    };
  }
};

double largest_difference(const Scores& a, const Scores& b) {
  double largest = 0;
  for (const auto& [sample, steps] : a.by_sample) {
    const auto& others = b.by_sample.at(sample);
    EXPECT_EQ(steps.size(), others.size());
    for (std::size_t step = 0; step < steps.size(); ++step) {
      for (std::size_t i = 0; i < steps[step].size(); ++i) {
        largest = std::max(largest, std::abs(static_cast<double>(steps[step][i]) - others[step][i]));
      }
    }
  }
  return largest;
}

/// Runs with and without the cache and compares ids and scores.
void expect_cache_changes_nothing(const ModelConfig& config, Index count, Index max_tokens,
                                  const std::vector<std::int32_t>& prompt, double temperature) {
  const auto tokenizer = letters();
  const auto model = make_model(config, tokenizer->vocab_size());
  Scores with, without;
  GenerateOptions options{.sampler = {.temperature = temperature}, .count = count, .max_tokens = max_tokens};
  with.listen(options);
  const auto cached = generate(*model, tokenizer.get(), prompt, options);
  options.use_cache = false;
  without.listen(options);
  const auto recomputed = generate(*model, tokenizer.get(), prompt, options);
  for (std::size_t i = 0; i < cached.size(); ++i) {
    EXPECT_EQ(cached[i].ids.size(), static_cast<std::size_t>(max_tokens));
    EXPECT_EQ(cached[i].ids, recomputed[i].ids) << "sample " << i;
  }
  EXPECT_LE(largest_difference(with, without), 1e-5);
}

TEST_F(Generate, GreedyTextIsTheSameWithAndWithoutCache) {  // mlx-lm#93
  expect_cache_changes_nothing(small_config(), 1, 32, {1, 2, 3, 4, 5}, 0);
}

TEST_F(Generate, SeveralSamplesAreTheSameWithAndWithoutCache) {
  expect_cache_changes_nothing(small_config(), 3, 32, {7}, 1);
}

TEST_F(Generate, TextGoesOnBeyondTheWindow) {
  for (const Index block : {1, 2, 3, 8, 9}) {
    SCOPED_TRACE(block);
    expect_cache_changes_nothing(small_config(block), 2, 40, {1, 2, 3, 4, 5}, 1);
  }
}

TEST_F(Generate, SinusoidalPositionsReadEverything) {
  ModelConfig config = small_config(8);
  config.position = PositionKind::kSinusoidal;
  expect_cache_changes_nothing(config, 2, 40, {1, 2, 3, 4, 5}, 1);
  // the first token still counts after 300 others: nothing slid away (and the cache has grown past its first size)
  const auto tokenizer = letters();
  const auto model = make_model(config, tokenizer->vocab_size());
  std::vector<std::int32_t> prompt(300, 4);
  Scores one, other;
  GenerateOptions options{.max_tokens = 1};
  one.listen(options);
  (void)generate(*model, tokenizer.get(), prompt, options);
  prompt.front() = 9;
  other.listen(options);
  (void)generate(*model, tokenizer.get(), prompt, options);
  EXPECT_GT(largest_difference(one, other), 0);
  GenerateOptions longer{.count = 2, .max_tokens = 400};
  EXPECT_EQ(generate(*model, tokenizer.get(), std::vector<std::int32_t>{1}, longer).back().ids.size(), 400U);
}

TEST_F(Generate, OfALongPromptTheLastBlockCounts) {
  const auto tokenizer = letters();
  const auto model = make_model(small_config(8), tokenizer->vocab_size());
  std::vector<std::int32_t> prompt;
  for (std::int32_t i = 0; i < 50; ++i) prompt.push_back(i * 7 % 28);
  const GenerateOptions options{.sampler = {.temperature = 0}, .max_tokens = 20};
  const auto whole = generate(*model, tokenizer.get(), prompt, options);
  const auto end = generate(*model, tokenizer.get(), std::span(prompt).last(8), options);
  EXPECT_EQ(whole.front().ids, end.front().ids);
}

TEST_F(Generate, TemperatureZeroGivesTheSameTextForAnySeed) {  // nanoGPT#739
  const auto tokenizer = letters();
  const auto model = make_model(small_config(), tokenizer->vocab_size());
  std::string first;
  for (const std::uint64_t seed : {0ULL, 1ULL, 42ULL, ~0ULL}) {
    const auto result = generate(*model, tokenizer.get(), std::vector<std::int32_t>{5},
                                 {.sampler = {.temperature = 0, .seed = seed}, .count = 2, .max_tokens = 30});
    if (first.empty()) first = result[0].text;
    EXPECT_EQ(result[0].text, first);
    EXPECT_EQ(result[1].text, first);
  }
  EXPECT_EQ(first.size(), 30U);
}

TEST_F(Generate, TopKZeroIsOff) {
  const auto tokenizer = letters();
  const auto model = make_model(small_config(), tokenizer->vocab_size());
  const auto text = [&](Index k) {
    return generate(*model, tokenizer.get(), std::vector<std::int32_t>{5},
                    {.sampler = {.top_k = k}, .max_tokens = 50})[0]
        .text;
  };
  EXPECT_EQ(text(0), text(28));
  EXPECT_EQ(text(0), text(1'000'000'000));
  EXPECT_NE(text(0), text(2));
}

TEST_F(Generate, SampleIsTheSameWhateverRunsBesideIt) {
  const auto tokenizer = letters(true);
  const auto model = make_model(small_config(16), tokenizer->vocab_size());
  const std::vector<std::int32_t> prompt = prompt_ids(*tokenizer, "ab", tokenizer->boundary_id());
  const auto run = [&](Index count) {
    return generate(*model, tokenizer.get(), prompt, {.count = count, .max_tokens = 60, .stop = {"q"}});
  };
  const auto many = run(9);
  bool ended_early = false, texts_differ = false;
  for (const Index count : {1, 2, 5}) {
    const auto few = run(count);
    for (std::size_t i = 0; i < few.size(); ++i) {
      EXPECT_EQ(few[i].ids, many[i].ids);
      EXPECT_EQ(few[i].reason, many[i].reason);
      ended_early = ended_early || few[i].reason != FinishReason::kMaxTokens;
      texts_differ = texts_differ || few[i].text != many[0].text;
    }
  }
  EXPECT_TRUE(ended_early) << "the test needs samples of different lengths";
  EXPECT_TRUE(texts_differ);
}

TEST_F(Generate, BitsAreTheSameAtAnyNumberOfThreads) {
  const auto tokenizer = letters();
  const int before = threads();
  std::vector<std::vector<Generation>> results;
  std::vector<Scores> scores(3);
  for (int count = 1; count <= 3; ++count) {
    set_threads(count);
    const auto model = make_model(small_config(16), tokenizer->vocab_size());
    GenerateOptions options{.count = 3, .max_tokens = 50};
    scores[static_cast<std::size_t>(count - 1)].listen(options);
    results.push_back(generate(*model, tokenizer.get(), std::vector<std::int32_t>{1, 2, 3}, options));
  }
  set_threads(before);
  for (std::size_t run = 1; run < 3; ++run) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(results[run][i].text, results[0][i].text);
    EXPECT_EQ(largest_difference(scores[run], scores[0]), 0);
  }
}

TEST_F(Generate, PiecesAreValidTextAndAddUpToIt) {
  const ByteTokenizer tokenizer;
  const auto model = make_model(small_config(), 256);
  std::map<Index, std::string> streamed;
  std::map<Index, int> ended;
  GenerateOptions options{.sampler = {.temperature = 2}, .count = 4, .max_tokens = 200};
  options.sink = [&](Index sample, std::string_view piece) {
    EXPECT_EQ(count_invalid_utf8(piece), 0U);
    EXPECT_EQ(ended[sample], 0);
    streamed[sample] += piece;
  };
  options.on_end = [&](Index sample) { ++ended[sample]; };
  const auto results = generate(*model, &tokenizer, std::vector<std::int32_t>{65}, options);
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(streamed[static_cast<Index>(i)], results[i].text);
    EXPECT_EQ(results[i].text, tokenizer.decode_text(results[i].ids));
    EXPECT_EQ(ended[static_cast<Index>(i)], 1);
  }
}

/// Whatever it reads, this model expects the tokens of a given sequence, one per position.
class Reciter final : public LanguageModel {
 public:
  Reciter(std::vector<std::int32_t> line, Index vocab_size) : line_(std::move(line)), vocab_size_(vocab_size) {}
  ParameterList& parameters() override { return parameters_; }
  Index vocab_size() const override { return vocab_size_; }
  Index block_size() const override { return 1024; }
  bool positions_go_on() const override { return false; }
  Tensor loss(const Tensor&, const Tensor&, double, const ForwardMode&) override { return {}; }
  Tensor token_losses(const Tensor&, const Tensor&, const ForwardMode&) override { return {}; }
  Tensor logits(const Tensor&, const ForwardMode&) override { return {}; }
  KeyValueCache make_cache(Index, Index capacity) const override {
    KeyValueCache cache;
    cache.capacity = capacity;
    return cache;
  }
  Tensor decode(const Tensor& tokens, KeyValueCache& cache) override {
    cache.length += tokens.size(1);
    std::vector<float> scores(static_cast<std::size_t>(tokens.size(0) * vocab_size_), 0.F);
    const auto next = static_cast<std::size_t>(line_.at(static_cast<std::size_t>(cache.length - 1)));
    for (Index row = 0; row < tokens.size(0); ++row) scores[static_cast<std::size_t>(row * vocab_size_) + next] = value;
    return Tensor::from(scores, {tokens.size(0), vocab_size_});
  }
  float value = 1000;

 private:
  std::vector<std::int32_t> line_;
  Index vocab_size_;
  ParameterList parameters_;
};

std::vector<std::int32_t> bytes_of(std::string_view text) {
  std::vector<std::int32_t> ids;
  for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
  return ids;
}

TEST_F(Generate, StopsAtAStopStringOverTokenBorders) {
  const ByteTokenizer tokenizer;
  Reciter model(bytes_of("one é two é! three"), 256);
  const auto result =
      generate(model, &tokenizer, std::vector<std::int32_t>{10}, {.max_tokens = 18, .stop = {"nothing", "é!"}})[0];
  EXPECT_EQ(result.text, "one é two ");
  EXPECT_EQ(result.reason, FinishReason::kStopString);
  EXPECT_EQ(result.ids.size(), 14U);
}

TEST_F(Generate, PromptDoesNotCountForStopStrings) {
  const ByteTokenizer tokenizer;
  Reciter model(bytes_of("??bab"), 256);
  const auto result =
      generate(model, &tokenizer, std::vector<std::int32_t>{'a', 'a', 'a'}, {.max_tokens = 3, .stop = {"aab", "aaa"}});
  EXPECT_EQ(result[0].text, "bab");
  EXPECT_EQ(result[0].reason, FinishReason::kMaxTokens);
}

TEST_F(Generate, ClosingBoundaryEndsTheText) {
  const ByteTokenizer tokenizer(true);
  Reciter model({'e', 'm', 'm', 'a', 256, 'x', 'x'}, 257);
  const auto result = generate(model, &tokenizer, std::vector<std::int32_t>{256}, {.max_tokens = 7})[0];
  EXPECT_EQ(result.text, "emma");
  EXPECT_EQ(result.reason, FinishReason::kBoundary);
  EXPECT_EQ(result.ids.size(), 4U);
}

TEST_F(Generate, IllFormedEndIsReplaced) {
  const ByteTokenizer tokenizer;
  Reciter model({'a', 0xF0, 0x9F, 'x'}, 256);
  const auto result = generate(model, &tokenizer, std::vector<std::int32_t>{10}, {.max_tokens = 3})[0];
  EXPECT_EQ(result.text, "a\xEF\xBF\xBD");
}

TEST_F(Generate, PaddedVocabularyIsNeverChosen) {
  const ByteTokenizer tokenizer;  // 256 of 300 ids have a text
  Reciter model(std::vector<std::int32_t>(100, 299), 300);
  const auto results = generate(model, &tokenizer, std::vector<std::int32_t>{10}, {.max_tokens = 100});
  EXPECT_EQ(results[0].ids.size(), 100U);
  for (const std::int32_t id : results[0].ids) EXPECT_LT(id, 256);
}

TEST_F(Generate, WithoutTokenizerThereAreIds) {
  Reciter model({5, 6, 7, 8}, 10);
  const auto result = generate(model, nullptr, std::vector<std::int32_t>{1}, {.max_tokens = 4})[0];
  EXPECT_EQ(result.ids, (std::vector<std::int32_t>{5, 6, 7, 8}));
  EXPECT_EQ(result.text, "");
  EXPECT_THROW(generate(model, nullptr, std::vector<std::int32_t>{1}, {.stop = {"x"}}), ConfigError);
}

TEST_F(Generate, CanBeInterrupted) {
  const ByteTokenizer tokenizer;
  Reciter model(bytes_of("abcdefgh"), 256);
  int asked = 0;
  GenerateOptions options{.count = 2, .max_tokens = 8};
  options.interrupted = [&] { return ++asked > 3; };
  const auto results = generate(model, &tokenizer, std::vector<std::int32_t>{10}, options);
  for (const Generation& result : results) {
    EXPECT_EQ(result.text, "abc");
    EXPECT_EQ(result.reason, FinishReason::kInterrupted);
  }
}

TEST_F(Generate, ScoresThatAreNoNumbersAreAnError) {
  const ByteTokenizer tokenizer;
  Reciter model(bytes_of("abc"), 256);
  model.value = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(generate(model, &tokenizer, std::vector<std::int32_t>{10}, {.max_tokens = 3}), NumericError);
}

TEST_F(Generate, NothingToWriteIsNoError) {
  const ByteTokenizer tokenizer;
  Reciter model({}, 256);
  const auto results = generate(model, &tokenizer, std::vector<std::int32_t>{10}, {.count = 2, .max_tokens = 0});
  EXPECT_EQ(results.size(), 2U);
  EXPECT_EQ(results[1].text, "");
}

TEST_F(Generate, BadRequestsAreRefused) {
  const ByteTokenizer tokenizer;
  Reciter model(bytes_of("abc"), 256);
  const std::vector<std::int32_t> prompt = {10};
  EXPECT_THROW(generate(model, &tokenizer, prompt, {.count = 0}), ConfigError);
  EXPECT_THROW(generate(model, &tokenizer, prompt, {.max_tokens = -1}), ConfigError);
  EXPECT_THROW(generate(model, &tokenizer, prompt, {.sampler = {.temperature = -1}}), ConfigError);
  EXPECT_THROW(generate(model, &tokenizer, prompt, {.stop = {""}}), ConfigError);
  EXPECT_THROW(generate(model, &tokenizer, {}, {}), DataError);
  EXPECT_THROW(generate(model, &tokenizer, std::vector<std::int32_t>{256}, {}), DataError);
  EXPECT_THROW(generate(model, &tokenizer, std::vector<std::int32_t>{-1}, {}), DataError);
}

TEST(PromptIds, EmptyPromptStartsAsDocumented) {
  EXPECT_EQ(prompt_ids(ByteTokenizer(true), "", 256), (std::vector<std::int32_t>{256}));
  EXPECT_EQ(prompt_ids(ByteTokenizer(false), "", std::nullopt), (std::vector<std::int32_t>{10}));
  EXPECT_EQ(prompt_ids(*CharTokenizer::train("a\nb"), "", std::nullopt),
            (std::vector<std::int32_t>{0}));  // the line feed
  EXPECT_EQ(prompt_ids(*CharTokenizer::train("\tab\n"), "", std::nullopt), (std::vector<std::int32_t>{1}));  // likewise
  EXPECT_EQ(prompt_ids(*CharTokenizer::train("abc"), "", std::nullopt), (std::vector<std::int32_t>{0}));
  EXPECT_EQ(prompt_ids(*CharTokenizer::train("abc", true), "", 0), (std::vector<std::int32_t>{0}));
}

TEST(PromptIds, BoundaryStandsInFrontOfTheText) {
  EXPECT_EQ(prompt_ids(*CharTokenizer::train("abc", true), "cab", 0), (std::vector<std::int32_t>{0, 3, 1, 2}));
  // A vocabulary with a boundary that training never saw: a prompt does not begin with it.
  EXPECT_EQ(prompt_ids(*CharTokenizer::train("abc", true), "cab", std::nullopt), (std::vector<std::int32_t>{3, 1, 2}));
  EXPECT_EQ(prompt_ids(*CharTokenizer::train("abc"), "cab", std::nullopt), (std::vector<std::int32_t>{2, 0, 1}));
}

TEST(PromptIds, UnknownCharactersAreNamedOrReplaced) {
  const auto tokenizer = CharTokenizer::train("abc ?");
  try {
    (void)prompt_ids(*tokenizer, "a€b", std::nullopt);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("€"));
  }
  EXPECT_EQ(prompt_ids(*tokenizer, "a€b", std::nullopt, UnknownCharacter::kReplace), tokenizer->encode("a?b"));
  // nothing to replace it with, nothing left: still a start
  EXPECT_EQ(prompt_ids(*CharTokenizer::train("abc"), "€", std::nullopt, UnknownCharacter::kReplace).size(), 1U);
}

}  // namespace
}  // namespace minnow
