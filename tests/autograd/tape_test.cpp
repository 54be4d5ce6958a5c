// What watches over the tape: changes in place, anomalies, dumps, recomputation, the arena under a training step.

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/cancel.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/linear.hpp"
#include "minnow/ops/norm.hpp"
#include "minnow/ops/reduction.hpp"
#include "minnow/tensor/arena.hpp"

namespace minnow {
namespace {

using Numbers = std::vector<double>;

class TapeTest : public testing::Test {
 protected:
  void TearDown() override { clear_tape(); }
  static Tensor leaf(const Numbers& values) {
    return set_requires_grad(Tensor::from(values, {static_cast<Index>(values.size())}));
  }
  /// @return the text of the error that `body` throws.
  template <class E, class Body>
  static std::string error_of(Body body) {
    try {
      body();
    } catch (const E& error) {
      return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
  }
};

TEST_F(TapeTest, FindsAChangeInPlaceOfWhatWasSaved) {
  Tensor x = leaf({1, 2});
  const Tensor loss = sum(square(x));
  x.mutable_data<double>()[0] = 5;
  const std::string text = error_of<ShapeError>([&] { backward(loss); });
  EXPECT_NE(text.find("square"), std::string::npos) << text;
}

TEST_F(TapeTest, FindsAChangeInPlaceOfASavedResult) {
  const Tensor x = leaf({1, 2});
  Tensor y = exp(x);
  const Tensor loss = sum(y);
  y.fill(0);
  EXPECT_THROW(backward(loss), ShapeError);
}

TEST_F(TapeTest, AllowsChangesOfWhatWasNotSaved) {
  const Tensor x = leaf({1, 2});
  Tensor y = x + 1.0;
  const Tensor loss = sum(y);
  y.fill(0);
  backward(loss);
  EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{1, 1}));
}

TEST_F(TapeTest, AnomalyModeNamesOperationLayerAndIndex) {
  const Tensor x = set_requires_grad(Tensor::from<double>({1, 4, -1, 9}, {2, 2}));
  const AnomalyMode watch;
  const Scope block("h.3");
  const Scope part("attn");
  const std::string text = error_of<NumericError>([&] { (void)sqrt(x); });
  for (const char* piece : {"[sqrt]", "nan", "(1, 0)", "h.3.attn"}) {
    EXPECT_NE(text.find(piece), std::string::npos) << piece << " in " << text;
  }
}

TEST_F(TapeTest, AnomalyModeNamesTheOperationWhoseGradientBroke) {
  const Tensor x = leaf({1, 0});
  Tensor y;
  {
    const Scope layer("embed");
    y = sqrt(x);  // finite, but its slope at 0 is not
  }
  const Tensor loss = sum(y);
  const AnomalyMode watch;
  const std::string text = error_of<NumericError>([&] { backward(loss); });
  for (const char* piece : {"[sqrt]", "inf", "(1,)", "embed", "gradient"}) {
    EXPECT_NE(text.find(piece), std::string::npos) << piece << " in " << text;
  }
}

TEST_F(TapeTest, WithoutAnomalyModeNothingIsChecked) { EXPECT_TRUE(std::isnan(sqrt(leaf({-1})).item())); }

TEST_F(TapeTest, DumpsSayWhatWasRecorded) {
  const Tensor x = set_requires_grad(Tensor::zeros({2, 3}));
  const Tensor w = set_requires_grad(Tensor::zeros({3, 4}));
  Tensor loss;
  {
    const Scope layer("mlp");
    loss = sum(exp(matmul(x, w)));
  }
  EXPECT_EQ(tape_size(), 3U);
  const std::string text = dump_tape_text();
  for (const char* piece :
       {"matmul", "exp", "sum", "mlp", "f32 (2, 3)", "f32 (3, 4)", "f32 (2, 4)", "saved 32 bytes"}) {
    EXPECT_NE(text.find(piece), std::string::npos) << piece << " in\n" << text;
  }
  const std::string dot = dump_tape_dot();
  EXPECT_EQ(dot.rfind("digraph", 0), 0U);
  EXPECT_NE(dot.find("n0 -> n1"), std::string::npos) << dot;
  EXPECT_NE(dot.find("n1 -> n2"), std::string::npos) << dot;
  EXPECT_NE(dot.find("leaf f32 (3, 4)"), std::string::npos) << dot;
}

/// Two layers with a shared weight; the second input is used twice.
std::vector<Tensor> block(std::span<const Tensor> inputs, const Tensor& w) {
  const Tensor h = gelu_tanh(matmul(layer_norm(inputs[0], {inputs[0].size(-1)}), w));
  return {h * inputs[1] + inputs[1], matmul(h, w)};
}

TEST_F(TapeTest, RecomputationGivesTheSameBits) {
  const auto random = [](const Shape& shape, double scale) {
    std::vector<float> values(static_cast<std::size_t>(shape.numel()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(scale * std::sin(static_cast<double>(i * i) + scale));
    }
    return Tensor::from(values, shape);
  };
  std::vector<std::vector<float>> results[2];
  std::size_t recorded[2] = {};
  for (const bool again : {false, true}) {
    const Tensor x = set_requires_grad(random({5, 16}, 1.0));
    const Tensor s = set_requires_grad(random({5, 16}, 0.7));
    const Tensor w = set_requires_grad(random({16, 16}, 0.3));  // a parameter: not listed among the inputs
    const auto run = [&](std::span<const Tensor> inputs) { return block(inputs, w); };
    const std::array<Tensor, 2> inputs{square(x), s};
    const std::vector<Tensor> y = again ? recompute(run, inputs) : run(inputs);
    recorded[again ? 1 : 0] = tape_size();
    const Tensor loss = sum(y[0] * y[1]);
    auto& kept = results[again ? 1 : 0];
    kept.push_back(loss.to_vector<float>());
    backward(loss);
    for (const Tensor& one : {x, s, w}) kept.push_back(grad(one).to_vector<float>());
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_LT(recorded[1], recorded[0]);
}

TEST_F(TapeTest, RecomputationKeepsTheScopeAndTheRestOfTheTape) {
  const Tensor x = leaf({2});
  const Tensor before = square(x);
  const std::array<Tensor, 1> inputs{before};
  const std::vector<Tensor> y =
      recompute([](std::span<const Tensor> in) { return std::vector<Tensor>{exp(in[0])}; }, inputs);
  const Tensor other = x * 7.0;
  backward(sum(y[0]) + sum(other));
  EXPECT_DOUBLE_EQ(grad(x).item(), std::exp(4.0) * 4 + 7);
}

TEST_F(TapeTest, RecomputationWithoutGradientRecordsNothing) {
  const Tensor x = leaf({2});
  const NoGrad off;
  const std::array<Tensor, 1> inputs{x};
  const std::vector<Tensor> y =
      recompute([](std::span<const Tensor> in) { return std::vector<Tensor>{exp(in[0])}; }, inputs);
  EXPECT_FALSE(requires_grad(y[0]));
  EXPECT_EQ(tape_size(), 0U);
}

TEST_F(TapeTest, TrainingStepsInTheArenaHaveTheBitsOfTheHeap) {
  const auto train = [](StepArena* arena) {
    const Tensor w = set_requires_grad(Tensor::full({8, 8}, 0.125));
    Tensor moved = w.alias();
    for (int i = 0; i < 4; ++i) {
      std::optional<StepArena::Step> step;
      if (arena != nullptr) step.emplace(*arena, 1);
      const Tensor x = Tensor::full({4, 8}, 0.5 + i);
      backward(mean(square(gelu_tanh(matmul(x, w)) - x)));
      const std::vector<float> g = grad(w).to_vector<float>();
      float* p = moved.mutable_data<float>();
      for (std::size_t k = 0; k < g.size(); ++k) p[k] -= 0.1F * g[k];
    }
    return w.to_vector<float>();
  };
  StepArena arena;
  EXPECT_EQ(train(nullptr), train(&arena));
  EXPECT_EQ(arena.statistics().recorded, 1U);
  EXPECT_GE(arena.statistics().replayed + arena.statistics().departed, 1U);
}

TEST_F(TapeTest, ACancelScopeEndsForwardAndBackwardBetweenTwoOperations) {
  const Tensor x = leaf({3});
  const auto pass = [&x] { backward(sum(exp(x * 2.0))); };
  std::int64_t asked = 0;
  {
    const std::function<bool()> never = [&asked] { return ++asked < 0; };
    const CancelScope scope(never);
    pass();
  }
  EXPECT_EQ(asked, 6);  // three operations, there and back
  for (std::int64_t last = 1; last <= asked; ++last) {
    std::int64_t questions = 0;
    const std::function<bool()> stop = [&] { return ++questions == last; };
    const CancelScope scope(stop);
    EXPECT_THROW(pass(), Cancelled) << "at question " << last;
    EXPECT_EQ(questions, last);
    clear_tape();
  }
  set_grad(x, {});
  pass();  // no scope is left over
  EXPECT_TRUE(grad(x).defined());
}

// What was recorded in a precision goes backward in it, recomputations included, wherever backward is called.
TEST(Precision, BelongsToTheRecordedOperation) {
  const auto gradient_of = [](bool half, bool again) {
    Tensor x = Tensor::full({3, 4}, 1.0 / 3, DType::f32);
    Tensor w = Tensor::full({5, 4}, 1.0 / 7, DType::f32);
    set_requires_grad(w);
    const auto run = [](std::span<const Tensor> in) { return std::vector<Tensor>{exp(linear(in[0], in[1]))}; };
    const std::vector<Tensor> inputs{x, w};
    Tensor loss;
    {
      const PrecisionScope scope(half ? kernels::GemmPrecision::kBf16 : kernels::GemmPrecision::kF32);
      loss = sum(again ? recompute(run, inputs)[0] : run(inputs)[0]);
    }
    backward(loss);
    return grad(w).data<float>()[0];
  };
  EXPECT_NE(gradient_of(false, false), gradient_of(true, false));
  EXPECT_EQ(gradient_of(false, false), gradient_of(false, true));
  EXPECT_EQ(gradient_of(true, false), gradient_of(true, true));
}

}  // namespace
}  // namespace minnow
