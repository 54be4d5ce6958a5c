// Handles without a tensor, writes into tensors whose elements share a place, sizes and strides beyond all bounds.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "minnow/base/error.hpp"
#include "minnow/tensor/tensor.hpp"
#include "tensor/places.hpp"

namespace minnow {
namespace {

using Numbers = std::vector<double>;
constexpr Index kMost = std::numeric_limits<Index>::max();
constexpr Index kLeast = std::numeric_limits<Index>::min();

void expect_error(const char* who, const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << who << ": nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(std::string("[") + who + "]"), std::string::npos) << error.what();
  }
}

TEST(HostileTensor, EveryMemberOfAnEmptyHandleSaysSo) {
  const Tensor none;
  Tensor target;
  EXPECT_FALSE(none.defined());
  EXPECT_FALSE(none.is_sole_owner());
  EXPECT_TRUE(none.is(Tensor()));
  expect_error("shape", [&] { (void)none.shape(); });
  expect_error("strides", [&] { (void)none.strides(); });
  expect_error("offset", [&] { (void)none.offset(); });
  expect_error("dtype", [&] { (void)none.dtype(); });
  expect_error("shape", [&] { (void)none.spec(); });
  expect_error("shape", [&] { (void)none.rank(); });
  expect_error("numel", [&] { (void)none.numel(); });
  expect_error("shape", [&] { (void)none.size(0); });
  expect_error("shape", [&] { (void)none.is_contiguous(); });
  expect_error("dtype", [&] { (void)none.data<float>(); });
  expect_error("dtype", [&] { (void)target.mutable_data<float>(); });
  expect_error("raw", [&] { (void)none.raw(); });
  expect_error("storage", [&] { (void)none.storage(); });
  expect_error("contiguous", [&] { (void)none.contiguous(); });
  expect_error("clone", [&] { (void)none.clone(); });
  expect_error("to", [&] { (void)none.to(DType::f64); });
  expect_error("as_strided", [&] { (void)none.as_strided({1}, {1}, 0); });
  expect_error("alias", [&] { (void)none.alias(); });
  expect_error("item", [&] { (void)none.item(); });
  expect_error("to_vector", [&] { (void)none.to_vector<float>(); });
  expect_error("autograd", [&] { (void)none.autograd(); });
  expect_error("set_autograd", [&] { target.set_autograd(nullptr); });
  expect_error("fill", [&] { target.fill(1); });
  const Tensor one = Tensor::zeros({1});
  expect_error("copy_from", [&] { target.copy_from(one); });
  expect_error("copy_from", [&] { Tensor(one).copy_from(none); });
  expect_error("move_to", [&] { target.move_to(one); });
  expect_error("move_to", [&] { Tensor(one).move_to(none); });
}

TEST(HostileTensor, NothingIsWrittenWhereElementsShareAPlace) {
  const Tensor x = Tensor::from<double>(Numbers{1, 2, 3, 4, 5, 6}, {6});
  Tensor wide = x.as_strided({2, 3}, {0, 1}, 0);
  Tensor windows = x.as_strided({4, 3}, {1, 1}, 0);
  for (Tensor* shared : {&wide, &windows}) {
    EXPECT_TRUE(shared->overlaps_itself());
    const std::uint64_t version = x.storage()->version();
    expect_error("copy_from", [&] { shared->copy_from(Tensor::zeros(shared->shape())); });
    expect_error("fill", [&] { shared->fill(7); });
    expect_error("mutable_data", [&] { (void)shared->mutable_data<double>(); });
    EXPECT_EQ(x.storage()->version(), version);
  }
  EXPECT_EQ(x.to_vector<double>(), (Numbers{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(wide.to_vector<double>(), (Numbers{1, 2, 3, 1, 2, 3}));
}

TEST(HostileTensor, WritesGoThroughWhereStridesAloneDoNotTell) {
  const Tensor x = Tensor::zeros({8}, DType::f64);
  Tensor woven = x.as_strided({2, 3}, {3, 2}, 0);  // 0 2 4 and 3 5 7
  EXPECT_FALSE(woven.overlaps_itself());
  woven.copy_from(Tensor::from<double>(Numbers{1, 2, 3, 4, 5, 6}, {2, 3}));
  EXPECT_EQ(x.to_vector<double>(), (Numbers{1, 0, 2, 4, 3, 5, 0, 6}));
  Tensor backwards = x.as_strided({8}, {-1}, 7);
  backwards.fill(2);
  EXPECT_EQ(x.to_vector<double>(), Numbers(8, 2));
  EXPECT_FALSE(x.as_strided({1, 8}, {0, 1}, 0).overlaps_itself());
  EXPECT_FALSE(x.as_strided({0, 8}, {0, 1}, 0).overlaps_itself());
  EXPECT_TRUE(elements_meet({2, 3, 2}, {3, 2, 1}));
  EXPECT_TRUE(elements_meet({2, 3}, {-2, 2}));
}

TEST(HostileTensor, SizesAndStridesBeyondAllBoundsAreRefused) {
  const Tensor x = Tensor::zeros({4});
  for (const Index stride : {kMost, kLeast, kMost / 2, kLeast / 2}) {
    expect_error("as_strided", [&] { (void)x.as_strided({3, 3}, {stride, stride}, 0); });
    expect_error("as_strided", [&] { (void)x.as_strided({3}, {1}, stride); });
    expect_error("as_strided", [&] { (void)x.as_strided({2, 2}, {stride, stride}, kMost); });
  }
  expect_error("as_strided", [&] { (void)x.as_strided({2, 2}, {1}, 0); });
  expect_error("shape", [&] { (void)Tensor::empty({kMost, 2}); });
  expect_error("shape", [&] { (void)Tensor::empty({1LL << 32, 1LL << 32}); });
  expect_error("tensor", [&] { (void)Tensor::empty({kMost}, DType::f64); });
  expect_error("shape", [&] { (void)Tensor::empty({kMost, 2, -1}); });
  expect_error("shape", [&] { (void)Tensor::empty({0, -1}); });
  expect_error("shape", [&] { (void)Tensor::empty({kLeast}); });
  EXPECT_EQ(Tensor::empty({kMost, 0}).numel(), 0);
  EXPECT_THROW((void)Tensor::empty({1LL << 50}, DType::f32), MemoryError);
  expect_error("size", [&] { (void)x.size(kLeast); });
  expect_error("size", [&] { (void)x.size(kMost); });
}

TEST(HostileTensor, WholeNumbersAreTheNearestThatThereAre) {
  const Tensor x =
      Tensor::from<double>(Numbers{NAN, INFINITY, -INFINITY, 1e300, -1e300, 2147483647.5, -2147483648.5}, {7});
  constexpr auto kMost32 = std::numeric_limits<std::int32_t>::max();
  constexpr auto kLeast32 = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(x.to(DType::i32).to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{0, kMost32, kLeast32, kMost32, kLeast32, kMost32, kLeast32}));
  EXPECT_EQ(x.to(DType::i64).to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{0, kMost, kLeast, kMost, kLeast, 2147483647, -2147483648}));
  EXPECT_EQ(x.to(DType::f32).to(DType::i32).to_vector<std::int32_t>()[3], kMost32);
}

}  // namespace
}  // namespace minnow
