#include "minnow/kernels/norm.hpp"

#include "kernels/targets.hpp"

namespace minnow {
namespace {

using test::for_each_target;
template <class T>
using Array = std::vector<T>;

// Inputs of a norm of either type, and all that forward and backward write.
template <class T>
struct Case {
  Index rows;
  Index n;
  Array<T> x, residual, weight, bias, dout, dsum;
  Array<T> sum, y, mean, rstd, dx, dweight, dbias, scratch;
  bool affine = true;
  bool with_residual = true;
  bool add = false;

  Case(Index rows_, Index n_, std::uint64_t seed = 1, double shift = 0) : rows(rows_), n(n_) {
    test::Numbers numbers(seed);
    // All numbers are floats, so that both types compute with the same input.
    const auto array = [&](Index count, double low, double high) {
      const auto narrow = numbers.array<float>(count, low, high);
      return Array<T>(narrow.begin(), narrow.end());
    };
    x = array(rows * n, shift - 2, shift + 2);
    residual = array(rows * n, -1, 1);
    weight = array(n, 0.5, 1.5);
    bias = array(n, -1, 1);
    dout = array(rows * n, -1, 1);
    dsum = array(rows * n, -1, 1);
    const auto size = static_cast<size_t>(rows * n);
    sum.resize(size);
    y.resize(size);
    dx.assign(size, T(0.25));
    mean.resize(static_cast<size_t>(rows));
    rstd.resize(static_cast<size_t>(rows));
    dweight.assign(static_cast<size_t>(n), T(0.5));
    dbias.assign(static_cast<size_t>(n), T(-0.5));
    scratch.resize(static_cast<size_t>(kernels::layer_norm_backward_scratch_size(rows, n)));
  }

  void layer_norm() {
    kernels::layer_norm_forward<T>({.x = x.data(),
                                    .residual = with_residual ? residual.data() : nullptr,
                                    .sum = with_residual ? sum.data() : nullptr,
                                    .weight = affine ? weight.data() : nullptr,
                                    .bias = affine ? bias.data() : nullptr,
                                    .y = y.data(),
                                    .mean = mean.data(),
                                    .rstd = rstd.data(),
                                    .rows = rows,
                                    .n = n});
    kernels::layer_norm_backward<T>({.dout = dout.data(),
                                     .dsum = with_residual ? dsum.data() : nullptr,
                                     .x = with_residual ? sum.data() : x.data(),
                                     .weight = affine ? weight.data() : nullptr,
                                     .mean = mean.data(),
                                     .rstd = rstd.data(),
                                     .dx = dx.data(),
                                     .add_dx = add,
                                     .dweight = affine ? dweight.data() : nullptr,
                                     .dbias = affine ? dbias.data() : nullptr,
                                     .add_params = add,
                                     .scratch = scratch.data(),
                                     .rows = rows,
                                     .n = n});
  }

  void rms_norm() {
    kernels::rms_norm_forward<T>({.x = x.data(),
                                  .residual = with_residual ? residual.data() : nullptr,
                                  .sum = with_residual ? sum.data() : nullptr,
                                  .weight = affine ? weight.data() : nullptr,
                                  .y = y.data(),
                                  .rstd = rstd.data(),
                                  .rows = rows,
                                  .n = n});
    kernels::rms_norm_backward<T>({.dout = dout.data(),
                                   .dsum = with_residual ? dsum.data() : nullptr,
                                   .x = with_residual ? sum.data() : x.data(),
                                   .weight = affine ? weight.data() : nullptr,
                                   .rstd = rstd.data(),
                                   .dx = dx.data(),
                                   .add_dx = add,
                                   .dweight = affine ? dweight.data() : nullptr,
                                   .add_params = add,
                                   .scratch = scratch.data(),
                                   .rows = rows,
                                   .n = n});
  }

  Array<T> everything() const {
    Array<T> all;
    for (const Array<T>* part : {&sum, &y, &mean, &rstd, &dx, &dweight, &dbias}) {
      all.insert(all.end(), part->begin(), part->end());
    }
    return all;
  }
};

// @param bound largest error relative to max(1, |want|).
void expect_near(const Array<float>& got, const Array<double>& want, double bound, const char* what, Index n) {
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], want[i], bound * std::max(1.0, std::fabs(want[i]))) << what << "[" << i << "], width " << n;
  }
}

template <class Run>
void compare(Index rows, Index n, bool affine, bool with_residual, bool add, Run&& run) {
  Case<float> fast(rows, n);
  Case<double> plain(rows, n);
  fast.affine = plain.affine = affine;
  fast.with_residual = plain.with_residual = with_residual;
  fast.add = plain.add = add;
  run(fast);
  run(plain);
  expect_near(fast.sum, plain.sum, 1e-6, "sum", n);
  expect_near(fast.y, plain.y, 3e-6, "y", n);
  expect_near(fast.rstd, plain.rstd, 3e-6, "rstd", n);
  // Width 1 and 2 rows may be nearly constant: rstd up to 316 multiplies the rounding of the centred gradient.
  expect_near(fast.dx, plain.dx, n <= 4 ? 2e-3 : 5e-6, "dx", n);
  const double sum_bound = 5e-6 + 1e-6 * std::sqrt(static_cast<double>(rows));
  expect_near(fast.dweight, plain.dweight, sum_bound, "dweight", n);
  expect_near(fast.dbias, plain.dbias, sum_bound, "dbias", n);
}

TEST(Norm, AgreesWithTheReferenceOnEveryInstructionSet) {
  for_each_target([] {
    for (const Index n : test::kLengths) {
      if (n == 0) continue;
      for (const int options : {0, 1, 2, 3, 7}) {
        const bool affine = (options & 1) != 0;
        const bool with_residual = (options & 2) != 0;
        const bool add = (options & 4) != 0;
        compare(7, n, affine, with_residual, add, [](auto& c) { c.layer_norm(); });
        compare(7, n, affine, with_residual, add, [](auto& c) { c.rms_norm(); });
      }
    }
  });
}

TEST(Norm, SumsParametersOverManyRows) {
  compare(3000, 24, true, true, true, [](auto& c) { c.layer_norm(); });
  compare(3000, 24, true, true, true, [](auto& c) { c.rms_norm(); });
}

TEST(Norm, RowsWithALargeMeanAreNormalisedRight) {
  const double first_output[] = {-1.34164, -1.34153, -1.34151, -1.33133};
  const double means[] = {0, 100, 1000, 10000};
  for_each_target([&] {
    for (int k = 0; k < 4; ++k) {
      Case<float> fast(1, 16);
      Case<double> plain(1, 16);
      fast.with_residual = plain.with_residual = false;
      fast.affine = plain.affine = false;
      for (size_t i = 0; i < 16; ++i) {
        fast.x[i] = static_cast<float>(means[k] + static_cast<double>(i) * 0.001);
        plain.x[i] = fast.x[i];
      }
      fast.layer_norm();
      plain.layer_norm();
      EXPECT_NEAR(fast.y[0], first_output[k], 2e-3) << means[k];
      expect_near(fast.y, plain.y, 1e-4, "y", 16);
      expect_near(fast.dx, plain.dx, 1e-4, "dx", 16);  // the mean's rounding is taken out of the backward pass too
    }
  });
}

TEST(Norm, ConstantRowsGiveTheBias) {
  for_each_target([] {
    for (const float value : {0.0F, 0.1F, 1234.567F, -1e30F}) {
      for (const Index n : {1, 5, 16, 33}) {
        Case<float> c(2, n);
        c.with_residual = false;
        std::fill(c.x.begin(), c.x.end(), value);
        c.layer_norm();
        for (Index i = 0; i < 2 * n; ++i) {
          // Deviations are at most the rounding of the value itself, over sqrt(eps).
          ASSERT_NEAR(c.y[static_cast<size_t>(i)], c.bias[static_cast<size_t>(i % n)], 1e-3) << value << " " << n;
        }
      }
    }
  });
}

TEST(Norm, NanStaysInItsRow) {
  for_each_target([] {
    for (const Index n : {1, 16, 21}) {
      Case<float> c(3, n);
      c.x[static_cast<size_t>(n)] = std::numeric_limits<float>::quiet_NaN();
      c.layer_norm();
      for (Index i = 0; i < 3 * n; ++i) EXPECT_EQ(std::isnan(c.y[static_cast<size_t>(i)]), i / n == 1);
      c.rms_norm();
      for (Index i = 0; i < 3 * n; ++i) EXPECT_EQ(std::isnan(c.y[static_cast<size_t>(i)]), i / n == 1);
    }
  });
}

TEST(Norm, SameBitsAtAnyThreadCount) {
  for (const bool add : {false, true}) {
    test::expect_same_bits_at_any_thread_count([&] {
      Case<float> c(1501, 37);
      c.add = add;
      c.layer_norm();
      c.rms_norm();
      return c.everything();
    });
  }
}

TEST(Norm, GivesEqualBitsOnAvx2AndAvx512) {
  const auto wide = test::wide_targets();
  if (wide.size() < 2) GTEST_SKIP() << "this processor has no AVX-512";
  std::vector<Array<float>> results;
  for (const std::int64_t target : wide) {
    hwy::SetSupportedTargetsForTest(target);
    Case<float> c(9, 137);
    c.layer_norm();
    results.push_back(c.everything());
    c.rms_norm();
    const auto more = c.everything();
    results.back().insert(results.back().end(), more.begin(), more.end());
  }
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_TRUE(test::same_bits(results[0], results[1]));
}

TEST(Norm, NoRowsLeaveZeroOrOldParameterGradients) {
  Case<float> c(0, 4);
  c.add = true;
  c.layer_norm();
  EXPECT_EQ(c.dweight[0], 0.5F);
  c.add = false;
  c.layer_norm();
  EXPECT_EQ(c.dweight[0], 0);
}

}  // namespace
}  // namespace minnow
