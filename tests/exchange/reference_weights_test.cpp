// The models with random weights that transformers made: loss, logits, gradients and greedy tokens must be those that
// it computed. Their scale is large, so that a wrong transpose, norm, mask or angle shows.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/gen/generate.hpp"
#include "minnow/train/run.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class ReferenceWeights : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const char* const shared = std::getenv("MINNOW_SHARED_DIR");
    if (shared == nullptr) GTEST_SKIP() << "MINNOW_SHARED_DIR must name the folder with data/weights";
    folder_ = fs::path(shared) / "data" / "weights" / GetParam();
    if (!fs::exists(folder_)) GTEST_SKIP() << folder_ << " is not there";
    std::ifstream(folder_ / "expected.json") >> expected_;
    run_ = open_run(folder_);
    const auto rows = expected_["inputs"]["input_ids"].get<std::vector<std::vector<std::int32_t>>>();
    std::vector<std::int32_t> ids, next;
    for (const auto& row : rows) {  // transformers predicts label i + 1 at position i
      ids.insert(ids.end(), row.begin(), row.end());
      next.insert(next.end(), row.begin() + 1, row.end());
      next.push_back(-100);
    }
    const Shape shape{static_cast<Index>(rows.size()), static_cast<Index>(rows[0].size())};
    targets_counted_ = static_cast<double>(ids.size() - rows.size());
    tokens_ = Tensor::from(ids, shape);
    targets_ = Tensor::from(next, shape);
  }

  fs::path folder_;
  Json expected_;
  LoadedRun run_;
  Tensor tokens_, targets_;
  double targets_counted_ = 0;
};

TEST_P(ReferenceWeights, LossIsThatOfTransformers) {
  const Tensor loss = run_.model->loss(tokens_, targets_, targets_counted_, {});
  const double expected = expected_["loss"];
  EXPECT_NEAR(loss.item(), expected, 1e-5 * expected);
  EXPECT_TRUE(run_.warnings.empty()) << run_.warnings.front();
}

TEST_P(ReferenceWeights, LogitsAreThoseOfTransformers) {
  const NoGrad no_grad;
  const auto logits = run_.model->logits(tokens_, {}).to_vector<float>();
  const auto expected = expected_["logits"].get<std::vector<float>>();
  ASSERT_EQ(logits.size(), expected.size());
  for (std::size_t i = 0; i < logits.size(); ++i) EXPECT_NEAR(logits[i], expected[i], 1e-4) << i;
}

/// Of Conv1D weights norm and sum do not tell a transpose; the logits do.
TEST_P(ReferenceWeights, GradientsAreThoseOfTransformers) {
  backward(run_.model->loss(tokens_, targets_, targets_counted_, {}));
  std::size_t compared = 0;
  for (const Parameter& parameter : run_.model->parameters().all()) {
    ASSERT_TRUE(expected_["grads"].contains(parameter.name)) << parameter.name;
    const Json& row = expected_["grads"][parameter.name];
    double squares = 0, sum = 0;
    for (const float g : grad(parameter.tensor).to_vector<float>()) squares += static_cast<double>(g) * g, sum += g;
    const double l2 = row["l2"];
    EXPECT_NEAR(std::sqrt(squares), l2, 1e-4 * l2) << parameter.name;
    EXPECT_NEAR(sum, row["sum"].get<double>(), 1e-4 * (1 + l2)) << parameter.name;
    ++compared;
  }
  EXPECT_EQ(compared, expected_["grads"].size());
}

TEST_P(ReferenceWeights, GreedyTokensAreThoseOfTransformers) {
  const auto expected = expected_["greedy_from_first_4_tokens_of_row_0"].get<std::vector<std::int32_t>>();
  constexpr std::size_t kPrompt = 4;
  for (const bool cache : {true, false}) {
    GenerateOptions options;
    options.sampler.temperature = 0;
    options.max_tokens = static_cast<Index>(expected.size() - kPrompt);
    options.use_cache = cache;
    const auto written = generate(*run_.model, nullptr, {expected.begin(), expected.begin() + kPrompt}, options);
    const std::vector<std::int32_t> rest(expected.begin() + kPrompt, expected.end());
    EXPECT_EQ(written.at(0).ids, rest) << "cache " << cache;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ReferenceWeights, testing::Values("tiny_gpt2_random", "tiny_llama_random"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace minnow
