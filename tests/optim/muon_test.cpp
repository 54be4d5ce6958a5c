#include "minnow/optim/muon.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "minnow/base/error.hpp"
#include "minnow/ops/linear.hpp"
#include "minnow/ops/shape.hpp"
#include "support/tiny_model.hpp"

namespace minnow {
namespace {

Tensor wave(Index count, double shift, DType dtype = DType::f64) {
  std::vector<double> made;
  for (Index i = 0; i < count; ++i) made.push_back(std::sin(shift + 1.7 * static_cast<double>(i * i % 101)));
  return Tensor::from(made, {count}).to(dtype);
}

FlatLayout one_matrix(Index rows, Index cols) { return {rows * cols, rows * cols, {{"w", {rows, cols}, 0, {rows}}}}; }

TEST(Muon, UpdatesAreNearlyOrthogonal) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{6, 6}, {4, 9}, {9, 4}, {1, 5}}) {
    Muon muon(one_matrix(rows, cols), {.scale = MuonScale::kOriginal}, DType::f64);
    Tensor w = Tensor::zeros({rows * cols}, DType::f64);
    muon.step(w, wave(rows * cols, 0.3), 1);
    const Tensor u = reshape(w, {rows, cols});
    const Tensor gram = rows <= cols ? matmul(u, transpose(u, 0, 1)) : matmul(transpose(u, 0, 1), u);
    const double scale = std::max(1.0, static_cast<double>(rows) / static_cast<double>(cols));
    for (Index i = 0; i < gram.size(0); ++i) {
      // Newton-Schulz with these coefficients brings singular values to 0.7 .. 1.2, not to 1.
      const double value = gram.data<double>()[i * gram.size(0) + i] / scale;
      EXPECT_GT(value, 0.3) << rows << " " << cols;
      EXPECT_LT(value, 1.6) << rows << " " << cols;
    }
  }
}

TEST(Muon, AFusedMatrixIsMovedPartByPart) {
  const Index cols = 5;
  const FlatLayout fused{12 * cols, 12 * cols, {{"qkv", {12, cols}, 0, {6, 3, 3}}}};
  const FlatLayout apart{12 * cols,
                         12 * cols,
                         {{"q", {6, cols}, 0, {6}}, {"k", {3, cols}, 6 * cols, {3}}, {"v", {3, cols}, 9 * cols, {3}}}};
  const FlatLayout whole{12 * cols, 12 * cols, {{"w", {12, cols}, 0, {12}}}};
  std::vector<std::vector<std::byte>> ends;
  for (const FlatLayout& layout : {fused, apart, whole}) {
    Muon muon(layout, {.weight_decay = 0.1});
    Tensor w = wave(12 * cols, 1, DType::f32);
    for (int step = 0; step < 3; ++step) muon.step(w, wave(12 * cols, step, DType::f32), 0.1);
    ends.push_back(test::bytes_of(w));
  }
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_NE(ends[0], ends[2]);
}

TEST(Muon, LeavesEverythingElseToAdamW) {
  const FlatLayout layout{12, 10, {{"w", {2, 3}, 0, {2}}, {"embedding", {2, 2}, 6, {}}, {"norm", {2}, 10, {}}}};
  const AdamWOptions rest{.weight_decay = 0.3};
  Muon muon(layout, {.rate = 2, .rest = rest}, DType::f64);
  AdamW adamw(FlatLayout{6, 4, {}}, rest, DType::f64);
  Tensor w = wave(12, 1);
  Tensor other = slice(w, 0, 6, 12).clone();
  for (int step = 0; step < 4; ++step) {
    const Tensor g = wave(12, step);
    muon.step(w, g, 0.01, 0.5);
    adamw.step(other, slice(g, 0, 6, 12).clone(), 0.01, 0.5);
  }
  EXPECT_EQ(test::bytes_of(slice(w, 0, 6, 12).clone()), test::bytes_of(other));
  std::vector<std::string> names;
  for (const auto& one : muon.state()) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"momentum_buffer.w", "exp_avg.embedding", "exp_avg_sq.embedding",
                                             "exp_avg.norm", "exp_avg_sq.norm"}));
}

TEST(Muon, AZeroGradientMovesNothing) {
  Muon muon(one_matrix(3, 4), {});
  Tensor w = wave(12, 1, DType::f32);
  const auto before = test::bytes_of(w);
  muon.step(w, Tensor::zeros({12}), 0.1);
  EXPECT_EQ(test::bytes_of(w), before);
}

TEST(Muon, SameBitsAtAnyThreadCount) {
  std::vector<std::vector<std::byte>> ends;
  for (const int count : {1, 2, 3, 7}) {
    const test::Threads threads(count);
    FlatLayout layout;
    for (Index i = 0; i < 5; ++i) {
      layout.parts.push_back({"w", {40, 30 + i}, layout.count, {40}});
      layout.count += 40 * (30 + i);
    }
    layout.decayed = layout.count;
    Muon muon(layout, {});
    Tensor w = wave(layout.count, 1, DType::f32);
    for (int step = 0; step < 2; ++step) muon.step(w, wave(layout.count, step, DType::f32), 0.1);
    ends.push_back(test::bytes_of(w));
  }
  for (const auto& end : ends) EXPECT_EQ(end, ends.front());
}

TEST(Muon, RefusesMatricesThatDoNotFillTheParameter) {
  EXPECT_THROW(Muon({12, 12, {{"w", {4, 3}, 0, {3}}}}, {}), ShapeError);
}

}  // namespace
}  // namespace minnow
