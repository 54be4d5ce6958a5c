#include "minnow/dist/tree_sum.hpp"

#include <gtest/gtest.h>

#include "minnow/base/error.hpp"
#include "support/tiny_model.hpp"

namespace minnow {
namespace {

/// A leaf whose sum depends on the order of additions.
Tensor leaf(Index number, DType dtype) {
  std::vector<double> numbers;
  for (const std::int32_t id : test::ids(100, 1000, static_cast<std::uint32_t>(number + 1))) {
    numbers.push_back((id - 500) * (id % 3 == 0 ? 1e5 : 0.001));
  }
  return Tensor::from(numbers, {100}).to(dtype);
}

struct Sum {
  Tensor numbers;
  double loss;
};

double loss_of(Index number) { return 1.0 / static_cast<double>(3 + number * number); }

/// The specification: leaves [first, first + count) split at the largest power of two below count.
Sum plain_tree(Index first, Index count, DType dtype) {
  if (count == 1) return {leaf(first, dtype), loss_of(first)};
  Index left = 1;
  while (2 * left < count) left *= 2;
  const Sum a = plain_tree(first, left, dtype);
  const Sum b = plain_tree(first + left, count - left, dtype);
  Tensor sum = a.numbers.clone();
  for (Index i = 0; i < sum.numel(); ++i) {
    if (dtype == DType::f32) sum.mutable_data<float>()[i] += b.numbers.data<float>()[i];
    if (dtype == DType::f64) sum.mutable_data<double>()[i] += b.numbers.data<double>()[i];
  }
  return {sum, a.loss + b.loss};
}

void push_leaves(TreeSum& sum, Index count, DType dtype) {
  for (Index i = 0; i < count; ++i) {
    sum.next_leaf().copy_from(leaf(i, dtype));
    sum.push(loss_of(i));
  }
}

TEST(TreeSum, AddsAnyNumberOfLeavesInOneTree) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    TreeSum sum(100, dtype);
    for (Index count = 1; count <= 33; ++count) {
      sum.reset();
      push_leaves(sum, count, dtype);
      const Sum wanted = plain_tree(0, count, dtype);
      EXPECT_EQ(test::bytes_of(sum.finish()), test::bytes_of(wanted.numbers)) << count;
      EXPECT_EQ(sum.loss(), wanted.loss) << count;
    }
  }
}

TEST(TreeSum, GivesBuffersAgain) {
  TreeSum sum(3);
  for (int round = 0; round < 3; ++round) {
    sum.reset();
    for (int i = 0; i < 5; ++i) {
      Tensor& next = sum.next_leaf();
      next.fill(7);
      sum.push(1);
    }
    EXPECT_EQ(sum.finish().to_vector<float>(), (std::vector<float>{35, 35, 35}));
    EXPECT_EQ(sum.loss(), 5);
  }
}

TEST(TreeSum, ForgetsALeafThatWasNotPushed) {
  TreeSum sum(1);
  sum.next_leaf().fill(100);  // a step that was abandoned
  sum.reset();
  sum.next_leaf().fill(1);
  sum.push(2);
  EXPECT_EQ(sum.finish().item(), 1);
  EXPECT_EQ(sum.loss(), 2);
}

TEST(TreeSum, RefusesToAddNothing) {
  TreeSum sum(1);
  EXPECT_THROW((void)sum.finish(), ShapeError);
}

TEST(TreeSum, HasTheSameBitsAtAnyThreadCount) {
  const test::Threads restore(1);
  TreeSum sum(100);
  push_leaves(sum, 7, DType::f32);
  const auto one = test::bytes_of(sum.finish());
  for (const int threads : {2, 3, 8}) {
    set_threads(threads);
    sum.reset();
    push_leaves(sum, 7, DType::f32);
    EXPECT_EQ(test::bytes_of(sum.finish()), one);
  }
}

}  // namespace
}  // namespace minnow
