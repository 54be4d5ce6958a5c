#include "minnow/nn/parameter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "support/tiny_model.hpp"

namespace minnow {
namespace {

struct Moments {
  double mean = 0, std = 0, largest = 0;
};

Moments moments(const Tensor& x) {
  Moments made;
  const auto numbers = x.to_vector<double>();
  const auto n = static_cast<double>(numbers.size());
  for (const double number : numbers) made.mean += number / n;
  for (const double number : numbers) {
    made.std += (number - made.mean) * (number - made.mean) / n;
    made.largest = std::max(made.largest, std::abs(number));
  }
  made.std = std::sqrt(made.std);
  return made;
}

TEST(ParameterList, FillsByInitializer) {
  ParameterList list;
  const Tensor zeros = list.add("b", {100}, Initializer::zeros());
  const Tensor ones = list.add("g", {100}, Initializer::ones());
  const Tensor normal = list.add("w", {300, 100}, Initializer::normal(0.02));
  list.initialize(1);
  EXPECT_EQ(zeros.to_vector<float>(), std::vector<float>(100, 0));
  EXPECT_EQ(ones.to_vector<float>(), std::vector<float>(100, 1));
  const Moments m = moments(normal);
  EXPECT_NEAR(m.mean, 0, 4 * 0.02 / std::sqrt(30000));
  EXPECT_NEAR(m.std, 0.02, 4 * 0.02 / std::sqrt(2 * 30000.0));
  EXPECT_GT(m.largest, 3.5 * 0.02);  // tails are there
  EXPECT_EQ(list.count(), 30200);
  for (const Parameter& parameter : list.all()) EXPECT_TRUE(requires_grad(parameter.tensor));
}

TEST(ParameterList, NumbersDependOnSeedPlaceAndElementAlone) {
  const auto fill = [](std::uint64_t seed, Index first_rows, Index rows) {
    ParameterList list;
    (void)list.add("a", {first_rows, 10}, Initializer::normal(1));
    const Tensor w = list.add("b", {rows, 10}, Initializer::normal(1));
    list.initialize(seed);
    return w.to_vector<float>();
  };
  const auto base = fill(1, 4, 4);
  EXPECT_EQ(fill(1, 4, 4), base);
  EXPECT_EQ(fill(1, 9, 4), base);  // the size of another parameter does not matter
  EXPECT_NE(fill(2, 4, 4), base);
  const auto larger = fill(1, 4, 6);
  EXPECT_TRUE(std::equal(base.begin(), base.end(), larger.begin()));

  ParameterList list;
  const Tensor a = list.add("a", {4, 10}, Initializer::normal(1));
  const Tensor b = list.add("b", {4, 10}, Initializer::normal(1));
  list.initialize(1);
  EXPECT_NE(a.to_vector<float>(), b.to_vector<float>());
}

TEST(ParameterList, HasTheSameBitsAtAnyThreadCountAndTheSameNumbersInF64) {
  const test::Threads restore(1);
  const auto fill = [](DType dtype) {
    ParameterList list(dtype);
    const Tensor w = list.add("w", {500, 301}, Initializer::normal(0.3));
    list.initialize(7);
    return w.to_vector<double>();
  };
  const auto one = fill(DType::f32);
  EXPECT_EQ(fill(DType::f64), one);
  for (const int threads : {2, 3, 8}) {
    set_threads(threads);
    EXPECT_EQ(fill(DType::f32), one);
  }
}

TEST(ParameterList, NamesAreUniqueAndMissingOnesAreNamed) {
  ParameterList list;
  (void)list.add("wte.weight", {2}, Initializer::ones());
  EXPECT_THROW((void)list.add("wte.weight", {2}, Initializer::ones()), ShapeError);
  EXPECT_EQ(list.at("wte.weight").numel(), 2);
  try {
    (void)list.at("wpe.weight");
    FAIL();
  } catch (const CheckpointError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("wpe.weight"));
  }
}

/// GPT-2's 0.02, or 1 / sqrt(C); what adds to the stream is divided by sqrt(2 L).
TEST(Gpt2Initialisation, HasTheStandardDeviationsOfItsScheme) {
  for (const InitKind kind : {InitKind::kGpt2, InitKind::kScaled}) {
    ModelConfig config;
    config.n_layer = 3;
    config.n_embd = 64;
    config.init = kind;
    config.tie_head = false;
    const auto model = test::tiny_model(config, 500);
    const double std = kind == InitKind::kGpt2 ? 0.02 : 0.125;
    for (const Parameter& parameter : model->parameters().all()) {
      const Moments m = moments(parameter.tensor);
      if (parameter.name.ends_with("bias")) {
        EXPECT_EQ(m.largest, 0) << parameter.name;
      } else if (parameter.tensor.rank() == 1) {
        EXPECT_EQ(m.mean, 1) << parameter.name;
        EXPECT_EQ(m.std, 0) << parameter.name;
      } else {
        const double wanted = parameter.name.ends_with("c_proj.weight") ? std / std::sqrt(6) : std;
        const auto n = static_cast<double>(parameter.tensor.numel());
        EXPECT_NEAR(m.std, wanted, 5 * wanted / std::sqrt(2 * n)) << parameter.name;
        EXPECT_NEAR(m.mean, 0, 5 * wanted / std::sqrt(n)) << parameter.name;
      }
    }
  }
}

}  // namespace
}  // namespace minnow
