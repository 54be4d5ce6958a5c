#include "minnow/autograd/observe.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/shape.hpp"

namespace minnow {
namespace {

struct Seen {
  std::vector<std::string> names, scopes;
  std::vector<Tensor> outputs;
  void look(const OpCall& call) {
    names.emplace_back(call.op.doc.name);
    scopes.push_back(call.scope);
    outputs.insert(outputs.end(), call.outputs.begin(), call.outputs.end());
  }
};

TEST(Observer, SeesEveryOperationInOrderWithItsScope) {
  Seen seen;
  const Tensor x = Tensor::full({2, 3}, 2);
  {
    const Observer observer([&](const OpCall& call) { seen.look(call); });
    const Tensor y = mul(x, x);
    const Scope scope("part");
    (void)reshape(y, {6});
  }
  (void)mul(x, x);  // nobody looks any more
  EXPECT_EQ(seen.names, (std::vector<std::string>{"mul", "reshape"}));
  EXPECT_EQ(seen.scopes[1], "part");
  EXPECT_EQ(seen.outputs[0].to_vector<double>(), (std::vector<double>(6, 4)));
}

TEST(Observer, DoesNotSeeWhatItRunsItself) {
  int calls = 0;
  const Tensor x = Tensor::full({2}, 2);
  const Observer observer([&](const OpCall& call) {
    ++calls;
    (void)add(call.outputs[0], x);
  });
  (void)mul(x, x);
  (void)mul(x, x);
  EXPECT_EQ(calls, 2);
}

TEST(Observer, TakesTheOutersPlaceAndGivesItBack) {
  int outer_calls = 0, inner_calls = 0;
  const Tensor x = Tensor::full({2}, 2);
  const Observer outer([&](const OpCall&) { ++outer_calls; });
  {
    const Observer inner([&](const OpCall&) { ++inner_calls; });
    (void)mul(x, x);
  }
  (void)mul(x, x);
  EXPECT_EQ(outer_calls, 1);
  EXPECT_EQ(inner_calls, 1);
}

TEST(Observer, StaysAfterItThrows) {
  int calls = 0;
  const Tensor x = Tensor::full({2}, 2);
  const Observer observer([&](const OpCall&) {
    if (++calls == 1) throw std::runtime_error("no");
  });
  EXPECT_THROW((void)mul(x, x), std::runtime_error);
  (void)mul(x, x);
  EXPECT_EQ(calls, 2);
}

TEST(Observer, MayAskForTheGradientOfAResult) {
  const Tensor x = set_requires_grad(Tensor::full({2}, 3));
  std::vector<Tensor> results;
  Tensor y;
  {
    const Observer observer([&](const OpCall& call) {
      results.push_back(call.outputs[0]);
      retain_grad(call.outputs[0]);
    });
    y = mul(mul(x, x), x);
  }
  backward(y, {.seed = Tensor::full({2}, 1)});
  EXPECT_EQ(grad(results[0]).to_vector<double>(), (std::vector<double>{3, 3}));
  EXPECT_EQ(grad(x).to_vector<double>(), (std::vector<double>{27, 27}));
}

}  // namespace
}  // namespace minnow
