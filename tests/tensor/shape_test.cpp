#include "minnow/tensor/shape.hpp"

#include <gtest/gtest.h>

#include "minnow/base/error.hpp"

namespace minnow {
namespace {

TEST(Shape, CountsElementsAndStrides) {
  EXPECT_EQ((Shape{}).numel(), 1);
  EXPECT_EQ((Shape{2, 3, 4}).numel(), 24);
  EXPECT_EQ((Shape{2, 0, 4}).numel(), 0);
  EXPECT_EQ((Shape{2, 3, 4}).contiguous_strides(), (Shape{12, 4, 1}));
  EXPECT_EQ((Shape{2, 3}).str(), "(2, 3)");
  EXPECT_EQ((Shape{2}).str(), "(2,)");
}

TEST(Shape, RefusesMoreThanEightAxes) {
  EXPECT_NO_THROW((Shape{1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_THROW((Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}), ShapeError);
}

TEST(Shape, CountsAxesFromBothEnds) {
  const Shape shape{2, 3, 4};
  EXPECT_EQ(shape.axis(-1, "test"), 2);
  EXPECT_EQ(shape.axis(0, "test"), 0);
  EXPECT_THROW((void)shape.axis(3, "test"), ShapeError);
  EXPECT_THROW((void)shape.axis(-4, "test"), ShapeError);
}

TEST(Shape, InsertsAndErases) {
  Shape shape{2, 3};
  shape.insert(1, 7);
  EXPECT_EQ(shape, (Shape{2, 7, 3}));
  shape.erase(0);
  EXPECT_EQ(shape, (Shape{7, 3}));
}

TEST(Shape, BroadcastsAsNumPyDoes) {
  EXPECT_EQ(broadcast({3, 1, 4}, {2, 1}, "test"), (Shape{3, 2, 4}));
  EXPECT_EQ(broadcast({}, {2, 3}, "test"), (Shape{2, 3}));
  EXPECT_EQ(broadcast({1}, {0}, "test"), (Shape{0}));
  try {
    (void)broadcast({2, 3}, {2, 4}, "adder");
    FAIL() << "accepted";
  } catch (const ShapeError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("[adder]"), std::string::npos);
    EXPECT_NE(text.find("(2, 3)"), std::string::npos);
    EXPECT_NE(text.find("(2, 4)"), std::string::npos);
  }
  EXPECT_THROW((void)broadcast({0}, {2}, "test"), ShapeError);
}

}  // namespace
}  // namespace minnow
