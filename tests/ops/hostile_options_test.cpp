// Options far beyond what makes sense: axes, sizes, counts and widths at the ends of their types. An error that names
// the operation must come, not a crash, an overflow or an attempt to take all memory.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "minnow/ops/attention.hpp"
#include "minnow/ops/audio.hpp"
#include "minnow/ops/convolution.hpp"
#include "minnow/ops/dropout.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/embedding.hpp"
#include "minnow/ops/linear.hpp"
#include "minnow/ops/loss.hpp"
#include "minnow/ops/norm.hpp"
#include "minnow/ops/position.hpp"
#include "minnow/ops/reduction.hpp"
#include "minnow/ops/shape.hpp"

namespace minnow {
namespace {

constexpr Index kMost = std::numeric_limits<Index>::max();
constexpr Index kLeast = std::numeric_limits<Index>::min();
constexpr Index kHostile[] = {kMost, kLeast, kMost / 2, kLeast / 2, -1000, 1000, Index{1} << 32};

/// Calls with each hostile number: an error must name `who`.
void refuses(const char* who, const std::function<void(Index)>& call) {
  for (const Index value : kHostile) {
    try {
      call(value);
      ADD_FAILURE() << who << " took " << value;
    } catch (const Error& error) {
      const std::string text = error.what();
      const bool named = text.find(std::string("[") + who + "]") != std::string::npos ||
                         text.find("[memory]") != std::string::npos || text.find("[shape]") != std::string::npos ||
                         text.find("[tensor]") != std::string::npos;
      EXPECT_TRUE(named) << who << ": " << text;
    } catch (const std::exception& error) {
      ADD_FAILURE() << who << " with " << value << ": not an error of minnow: " << error.what();
    }
  }
}

Tensor grid() { return Tensor::zeros({2, 3}); }

TEST(HostileOptions, Axes) {
  const Tensor x = grid();
  const Tensor ids = Tensor::zeros({2, 3}, DType::i64);
  const Tensor rows = Tensor::zeros({2}, DType::i64);
  refuses("softmax", [&](Index a) { (void)softmax(x, a); });
  refuses("log_softmax", [&](Index a) { (void)log_softmax(x, a); });
  refuses("sum", [&](Index a) { (void)sum(x, {a}); });
  refuses("mean", [&](Index a) { (void)mean(x, {a}); });
  refuses("var", [&](Index a) { (void)var(x, {a}); });
  refuses("std_dev", [&](Index a) { (void)std_dev(x, {a}); });
  refuses("amax", [&](Index a) { (void)amax(x, {a}); });
  refuses("max_dim", [&](Index a) { (void)max_dim(x, a); });
  refuses("argmax", [&](Index a) { (void)argmax(x, a); });
  refuses("logsumexp", [&](Index a) { (void)logsumexp(x, {a}); });
  refuses("prod", [&](Index a) { (void)prod(x, {a}); });
  refuses("norm", [&](Index a) { (void)norm(x, {a}); });
  refuses("permute", [&](Index a) { (void)permute(x, {0, a}); });
  refuses("transpose", [&](Index a) { (void)transpose(x, 0, a); });
  refuses("slice", [&](Index a) { (void)slice(x, a, 0, 1); });
  refuses("squeeze", [&](Index a) { (void)squeeze(x, a); });
  refuses("unsqueeze", [&](Index a) { (void)unsqueeze(x, a); });
  refuses("select", [&](Index a) { (void)select(x, a, 0); });
  refuses("concat", [&](Index a) { (void)concat({x, x}, a); });
  refuses("stack", [&](Index a) { (void)stack({x, x}, a); });
  refuses("split", [&](Index a) { (void)split(x, a, {1, 1}); });
  refuses("split_equal", [&](Index a) { (void)split_equal(x, a, 2); });
  refuses("repeat_interleave", [&](Index a) { (void)repeat_interleave(x, a, 2); });
  refuses("flip", [&](Index a) { (void)flip(x, {a}); });
  refuses("roll", [&](Index a) { (void)roll(x, {1}, {a}); });
  refuses("gather", [&](Index a) { (void)gather(x, a, ids); });
  refuses("index_select", [&](Index a) { (void)index_select(x, a, rows); });
  refuses("scatter_add", [&](Index a) { (void)scatter_add(x, a, ids, x); });
  refuses("cumsum", [&](Index a) { (void)cumsum(x, a); });
}

TEST(HostileOptions, SizesAndCounts) {
  const Tensor x = grid();
  refuses("reshape", [&](Index n) { (void)reshape(x, {n, n}); });
  refuses("reshape", [&](Index n) { (void)reshape(x, {n, -1}); });
  refuses("expand", [&](Index n) { (void)expand(x, {n, 3}); });
  refuses("select", [&](Index n) { (void)select(x, 0, n); });
  refuses("split", [&](Index n) { (void)split(x, 0, {n, 1}); });
  refuses("split", [&](Index n) { (void)split(x, 0, {n, n, n, n, 2}); });
  refuses("split_equal", [&](Index n) { (void)split_equal(x, 0, n); });
  EXPECT_THROW((void)pad(x, {kMost, 1}), Error);
  EXPECT_THROW((void)pad(x, {kMost, kMost}), Error);
  EXPECT_THROW((void)pad(x, {kLeast, 0}), Error);
  EXPECT_THROW((void)pad(x, {0, kLeast, kMost, 0}), Error);
  EXPECT_THROW((void)pad(x, {1}), Error);
  EXPECT_THROW((void)repeat(x, {kMost, 2}), Error);
  EXPECT_THROW((void)repeat(x, {kMost, 0}), Error);
  EXPECT_THROW((void)repeat(x, {kLeast, 1}), Error);
  EXPECT_THROW((void)repeat_interleave(x, 0, kMost), Error);
  EXPECT_THROW((void)repeat_interleave(x, 0, kLeast), Error);
  EXPECT_THROW((void)repeat_interleave(x, 0, -1), Error);
}

TEST(HostileOptions, BeginsEndsStepsAndShifts) {
  const Tensor x = Tensor::from<float>(std::vector<float>{0, 1, 2, 3, 4}, {5});
  using Numbers = std::vector<float>;
  const auto taken = [&](Index begin, Index end, Index step) -> std::string {
    try {
      return slice(x, 0, begin, end, step).shape().str();
    } catch (const Error& error) {
      return std::string(error.what()).find("[slice]") == std::string::npos ? error.what() : "refused";
    }
  };
  for (const Index begin : {kLeast, kMost, Index{0}, Index{2}}) {
    for (const Index end : {kLeast, kMost, Index{0}, Index{5}}) {
      for (const Index step : {kLeast, kMost, Index{0}, Index{1}, Index{-1}}) {
        const std::string got = taken(begin, end, step);
        EXPECT_TRUE(got == "refused" || got[0] == '(') << begin << " " << end << " " << step << ": " << got;
      }
    }
  }
  for (const Index shift : {kLeast, kMost, Index{-7}, Index{1000000007}}) {
    EXPECT_EQ(roll(x, {shift}, {0}).to_vector<float>().size(), 5U) << shift;
  }
  EXPECT_EQ(roll(x, {-7}, {0}).to_vector<float>(), (Numbers{2, 3, 4, 0, 1}));
  EXPECT_EQ(roll(x, {kMost}, {0}).to_vector<float>(), roll(x, {kMost % 5}, {0}).to_vector<float>());
  EXPECT_EQ(roll(x, {kLeast}, {0}).to_vector<float>(), roll(x, {kLeast % 5}, {0}).to_vector<float>());
  const Tensor square = Tensor::full({3, 3}, 1);
  for (const Index diagonal : {kLeast, kMost, kLeast + 1, kMost - 1}) {
    EXPECT_EQ(sum(tril(square, diagonal)).item(), diagonal > 0 ? 9 : 0);
    EXPECT_EQ(sum(triu(square, diagonal)).item(), diagonal > 0 ? 0 : 9);
  }
}

TEST(HostileOptions, Convolutions) {
  const Tensor x = Tensor::zeros({1, 2, 5});
  const Tensor w = Tensor::zeros({2, 2, 3});
  const Tensor image = Tensor::zeros({1, 2, 5, 5});
  const Tensor kernel = Tensor::zeros({2, 2, 3, 3});
  for (const Index n : {kLeast, Index{-1}, Index{0}}) {
    EXPECT_THROW((void)conv1d(x, w, {}, {.stride = n}), ShapeError) << n;
    EXPECT_THROW((void)conv1d(x, w, {}, {.dilation = n}), ShapeError) << n;
    EXPECT_THROW((void)conv1d(x, w, {}, {.groups = n}), ShapeError) << n;
    EXPECT_THROW((void)conv1d(x, w, {}, {.padding = n == 0 ? -1 : n}), ShapeError) << n;
    EXPECT_THROW((void)conv2d(image, kernel, {}, {.stride = {1, n}}), ShapeError) << n;
    EXPECT_THROW((void)conv2d(image, kernel, {}, {.dilation = {n, 1}}), ShapeError) << n;
  }
  for (const Index n : {kMost, kMost / 2, kMost - 5}) {
    EXPECT_EQ(conv1d(x, w, {}, {.stride = n}).shape(), (Shape{1, 2, 1})) << n;
    EXPECT_THROW((void)conv1d(x, w, {}, {.padding = n}), Error) << n;
    EXPECT_THROW((void)conv1d(x, w, {}, {.dilation = n}), Error) << n;
    EXPECT_THROW((void)conv1d(x, w, {}, {.padding = n, .dilation = n}), Error) << n;
    EXPECT_THROW((void)conv1d(x, w, {}, {.groups = n}), Error) << n;
    EXPECT_THROW((void)conv2d(image, kernel, {}, {.padding = {n, n}}), Error) << n;
  }
}

TEST(HostileOptions, Attention) {
  const Tensor q = Tensor::full({1, 2, 3, 4}, 0.5);
  for (const Index n : {kLeast, Index{-1}}) {
    EXPECT_THROW((void)scaled_dot_product_attention(q, q, q, {.window = n}), Error) << n;
  }
  EXPECT_EQ(sum(scaled_dot_product_attention(q, q, q, {.causal = true, .window = kMost})).item(), 12);
  EXPECT_THROW((void)scaled_dot_product_attention(q, q, q, {.dropout = 1.5}), Error);
  EXPECT_THROW((void)scaled_dot_product_attention(q, q, q, {.dropout = NAN}), Error);
  const Tensor rows = Tensor::full({1, 3, 12}, 0.5);
  EXPECT_THROW((void)packed_self_attention(rows, 2, {.dropout = NAN}), Error);
  EXPECT_THROW((void)packed_self_attention(rows, 2, {.window = -1}), Error);
  EXPECT_THROW((void)row_attention(rows, rows, rows, 2, 2, {.scale = NAN}), Error);
  refuses("packed_self_attention", [&](Index n) { (void)packed_self_attention(rows, n); });
  EXPECT_THROW((void)packed_self_attention(rows, 0), Error);
  refuses("row_attention", [&](Index n) { (void)row_attention(rows, rows, rows, n, n); });
  EXPECT_THROW((void)row_attention(rows, rows, rows, 2, 0), Error);
}

TEST(HostileOptions, Positions) {
  const Tensor q = Tensor::full({1, 2, 3, 4}, 0.5);
  const Tensor positions = Tensor::zeros({3}, DType::i64);
  refuses("rope", [&](Index n) { (void)rope(q, positions, {.rotary_dim = n}); });
  EXPECT_THROW((void)t5_bucket(positions, {.num_buckets = 0}), Error);
  EXPECT_THROW((void)t5_bucket(positions, {.num_buckets = kLeast}), Error);
  EXPECT_THROW((void)t5_bucket(positions, {.max_distance = 0}), Error);
  const Tensor far = Tensor::from<std::int64_t>(std::vector<std::int64_t>{kLeast, kMost, -1}, {3});
  for (const std::int64_t bucket : t5_bucket(far).to_vector<std::int64_t>()) {
    EXPECT_GE(bucket, 0);
    EXPECT_LT(bucket, 32);
  }
  const Tensor table = Tensor::zeros({32, 2});
  EXPECT_THROW((void)t5_relative_bias(table, kMost, 2), Error);
  EXPECT_THROW((void)t5_relative_bias(table, 2, kLeast), Error);
  EXPECT_THROW((void)t5_relative_bias(table, -1, 2), Error);
  EXPECT_THROW((void)alibi_slopes(-1), Error);
  EXPECT_THROW((void)alibi_slopes(kMost), Error);
  EXPECT_THROW((void)sinusoidal_table_halves(kMost, 4), Error);
  EXPECT_THROW((void)sinusoidal_table_halves(2, -4), Error);
  EXPECT_THROW((void)sparse_attention_mask(-1, {}), Error);
  EXPECT_THROW((void)sparse_attention_mask(kMost, {}), Error);
  for (const Index n : {kLeast, Index{-1}, Index{0}}) {
    EXPECT_THROW((void)sparse_attention_mask(4, {.kind = SparsePattern::Kind::kStrided, .stride = n}), Error) << n;
    EXPECT_THROW((void)sparse_attention_mask(4, {.kind = SparsePattern::Kind::kBlock, .block = n}), Error) << n;
    EXPECT_THROW((void)sparse_attention_mask(4, {.kind = SparsePattern::Kind::kDilated, .dilation = n}), Error) << n;
  }
  const Tensor places = Tensor::zeros({5, 3});
  refuses("interpolate_pos_embed", [&](Index n) {
    (void)interpolate_pos_embed(places, {2, 2, n, n == 1000 ? 0 : n, Interpolation::kBicubic, 1});
  });
  refuses("interpolate_pos_embed", [&](Index n) {
    (void)interpolate_pos_embed(places, {n, n, 2, 2, Interpolation::kBicubic, 1});
  });
  refuses("interpolate_pos_embed", [&](Index n) {
    (void)interpolate_pos_embed(places, {2, 2, 2, 2, Interpolation::kBicubic, n});
  });
}

TEST(HostileOptions, Audio) {
  const Tensor wave = Tensor::zeros({1, 800});
  const auto with = [](auto change) {
    MelOptions options;
    change(options);
    return options;
  };
  for (const Index n : {kLeast, Index{-1}, Index{0}}) {
    EXPECT_THROW((void)mel_spectrogram(wave, with([&](MelOptions& o) { o.n_fft = n; })), Error) << n;
    EXPECT_THROW((void)mel_spectrogram(wave, with([&](MelOptions& o) { o.win_length = n; })), Error) << n;
    EXPECT_THROW((void)mel_spectrogram(wave, with([&](MelOptions& o) { o.hop = n; })), Error) << n;
    EXPECT_THROW((void)mel_spectrogram(wave, with([&](MelOptions& o) { o.n_mels = n; })), Error) << n;
  }
  EXPECT_THROW((void)mel_spectrogram(wave, with([](MelOptions& o) { o.n_fft = kMost; })), Error);
  EXPECT_THROW((void)mel_spectrogram(wave, with([](MelOptions& o) { o.win_length = kMost; })), Error);
  EXPECT_THROW((void)mel_spectrogram(wave, with([](MelOptions& o) { o.n_mels = kMost; })), Error);
  EXPECT_THROW((void)mel_spectrogram(wave, with([](MelOptions& o) { o.power = 7; })), Error);
  for (const double rate : {0.0, -1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    EXPECT_THROW((void)mel_spectrogram(wave, with([&](MelOptions& o) { o.sample_rate = rate; })), Error) << rate;
  }
  EXPECT_THROW((void)mel_filters(with([](MelOptions& o) { o.f_max = -5; })), Error);
  EXPECT_THROW((void)mel_filters(with([](MelOptions& o) { o.f_min = NAN; })), Error);
}

TEST(HostileOptions, IdsTargetsAndLengths) {
  const Tensor table = Tensor::zeros({4, 2});
  const Tensor logits = Tensor::zeros({1, 4});
  for (const Index id : {kLeast, kMost, Index{4}, Index{-1}, Index{1} << 32}) {
    const Tensor ids = Tensor::from<std::int64_t>(std::vector<std::int64_t>{id}, {1});
    EXPECT_THROW((void)embedding(table, ids), Error) << id;
    EXPECT_THROW((void)cross_entropy(logits, ids), Error) << id;
    EXPECT_THROW((void)nll_loss(logits, ids), Error) << id;
    EXPECT_THROW((void)linear_cross_entropy(Tensor::zeros({1, 2}), table, {}, ids), Error) << id;
    EXPECT_THROW((void)gather(table, 0, Tensor::full({1, 2}, static_cast<double>(id), DType::i64)), Error) << id;
    EXPECT_THROW((void)index_select(table, 0, ids), Error) << id;
    EXPECT_THROW(
        (void)scatter_add(table, 0, Tensor::full({1, 2}, static_cast<double>(id), DType::i64), Tensor::zeros({1, 2})),
        Error)
        << id;
    const Tensor one = Tensor::from<std::int64_t>(std::vector<std::int64_t>{1}, {1});
    const Tensor times = Tensor::zeros({3, 1, 4});
    const Tensor label = Tensor::from<std::int64_t>(std::vector<std::int64_t>{1}, {1, 1});
    EXPECT_THROW((void)ctc_loss(times, label, ids, one), Error) << id;
    EXPECT_THROW((void)ctc_loss(times, label, one, ids), Error) << id;
    EXPECT_THROW((void)ctc_loss(times, Tensor::full({1, 1}, static_cast<double>(id), DType::i64), one, one), Error)
        << id;
    EXPECT_THROW((void)ctc_loss(times, label, one, one, {.blank = id}), Error) << id;
  }
}

TEST(HostileOptions, Numbers) {
  const Tensor x = grid();
  EXPECT_THROW((void)dropout(x, NAN, {}), Error);
  EXPECT_THROW((void)dropout(x, -0.1, {}), Error);
  EXPECT_THROW((void)dropout(x, 1.5, {}), Error);
  EXPECT_THROW((void)clamp(x, 2, 1), Error);
  EXPECT_THROW((void)clamp(x, NAN), Error);
  const Tensor logits = Tensor::zeros({2, 3});
  const Tensor targets = Tensor::zeros({2}, DType::i64);
  EXPECT_THROW((void)cross_entropy(logits, targets, {.label_smoothing = NAN}), Error);
  EXPECT_THROW((void)cross_entropy(logits, targets, {.label_smoothing = -1}), Error);
  EXPECT_THROW((void)cross_entropy(logits, targets, {.divisor = NAN}), Error);
  EXPECT_THROW((void)cross_entropy(logits, targets, {.divisor = -1}), Error);
  for (const double eps : {static_cast<double>(NAN), -1.0, static_cast<double>(INFINITY)}) {
    EXPECT_THROW((void)layer_norm(x, {3}, {}, {}, eps), Error) << eps;
    EXPECT_THROW((void)rms_norm(x, {3}, {}, eps), Error) << eps;
  }
}

TEST(HostileOptions, AHeadWithoutColumnsScoresByItsBiasAlone) {
  const Tensor bias = set_requires_grad(Tensor::zeros({4}));
  const Tensor ids = Tensor::from<std::int64_t>(std::vector<std::int64_t>{1, 3}, {2});
  const Tensor loss = linear_cross_entropy(Tensor::zeros({2, 0}), Tensor::zeros({4, 0}), bias, ids);
  EXPECT_NEAR(loss.item(), std::log(4.0), 1e-6);
  backward(loss);
  EXPECT_EQ(grad(bias).to_vector<float>(), (std::vector<float>{0.25F, -0.25F, 0.25F, -0.25F}));
}

}  // namespace
}  // namespace minnow
