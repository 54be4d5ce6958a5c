#include "minnow/kernels/attention.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "hwy/targets.h"

namespace minnow::kernels {
namespace {

template <class T>
std::vector<T> random_values(Index count, std::uint32_t stream) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(random_normal(RandomKey{9, stream, 0}, i));
  return values;
}

/// Shape and options of a case.
struct Case {
  Index batch = 2, heads = 2, kv_heads = 2, q_len = 5, k_len = 7, head_dim = 4, value_dim = 3;
  bool causal = false;
  Index offset = 0, window = 0;
  bool bool_mask = false, float_mask = false, lengths = false, alibi = false, broadcast_mask = false;
  double dropout = 0;
};

std::string describe(const Case& c) {
  std::string text;
  for (const Index value :
       {c.batch, c.heads, c.kv_heads, c.q_len, c.k_len, c.head_dim, c.value_dim, c.offset, c.window})
    text += std::to_string(value) + " ";
  return text + (c.causal ? "causal " : "") + (c.bool_mask ? "bool " : "") + (c.float_mask ? "float " : "") +
         (c.lengths ? "lengths " : "") + (c.alibi ? "alibi " : "") + (c.dropout > 0 ? "dropout" : "");
}

/// Owns every array of a case. q, k and v have room between rows, out and the gradients lie contiguously.
template <class T>
struct Problem {
  explicit Problem(const Case& c) : shape(c) {
    const Index q_row = c.head_dim + 2, k_row = c.head_dim + 1, v_row = c.value_dim + 3;
    q = random_values<T>(c.batch * c.heads * c.q_len * q_row, 1);
    k = random_values<T>(c.batch * c.kv_heads * c.k_len * k_row, 2);
    v = random_values<T>(c.batch * c.kv_heads * c.k_len * v_row, 3);
    dout = random_values<T>(c.batch * c.heads * c.q_len * c.value_dim, 4);
    out = dq = dk = dv = weights = {};
    out.assign(dout.size(), T(77));
    lse.assign(static_cast<std::size_t>(c.batch * c.heads * c.q_len), T(77));
    weights.assign(lse.size() * static_cast<std::size_t>(c.k_len), T(77));
    dq = random_values<T>(c.batch * c.heads * c.q_len * c.head_dim, 5);
    dk = random_values<T>(c.batch * c.kv_heads * c.k_len * c.head_dim, 6);
    dv = random_values<T>(c.batch * c.kv_heads * c.k_len * c.value_dim, 7);
    const Index mask_size = c.batch * c.heads * c.q_len * c.k_len;
    float_mask = random_values<T>(mask_size, 8);
    bool_mask = std::make_unique<bool[]>(static_cast<std::size_t>(mask_size));
    for (Index i = 0; i < mask_size; ++i) {
      bool_mask[static_cast<std::size_t>(i)] = random_uniform(RandomKey{9, 9, 0}, static_cast<std::uint64_t>(i)) > 0.4F;
      if (i % 11 == 3) float_mask[static_cast<std::size_t>(i)] = -std::numeric_limits<T>::infinity();
    }
    for (Index b = 0; b < c.batch; ++b) lengths.push_back(b == 0 ? (c.k_len + 1) / 2 : b == 1 ? c.k_len : 0);
    for (Index h = 0; h < c.heads; ++h) slopes.push_back(static_cast<T>(std::exp2(-static_cast<double>(h) - 1)));
  }

  AttentionArgs<T> args() const {
    const Case& c = shape;
    AttentionArgs<T> x{.batch = c.batch,
                       .heads = c.heads,
                       .kv_heads = c.kv_heads,
                       .q_len = c.q_len,
                       .k_len = c.k_len,
                       .head_dim = c.head_dim,
                       .value_dim = c.value_dim};
    x.q = view(q.data(), c.heads, c.q_len, c.head_dim + 2);
    x.k = view(k.data(), c.kv_heads, c.k_len, c.head_dim + 1);
    x.v = view(v.data(), c.kv_heads, c.k_len, c.value_dim + 3);
    x.scale = static_cast<T>(1 / std::sqrt(static_cast<double>(c.head_dim)));
    x.causal = c.causal, x.offset = c.offset, x.window = c.window;
    if (c.bool_mask) x.bool_mask = bool_mask.get();
    if (c.float_mask) x.float_mask = float_mask.data();
    x.mask_strides = {c.heads * c.q_len * c.k_len, c.q_len * c.k_len, c.k_len, 1};
    if (c.broadcast_mask) x.mask_strides = {c.k_len, 0, 0, 1};
    if (c.lengths) x.key_lengths = lengths.data();
    if (c.alibi) x.alibi_slopes = slopes.data();
    x.dropout = c.dropout, x.random = {3, 4, 5}, x.first_batch = 6;
    return x;
  }

  template <class U>
  static HeadView<U> view(U* data, Index heads, Index length, Index row) {
    return {data, heads * length * row, length * row, row};
  }
  HeadView<T> out_view() { return view(out.data(), shape.heads, shape.q_len, shape.value_dim); }
  HeadView<const T> const_out() const { return view(out.data(), shape.heads, shape.q_len, shape.value_dim); }
  HeadView<const T> dout_view() const { return view(dout.data(), shape.heads, shape.q_len, shape.value_dim); }
  AttentionGradient<T> dq_view(bool add) { return {view(dq.data(), shape.heads, shape.q_len, shape.head_dim), add}; }
  AttentionGradient<T> dk_view(bool add) { return {view(dk.data(), shape.kv_heads, shape.k_len, shape.head_dim), add}; }
  AttentionGradient<T> dv_view(bool add) {
    return {view(dv.data(), shape.kv_heads, shape.k_len, shape.value_dim), add};
  }

  void forward(bool with_weights) {
    const AttentionArgs<T> x = args();
    scratch.assign(attention_scratch_bytes(x) / 8 + 16, 0x7ff8dead7ff8deadULL);  // NaN: nothing may rely on it
    attention_forward(x, out_view(), lse.data(), with_weights ? weights.data() : nullptr, scratch_start());
  }
  void backward(bool add) {
    const AttentionArgs<T> x = args();
    scratch.assign(attention_scratch_bytes(x) / 8 + 16, 0x7ff8dead7ff8deadULL);
    attention_backward(x, const_out(), dout_view(), lse.data(), dq_view(add), dk_view(add), dv_view(add),
                       scratch_start());
  }
  void reference(bool add) {
    attention_forward_reference(args(), out_view(), lse.data(), weights.data());
    attention_backward_reference(args(), dout_view(), dq_view(add), dk_view(add), dv_view(add));
  }
  void* scratch_start() {
    const auto address = reinterpret_cast<std::uintptr_t>(scratch.data());
    return scratch.data() + (64 - address % 64) % 64 / 8;
  }

  Case shape;
  std::vector<T> q, k, v, dout, out, lse, weights, dq, dk, dv, float_mask, slopes;
  std::unique_ptr<bool[]> bool_mask;
  std::vector<std::int64_t> lengths;
  std::vector<std::uint64_t> scratch;
};

/// Largest difference in units of the bound, equal infinities apart.
template <class T>
void expect_close(const std::vector<T>& got, const std::vector<T>& want, const char* what, const Case& c) {
  const double eps = std::is_same_v<T, float> ? 2e-5 : 1e-12;
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == want[i]) continue;
    const double bound = eps * (1 + std::abs(static_cast<double>(want[i])));
    ASSERT_NEAR(static_cast<double>(got[i]), static_cast<double>(want[i]), bound)
        << what << " at " << i << ", case " << describe(c);
  }
}

template <class T>
void check_against_reference(const Case& c) {
  for (const bool add : {false, true}) {
    Problem<T> got(c), want(c);
    got.forward(true);
    got.backward(add);
    want.reference(add);
    expect_close(got.out, want.out, "out", c);
    expect_close(got.lse, want.lse, "lse", c);
    expect_close(got.weights, want.weights, "weights", c);
    expect_close(got.dq, want.dq, "dq", c);
    expect_close(got.dk, want.dk, "dk", c);
    expect_close(got.dv, want.dv, "dv", c);
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  all.push_back({});
  all.push_back({.batch = 1, .heads = 1, .kv_heads = 1, .q_len = 1, .k_len = 1, .head_dim = 1, .value_dim = 1});
  all.push_back({.q_len = 1, .k_len = 300, .head_dim = 17, .value_dim = 80, .causal = true, .offset = 299});
  all.push_back({.q_len = 64, .k_len = 64, .head_dim = 32, .value_dim = 32, .causal = true});
  all.push_back({.q_len = 70, .k_len = 70, .head_dim = 80, .value_dim = 33, .causal = true});
  all.push_back({.q_len = 129, .k_len = 301, .head_dim = 9, .value_dim = 5});  // several tiles each way
  all.push_back({.batch = 1, .q_len = 300, .k_len = 300, .head_dim = 16, .value_dim = 16, .causal = true});
  all.push_back({.batch = 1, .q_len = 300, .k_len = 531, .causal = true, .offset = 231, .window = 40});
  all.push_back({.q_len = 40, .k_len = 33, .window = 5});
  all.push_back({.q_len = 9, .k_len = 20, .causal = true, .offset = -4});  // rows that see no key
  all.push_back({.q_len = 33, .k_len = 45, .bool_mask = true});
  all.push_back({.q_len = 33, .k_len = 45, .bool_mask = true, .broadcast_mask = true});
  all.push_back({.q_len = 33, .k_len = 290, .float_mask = true});
  all.push_back({.batch = 3, .q_len = 20, .k_len = 300, .lengths = true});
  all.push_back({.heads = 4, .kv_heads = 4, .q_len = 30, .k_len = 280, .causal = true, .offset = 250, .alibi = true});
  all.push_back({.q_len = 30, .k_len = 35, .alibi = true});
  all.push_back({.heads = 6, .kv_heads = 2, .q_len = 66, .k_len = 66, .causal = true});
  all.push_back({.batch = 1, .heads = 3, .kv_heads = 1, .q_len = 20, .k_len = 17, .bool_mask = true, .dropout = 0.3});
  all.push_back({.q_len = 65, .k_len = 270, .causal = true, .offset = 205, .dropout = 0.1});
  all.push_back({.q_len = 12, .k_len = 12, .dropout = 1.0});
  all.push_back({.q_len = 4, .k_len = 0});
  all.push_back({.q_len = 0, .k_len = 4});
  all.push_back({.batch = 0});
  for (const Index size : {2, 3, 15, 16, 31, 47, 63, 65})
    all.push_back({.batch = 1,
                   .q_len = size,
                   .k_len = size + 1,
                   .head_dim = size,
                   .value_dim = size,
                   .causal = true,
                   .offset = 1});
  return all;
}

template <class T>
class Attention : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Attention, Types);

TYPED_TEST(Attention, MatchesReference) {
  for (const Case& c : cases()) check_against_reference<TypeParam>(c);
}

TEST(AttentionTargets, EveryInstructionSetMatchesReference) {
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    SCOPED_TRACE(hwy::TargetName(target));
    check_against_reference<float>(
        {.q_len = 66, .k_len = 67, .head_dim = 7, .causal = true, .offset = 1, .dropout = 0.2});
    check_against_reference<float>(
        {.batch = 3, .q_len = 5, .k_len = 270, .window = 30, .float_mask = true, .lengths = true});
  }
  hwy::SetSupportedTargetsForTest(0);
}

TYPED_TEST(Attention, SameBitsAtAnyThreadCount) {
  const int before = threads();
  const auto same = [](const std::vector<TypeParam>& a, const std::vector<TypeParam>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(TypeParam)) == 0;
  };
  for (const Case& c :
       {Case{.batch = 3, .heads = 6, .kv_heads = 3, .q_len = 66, .k_len = 66, .causal = true, .dropout = 0.2},
        Case{.batch = 1, .heads = 2, .kv_heads = 1, .q_len = 150, .k_len = 600, .head_dim = 16, .window = 500}}) {
    set_threads(1);
    Problem<TypeParam> first(c);
    first.forward(true);
    first.backward(true);
    for (const int count : {1, 2, 3, 7}) {
      set_threads(count);
      Problem<TypeParam> again(c);
      again.forward(true);
      again.backward(true);
      EXPECT_TRUE(same(first.out, again.out) && same(first.lse, again.lse) && same(first.weights, again.weights))
          << count;
      EXPECT_TRUE(same(first.dq, again.dq) && same(first.dk, again.dk) && same(first.dv, again.dv)) << count;
    }
  }
  set_threads(before);
}

TYPED_TEST(Attention, PackedInputNeedsNoCopy) {
  const Index batch = 2, heads = 3, length = 10, size = 4, width = heads * size, row = 3 * width;
  const auto packed = random_values<TypeParam>(batch * length * row, 1);
  const auto part = [&](Index i) {
    return HeadView<const TypeParam>{packed.data() + i * width, length * row, size, row};
  };
  AttentionArgs<TypeParam> x{.batch = batch,
                             .heads = heads,
                             .kv_heads = heads,
                             .q_len = length,
                             .k_len = length,
                             .head_dim = size,
                             .value_dim = size,
                             .q = part(0),
                             .k = part(1),
                             .v = part(2),
                             .causal = true};
  std::vector<TypeParam> out(static_cast<std::size_t>(batch * length * width)), want = out;
  std::vector<TypeParam> lse(static_cast<std::size_t>(batch * heads * length)), want_lse = lse;
  std::vector<std::uint64_t> scratch(attention_scratch_bytes(x) / 8 + 16);
  void* start = scratch.data() + (64 - reinterpret_cast<std::uintptr_t>(scratch.data()) % 64) % 64 / 8;
  attention_forward<TypeParam>(x, {out.data(), length * width, size, width}, lse.data(), nullptr, start);
  attention_forward_reference<TypeParam>(x, {want.data(), length * width, size, width}, want_lse.data(), nullptr);
  expect_close(out, want, "out", {});
  expect_close(lse, want_lse, "lse", {});
}

TYPED_TEST(Attention, NanInNanOut) {
  const TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  for (const Index k_len : {7, 300}) {
    Problem<TypeParam> p(Case{.batch = 1, .heads = 1, .kv_heads = 1, .q_len = 6, .k_len = k_len});
    p.q[static_cast<std::size_t>(2 * (p.shape.head_dim + 2))] = nan;  // query 2: every score is NaN
    p.forward(false);
    for (std::size_t i = 0; i < p.out.size(); ++i)
      EXPECT_EQ(std::isnan(p.out[i]), static_cast<Index>(i) / p.shape.value_dim == 2) << i;
    EXPECT_TRUE(std::isnan(p.lse[2]));
    Problem<TypeParam> one(p.shape);
    one.k[static_cast<std::size_t>(5 * (p.shape.head_dim + 1))] = nan;  // one key: a NaN in each row
    one.forward(false);
    for (const TypeParam value : one.out) EXPECT_TRUE(std::isnan(value));
  }
}

TYPED_TEST(Attention, LargeScoresDoNotOverflow) {
  Problem<TypeParam> p(Case{.q_len = 20, .k_len = 300, .causal = true, .offset = 280});
  for (TypeParam& value : p.q) value *= TypeParam(1e4);
  p.forward(false);
  p.backward(false);
  for (const auto* array : {&p.out, &p.lse, &p.dq, &p.dk, &p.dv})
    for (const TypeParam value : *array) ASSERT_TRUE(std::isfinite(value));
}

TYPED_TEST(Attention, UnwantedGradientsAreLeftOut) {
  const Case c{.q_len = 20, .k_len = 30};
  Problem<TypeParam> all(c), some(c);
  all.forward(false);
  all.backward(false);
  some.forward(false);
  const auto untouched = some.dk;
  some.scratch.assign(attention_scratch_bytes(some.args()) / 8 + 16, 0);
  attention_backward<TypeParam>(some.args(), some.const_out(), some.dout_view(), some.lse.data(), some.dq_view(false),
                                {}, some.dv_view(false), some.scratch_start());
  EXPECT_EQ(some.dk, untouched);
  EXPECT_EQ(some.dq, all.dq);
  EXPECT_EQ(some.dv, all.dv);
}

/// sum of out * dout, the function whose gradient the backward pass gives.
double weighted_output(Problem<double>& p) {
  p.forward(false);
  double sum = 0;
  for (std::size_t i = 0; i < p.out.size(); ++i) sum += p.out[i] * p.dout[i];
  return sum;
}

TEST(AttentionGradients, CentralDifferences) {
  const int before = threads();
  set_threads(1);  // thousands of tiny calls: waking threads would take most of the time
  for (const Case& c : {Case{.heads = 4, .kv_heads = 2, .causal = true, .offset = 2},
                        Case{.batch = 1, .q_len = 6, .k_len = 9, .float_mask = true, .alibi = true, .dropout = 0.3},
                        Case{.batch = 3, .q_len = 4, .k_len = 6, .window = 3, .bool_mask = true, .lengths = true}}) {
    Problem<double> p(c);
    p.forward(false);
    p.backward(false);
    const auto check = [&](std::vector<double>& values, Index row, const std::vector<double>& gradient, Index size) {
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        const auto at =
            i / static_cast<std::size_t>(size) * static_cast<std::size_t>(row) + i % static_cast<std::size_t>(size);
        const double kept = values[at], step = 1e-5;
        values[at] = kept + step;
        const double above = weighted_output(p);
        values[at] = kept - step;
        const double below = weighted_output(p);
        values[at] = kept;
        const double numeric = (above - below) / (2 * step);
        ASSERT_NEAR(gradient[i], numeric, 1e-8 * (1 + std::abs(numeric))) << i << " case " << describe(c);
      }
    };
    check(p.q, c.head_dim + 2, p.dq, c.head_dim);
    check(p.k, c.head_dim + 1, p.dk, c.head_dim);
    check(p.v, c.value_dim + 3, p.dv, c.value_dim);
  }
  set_threads(before);
}

}  // namespace
}  // namespace minnow::kernels
