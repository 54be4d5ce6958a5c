#include "minnow/tensor/tensor.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "minnow/base/error.hpp"

namespace minnow {
namespace {

using Numbers = std::vector<double>;

Tensor counting(const Shape& shape) {
  std::vector<float> values(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return Tensor::from(values, shape);
}

TEST(Tensor, HoldsWhatItIsGiven) {
  const Tensor x = counting({2, 3});
  EXPECT_EQ(x.numel(), 6);
  EXPECT_EQ(x.size(-1), 3);
  EXPECT_TRUE(x.is_contiguous());
  EXPECT_EQ(x.to_vector<double>(), (Numbers{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(x.spec().str(), "f32 (2, 3)");
  EXPECT_FALSE(Tensor().defined());
  EXPECT_THROW((void)Tensor::from<float>({1, 2, 3}, {2}), ShapeError);
  EXPECT_THROW((void)x.data<double>(), ShapeError);
  EXPECT_THROW((void)x.item(), ShapeError);
  EXPECT_EQ(Tensor::full({}, 2.5).item(), 2.5);
}

TEST(Tensor, CopiesAreHandlesClonesAreNot) {
  Tensor x = counting({3});
  Tensor same = x;
  Tensor copy = x.clone();
  const Tensor alias = x.alias();
  x.fill(7);
  EXPECT_TRUE(same.is(x));
  EXPECT_EQ(same.to_vector<double>(), (Numbers{7, 7, 7}));
  EXPECT_EQ(alias.to_vector<double>(), (Numbers{7, 7, 7}));
  EXPECT_FALSE(alias.is(x));
  EXPECT_EQ(copy.to_vector<double>(), (Numbers{0, 1, 2}));
}

TEST(Tensor, ViewsShareTheirNumbers) {
  Tensor x = counting({2, 3});
  Tensor turned = x.as_strided({3, 2}, {1, 3}, 0);
  EXPECT_FALSE(turned.is_contiguous());
  EXPECT_EQ(turned.to_vector<double>(), (Numbers{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(turned.contiguous().strides(), (Shape{2, 1}));
  Tensor column = x.as_strided({2}, {3}, 1);
  column.fill(9);
  EXPECT_EQ(x.to_vector<double>(), (Numbers{0, 9, 2, 3, 9, 5}));
  column.copy_from(Tensor::from<double>({-1, -2}, {2}));
  EXPECT_EQ(x.to_vector<double>(), (Numbers{0, -1, 2, 3, -2, 5}));
  EXPECT_THROW(column.copy_from(x), ShapeError);
}

TEST(Tensor, CopyFromAViewOfItselfReadsBeforeItWrites) {
  Tensor square = counting({3, 3});
  square.copy_from(square.as_strided({3, 3}, {1, 3}, 0));
  EXPECT_EQ(square.to_vector<double>(), (Numbers{0, 3, 6, 1, 4, 7, 2, 5, 8}));
  Tensor row = counting({5});
  Tensor later = row.as_strided({4}, {1}, 1);
  later.copy_from(row.as_strided({4}, {1}, 0));
  EXPECT_EQ(row.to_vector<double>(), (Numbers{0, 0, 1, 2, 3}));
}

TEST(Tensor, AViewMustStayInsideItsStorage) {
  const Tensor x = counting({2, 3});
  EXPECT_NO_THROW((void)x.as_strided({6}, {1}, 0));
  EXPECT_THROW((void)x.as_strided({7}, {1}, 0), ShapeError);
  EXPECT_THROW((void)x.as_strided({6}, {1}, 1), ShapeError);
  EXPECT_THROW((void)x.as_strided({2, 3}, {4, 1}, 0), ShapeError);
  EXPECT_THROW((void)x.as_strided({2}, {-1}, 0), ShapeError);
  EXPECT_THROW((void)x.as_strided({1}, {1}, -1), ShapeError);
  EXPECT_EQ(x.as_strided({2}, {-5}, 5).to_vector<double>(), (Numbers{5, 0}));
  EXPECT_EQ(x.as_strided({4}, {0}, 2).to_vector<double>(), (Numbers{2, 2, 2, 2}));
  EXPECT_NO_THROW((void)x.as_strided({0, 99}, {1, 1}, 0));
}

TEST(Tensor, SizesOfOneDoNotBreakContiguity) {
  const Tensor x = counting({4});
  EXPECT_TRUE(x.as_strided({1, 4}, {99, 1}, 0).is_contiguous());
  EXPECT_TRUE(x.as_strided({4, 1}, {1, 77}, 0).is_contiguous());
  EXPECT_FALSE(x.as_strided({2}, {2}, 0).is_contiguous());
}

TEST(Tensor, ConvertsBetweenTypes) {
  const Tensor x = Tensor::from<double>({-1.7, 0, 2.9, 1e300}, {4});
  EXPECT_EQ(x.as_strided({3}, {1}, 0).to(DType::i64).to_vector<std::int64_t>(), (std::vector<std::int64_t>{-1, 0, 2}));
  EXPECT_EQ(x.to(DType::boolean).to_vector<bool>(), (std::vector<bool>{true, false, true, true}));
  EXPECT_EQ(x.to(DType::f32).to_vector<double>()[3], INFINITY);
  EXPECT_EQ(Tensor::from<std::int32_t>({3, -4}, {2}).to(DType::f64).to_vector<double>(), (Numbers{3, -4}));
  EXPECT_EQ(Tensor::full({2}, 3.14, DType::bf16).to_vector<double>(), (Numbers{3.140625, 3.140625}));
  const Tensor long_one = Tensor::full({70001}, 0.1, DType::f64);  // more than one chunk
  for (float value : long_one.to(DType::f32).to_vector<float>()) ASSERT_EQ(value, 0.1F);
}

TEST(Tensor, EveryWriteIsCounted) {
  Tensor x = counting({4});
  const auto before = x.storage()->version();
  x.fill(1);
  Tensor view = x.as_strided({2}, {1}, 0);
  view.copy_from(Tensor::zeros({2}));
  (void)view.mutable_data<float>();
  EXPECT_EQ(x.storage()->version(), before + 3);
  (void)x.data<float>();
  (void)x.clone();
  EXPECT_EQ(x.storage()->version(), before + 3);
}

}  // namespace
}  // namespace minnow
