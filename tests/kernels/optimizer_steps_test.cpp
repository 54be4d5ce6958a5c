#include "minnow/kernels/optimizer_steps.hpp"

#include "kernels/targets.hpp"
#include "minnow/kernels/adafactor.hpp"

namespace minnow {
namespace {

using test::for_each_target;

/// Parameters, gradients and three buffers, of which the first holds squares.
template <class T>
struct State {
  std::vector<T> param, grad, squares, a, b;

  explicit State(Index n) {
    test::Numbers numbers(7);
    const auto array = [&](double low, double high) {
      const auto narrow = numbers.array<float>(n, low, high);
      return std::vector<T>(narrow.begin(), narrow.end());
    };
    param = array(-1, 1);
    grad = array(-0.3, 0.3);
    squares = array(0.01, 0.1);
    a = array(-0.05, 0.05);
    b = array(0.01, 0.1);
  }
  [[nodiscard]] Index size() const { return static_cast<Index>(param.size()); }
};

template <class T>
using Step = void (*)(State<T>&, std::int64_t);

/// Five steps in f32 on every instruction set end near those in f64.
void expect_near_reference(Step<float> fast, Step<double> plain, double tolerance) {
  for_each_target([&] {
    for (const Index n : test::kLengths) {
      State<float> f(n);
      State<double> p(n);
      for (std::int64_t step = 1; step <= 5; ++step) {
        fast(f, step);
        plain(p, step);
      }
      for (size_t i = 0; i < f.param.size(); ++i) {
        ASSERT_NEAR(f.param[i], p.param[i], tolerance) << n;
        ASSERT_NEAR(f.squares[i], p.squares[i], tolerance);
        ASSERT_NEAR(f.a[i], p.a[i], 10 * tolerance);
        ASSERT_NEAR(f.b[i], p.b[i], 10 * tolerance);
      }
    }
  });
}

template <class T>
void sgd(State<T>& s, std::int64_t step) {
  kernels::sgd_step(
      s.param.data(), s.grad.data(), s.a.data(), s.size(),
      {.lr = 0.1, .momentum = 0.9, .nesterov = true, .weight_decay = 0.1, .first = step == 1, .grad_scale = 0.5});
}
template <class T>
void adam(State<T>& s, std::int64_t step) {
  kernels::adam_step(s.param.data(), s.grad.data(), s.a.data(), s.squares.data(), s.b.data(), s.size(),
                     {.lr = 0.01, .weight_decay = 0.1, .step = step, .grad_scale = 0.5}, false);
}
template <class T>
void adagrad(State<T>& s, std::int64_t) {
  kernels::adagrad_step(s.param.data(), s.grad.data(), s.squares.data(), s.size(),
                        {.lr = 0.1, .weight_decay = 0.1, .grad_scale = 0.5});
}
template <class T>
void rmsprop(State<T>& s, std::int64_t) {
  kernels::rmsprop_step(s.param.data(), s.grad.data(), s.squares.data(), s.a.data(), s.b.data(), s.size(),
                        {.lr = 0.01, .alpha = 0.9, .momentum = 0.5, .weight_decay = 0.1, .grad_scale = 0.5});
}
template <class T>
void lion(State<T>& s, std::int64_t) {
  kernels::lion_step(s.param.data(), s.grad.data(), s.a.data(), s.size(),
                     {.lr = 0.01, .weight_decay = 0.1, .grad_scale = 0.5});
}
template <class T>
void averages(State<T>& s, std::int64_t) {
  kernels::muon_momentum(s.param.data(), s.grad.data(), s.a.data(), s.size(), 0.9, true, 0.5);
  kernels::scale_add(s.param.data(), 0.7, s.grad.data(), -0.2, s.size());
  kernels::average_step(s.b.data(), s.param.data(), s.size(), 0.8);
}

TEST(OptimizerSteps, AgreeWithTheReferenceOnEveryInstructionSet) {
  expect_near_reference(sgd<float>, sgd<double>, 1e-6);
  expect_near_reference(adam<float>, adam<double>, 1e-6);
  expect_near_reference(adagrad<float>, adagrad<double>, 1e-6);
  expect_near_reference(rmsprop<float>, rmsprop<double>, 2e-6);
  expect_near_reference(lion<float>, lion<double>, 1e-6);
  expect_near_reference(averages<float>, averages<double>, 1e-6);
}

TEST(OptimizerSteps, LionStandsStillAtZero) {
  for_each_target([] {
    std::vector<float> param = {1, 2, 3};
    const std::vector<float> grad = {0, -1e-30F, 5};
    std::vector<float> m(3);
    kernels::lion_step(param.data(), grad.data(), m.data(), 3, {.lr = 0.25});
    EXPECT_EQ(param, (std::vector<float>{1, 2.25F, 2.75F}));
  });
}

TEST(OptimizerSteps, ACenteredRootBelowZeroIsRounding) {
  for_each_target([] {
    std::vector<float> param = {1};
    const std::vector<float> grad = {0.3F};
    std::vector<float> v = {0.0899F};
    std::vector<float> mean = {0.3F};
    kernels::rmsprop_step<float>(param.data(), grad.data(), v.data(), mean.data(), nullptr, 1, {.lr = 0, .alpha = 0.5});
    EXPECT_EQ(param[0], 1);
  });
}

TEST(OptimizerSteps, SameBitsAtAnyThreadCount) {
  const Index rows = 300;
  const Index cols = 130;
  test::expect_same_bits_at_any_thread_count([&] {
    State<float> s(rows * cols);
    adam(s, 1);
    rmsprop(s, 1);
    averages(s, 1);
    std::vector<double> scratch(static_cast<size_t>(kernels::adafactor_scratch_size(rows, cols)));
    kernels::adafactor_step(s.param.data(), s.grad.data(), s.a.data(), s.b.data(), rows, cols, {}, scratch.data());
    return s.param;
  });
}

TEST(Adafactor, AMatrixOfOneRowEqualsItsFormula) {
  // row = mean(g^2) = 5, col = g^2: v = col, u = sign(g); rms(u) = 1, size of the parameter 2.
  std::vector<double> param = {2, -2};
  const std::vector<double> grad = {1, -3};
  std::vector<double> row = {0};
  std::vector<double> col = {0, 0};
  std::vector<double> scratch(static_cast<size_t>(kernels::adafactor_scratch_size(1, 2)));
  kernels::adafactor_step(param.data(), grad.data(), row.data(), col.data(), 1, 2, {.relative = 0.1}, scratch.data());
  EXPECT_NEAR(row[0], 5, 1e-12);
  EXPECT_NEAR(col[1], 9, 1e-12);
  EXPECT_NEAR(param[0], 2 - 0.2, 1e-12);
  EXPECT_NEAR(param[1], -2 + 0.2, 1e-12);
}

}  // namespace
}  // namespace minnow
