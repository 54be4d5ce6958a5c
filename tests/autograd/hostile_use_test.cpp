// What a careless or hostile user does around backward: hooks that throw, record or call backward, functions of
// recompute that are not pure, buffers that cannot be added into, empty handles. Afterwards the next step has to work.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/reduction.hpp"
#include "minnow/ops/shape.hpp"

namespace minnow {
namespace {

using Numbers = std::vector<double>;
using Tensors = std::vector<Tensor>;

Tensor leaf(const Numbers& values) {
  return set_requires_grad(Tensor::from(values, {static_cast<Index>(values.size())}));
}

/// @return the text of the error of minnow that `body` throws.
template <class Body>
std::string error_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A step of training as if nothing had happened. d/dx sum(x^2) = 2x.
void expect_that_the_next_step_works() {
  const Tensor x = leaf({3, 4});
  const Tensor y = square(x);
  backward(sum(y));
  EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{6, 8}));
  EXPECT_EQ(tape_size(), 0U);
  EXPECT_TRUE(grad_enabled());
}

TEST(HostileUse, AHookThatThrowsLeavesTheTapeUsable) {
  for (const bool at_leaf : {false, true}) {
    {
      const Tensor x = leaf({1, 2});
      const Tensor y = exp(x);
      register_hook(at_leaf ? x : y, [](const Tensor&) -> Tensor { throw std::runtime_error("hook"); });
      const Tensor loss = sum(y * y);
      EXPECT_THROW(backward(loss), std::runtime_error);
      EXPECT_TRUE(has(error_of([&] { backward(loss); }), "used up"));
    }
    expect_that_the_next_step_works();
  }
}

TEST(HostileUse, AFunctionOfRecomputeThatThrowsLeavesTheTapeUsable) {
  {
    const Tensor x = leaf({1, 2});
    int calls = 0;
    const std::array<Tensor, 1> inputs{x};
    const Tensors y = recompute(
        [&](std::span<const Tensor> in) {
          if (++calls == 2) throw std::runtime_error("second run");
          return Tensors{exp(in[0])};
        },
        inputs);
    EXPECT_THROW(backward(sum(y[0])), std::runtime_error);
    EXPECT_THROW(recompute([](std::span<const Tensor>) -> Tensors { throw std::runtime_error("first run"); }, inputs),
                 std::runtime_error);
  }
  expect_that_the_next_step_works();
}

TEST(HostileUse, NothingIsRecordedInsideAHook) {
  const Tensor x = leaf({1, 2});
  const Tensor w = leaf({5, 7});
  const Tensor y = square(x);
  for (int i = 0; i < 50; ++i) {  // many, so that a tape that grows moves its nodes
    register_hook(y, [&](const Tensor& g) {
      Tensor unused = w;
      for (int k = 0; k < 20; ++k) unused = unused * w;
      return g * (w / w);
    });
  }
  backward(sum(y));
  EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{2, 4}));
  EXPECT_FALSE(grad(w).defined());
  EXPECT_EQ(tape_size(), 0U);
}

TEST(HostileUse, AHookMayNotRunBackwardNorClearTheTape) {
  for (const bool clears : {false, true}) {
    {
      const Tensor x = leaf({1, 2});
      const Tensor y = square(x);
      const Tensor other = sum(exp(x));
      register_hook(y, [&](const Tensor&) {
        if (clears) {
          clear_tape();
        } else {
          backward(other);
        }
        return Tensor();
      });
      const std::string text = error_of([&] { backward(sum(y)); });
      EXPECT_TRUE(has(text, clears ? "[clear_tape]" : "[backward]")) << text;
      EXPECT_TRUE(has(text, "hook")) << text;
    }
    clear_tape();
    expect_that_the_next_step_works();
  }
}

TEST(HostileUse, AHookMayAddHooksForLaterPasses) {
  const Tensor x = leaf({1});
  int calls = 0;
  register_hook(x, [&](const Tensor&) {
    for (int i = 0; i < 100; ++i) {
      register_hook(x, [&](const Tensor&) {
        ++calls;
        return Tensor();
      });
    }
    return Tensor();
  });
  backward(sum(x * 2.0));
  EXPECT_EQ(calls, 0);
  backward(sum(x * 2.0));
  EXPECT_EQ(calls, 100);
  EXPECT_TRUE(has(error_of([&] { register_hook(x, nullptr); }), "[register_hook]"));
}

TEST(HostileUse, WhatAHookKeepsDoesNotChangeLater) {
  const Tensor x = leaf({1, 2});
  Tensors kept;
  register_hook(x, [&](const Tensor& g) {
    kept.push_back(g);
    return Tensor();
  });
  const Tensor mine = Tensor::from(Numbers{10, 20}, {2});
  const Tensor w = leaf({1, 1});
  register_hook(w, [&](const Tensor&) { return mine; });
  for (int pass = 0; pass < 3; ++pass) backward(sum(x * 3.0 + w));
  for (const Tensor& one : kept) EXPECT_EQ(one.to_vector<double>(), (Numbers{3, 3}));
  EXPECT_EQ(mine.to_vector<double>(), (Numbers{10, 20}));
  EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{9, 9}));
  EXPECT_EQ(grad(w).to_vector<double>(), (Numbers{30, 60}));
}

TEST(HostileUse, TheSeedOfTheCallerDoesNotChange) {
  const Tensor x = leaf({1, 2});
  const Tensor seed = Tensor::from(Numbers{1, 10}, {2});
  const Tensor y = reshape(x, {2});  // a view: the seed itself arrives at the leaf
  backward(y, {.seed = seed, .retain_graph = true});
  backward(y, {.seed = seed});
  EXPECT_EQ(seed.to_vector<double>(), (Numbers{1, 10}));
  EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{2, 20}));
  EXPECT_TRUE(has(error_of([&] { backward(square(x), {.seed = Tensor::zeros({3}, DType::f64)}); }), "[backward]"));
  clear_tape();
}

TEST(HostileUse, GradientBuffersMayHaveGapsButNoOverlap) {
  const Tensor x = leaf({1, 2, 3});
  const Tensor block = Tensor::zeros({3, 2}, DType::f64);
  set_grad(x, block.as_strided({3}, {2}, 0));  // a column
  backward(sum(x * 2.0));
  backward(sum(exp(x * 0.0)) + sum(x));
  EXPECT_EQ(block.to_vector<double>(), (Numbers{3, 0, 3, 0, 3, 0}));
  const std::string text = error_of([&] { set_grad(x, Tensor::zeros({1}, DType::f64).as_strided({3}, {0}, 0)); });
  EXPECT_TRUE(has(text, "[set_grad]") && has(text, "(3,)")) << text;
}

TEST(HostileUse, RecomputePassesGradientsToResultsThatAreInputsOrComeTwice) {
  const auto run = [](std::span<const Tensor> in) {
    const Tensor h = square(in[0]);
    return Tensors{in[0], h, h, in[1]};
  };
  for (const bool again : {false, true}) {
    const Tensor x = leaf({1, 2});
    const Tensor s = leaf({3, 5});
    const std::array<Tensor, 2> inputs{exp(x * 0.0) * x, s};
    const Tensors y = again ? recompute(run, inputs) : run(inputs);
    backward(sum(y[0] * 2.0 + y[1] * 3.0 + y[2] * 5.0 + y[3] * 7.0));
    EXPECT_EQ(grad(x).to_vector<double>(), (Numbers{18, 34})) << again;  // 2 + 16 x
    EXPECT_EQ(grad(s).to_vector<double>(), (Numbers{7, 7})) << again;
  }
}

TEST(HostileUse, RecomputeRefusesFunctionsThatAreNotPure) {
  const auto refused = [](const std::function<Tensors(std::span<const Tensor>)>& function) {
    const Tensor x = leaf({1, 2});
    const std::array<Tensor, 1> inputs{square(x)};
    const std::string text = error_of([&] {
      const Tensors y = recompute(function, inputs);
      backward(sum(y[0]));
    });
    clear_tape();
    EXPECT_TRUE(has(text, "[recompute]")) << text;
  };
  int calls = 0;
  refused([&](std::span<const Tensor> in) { return ++calls % 2 == 1 ? Tensors{in[0] * 2.0} : Tensors{}; });
  calls = 0;
  refused([&](std::span<const Tensor> in) { return Tensors(static_cast<std::size_t>(++calls), in[0] * 2.0); });
  calls = 0;
  refused([&](std::span<const Tensor> in) { return Tensors{slice(in[0] * 2.0, 0, 0, 2 - calls++)}; });
  refused([&](std::span<const Tensor>) { return Tensors{Tensor()}; });
  refused(nullptr);
  const Tensor w = leaf({3, 4});
  const Tensor outside = square(w);
  refused([&](std::span<const Tensor>) { return Tensors{outside}; });
  expect_that_the_next_step_works();
}

TEST(HostileUse, RecomputeTakesMoreInputsThanABitFieldHasBits) {
  Tensors inputs;
  for (int i = 0; i < 40; ++i) inputs.push_back(leaf({1.0 + i}));
  const auto product = [](std::span<const Tensor> in) { return Tensors{square(in[0]) + square(in[39])}; };
  backward(sum(recompute(product, inputs)[0]));
  EXPECT_EQ(grad(inputs[39]).item(), 80);
  EXPECT_EQ(grad(inputs[20]).item(), 0);
}

TEST(HostileUse, EmptyHandlesAreNamedByWhoeverGetsThem) {
  const Tensor none;
  const auto named = [&](const char* who, const std::function<void()>& call) {
    const std::string text = error_of(call);
    EXPECT_TRUE(has(text, std::string("[") + who + "]")) << who << ": " << text;
  };
  named("backward", [&] { backward(none); });
  named("set_requires_grad", [&] { set_requires_grad(none); });
  named("set_grad", [&] { set_grad(none, {}); });
  named("register_hook", [&] { register_hook(none, [](const Tensor& g) { return g; }); });
  named("detach", [&] { (void)detach(none); });
  EXPECT_FALSE(requires_grad(none));
  EXPECT_FALSE(grad(none).defined());
  retain_grad(none);  // has no effect on constants
  named("transpose", [&] { (void)transpose(none, 0, 1); });
  named("split_equal", [&] { (void)split_equal(none, 0, 2); });
  const Tensor x = leaf({1, 2});
  named("mul", [&] { (void)(x * none); });
  named("concat", [&] { (void)concat({x, none}, 0); });
}

}  // namespace
}  // namespace minnow
