#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>

#include "fuzz/replay.hpp"

namespace minnow {
namespace {

using Bytes = std::vector<std::uint8_t>;

// A buffer of exactly the input's size, so that a sanitizer build sees every read past its end.
void run(const FuzzTarget& target, const Bytes& input) {
  const auto exact = std::make_unique<std::uint8_t[]>(input.size());
  std::copy(input.begin(), input.end(), exact.get());
  EXPECT_EQ(target.run(exact.get(), input.size()), 0);
}

std::vector<Bytes> corpus_of(const std::string& name) {
  std::vector<Bytes> corpus;
  const std::filesystem::path folder = std::filesystem::path(MINNOW_CORPUS_DIR) / name;
  if (!std::filesystem::exists(folder)) return corpus;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

class FuzzReplay : public testing::TestWithParam<FuzzTarget> {};

TEST_P(FuzzReplay, Corpus) {
  const std::vector<Bytes> corpus = corpus_of(GetParam().name);
  EXPECT_FALSE(corpus.empty()) << "tests/fuzz/corpus/" << GetParam().name << " must hold the inputs to replay";
  run(GetParam(), {});
  for (const Bytes& input : corpus) run(GetParam(), input);
}

TEST_P(FuzzReplay, FixedMutations) {
  std::mt19937 random(12345);  // its output is fixed by the standard
  for (const Bytes& input : corpus_of(GetParam().name)) {
    if (input.empty()) continue;
    for (int round = 0; round < 20; ++round) {
      Bytes changed = input;
      changed[random() % changed.size()] ^= static_cast<std::uint8_t>(1U << (random() % 8));
      if (round % 4 == 0) changed.resize(random() % changed.size());
      run(GetParam(), changed);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzReplay, testing::ValuesIn(fuzz_targets()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace minnow
