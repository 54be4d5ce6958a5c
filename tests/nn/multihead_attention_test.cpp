#include "minnow/nn/multihead_attention.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "minnow/ops/reduction.hpp"
#include "support/gradcheck.hpp"

namespace minnow {
namespace {

struct Layer {
  ParameterList list{DType::f64};
  nn::MultiheadAttention attend;
  explicit Layer(double dropout = 0) {
    attend = nn::MultiheadAttention::make(list, "attn", 12, 3, {}, Initializer::normal(0.3));
    attend.dropout = dropout;
    list.initialize(7);
  }
};

Tensor numbers(const Shape& shape) {
  Tensor made = Tensor::empty(shape, DType::f64);
  for (Index i = 0; i < made.numel(); ++i) made.mutable_data<double>()[i] = std::sin(static_cast<double>(3 * i + 1));
  return made;
}

// The tiled way and the way that keeps the weights must tell the same story, dropout included.
TEST(MultiheadAttention, IsTheSameWithAndWithoutWeights) {
  const Tensor x = numbers({2, 5, 12});
  Tensor blocked = Tensor::zeros({2, 5}, DType::boolean);
  blocked.mutable_data<bool>()[3] = blocked.mutable_data<bool>()[9] = true;
  for (double dropout : {0.0, 0.3}) {
    const Layer layer(dropout);
    const ForwardMode mode{.training = true, .seed = 3, .step = 4, .first_sequence = 2};
    const auto run = [&](nn::WeightsWanted wanted) {
      return layer.attend(x, x, x, {.key_padding_mask = blocked}, wanted, mode);
    };
    const nn::Attended tiled = run(nn::WeightsWanted::kNone);
    const nn::Attended kept = run(nn::WeightsWanted::kPerHead);
    EXPECT_FALSE(tiled.weights.defined());
    EXPECT_EQ(kept.weights.shape(), (Shape{2, 3, 5, 5}));
    EXPECT_LE(test::difference(tiled.output, kept.output), 1e-12);
  }
  clear_tape();
}

TEST(MultiheadAttention, NamesItsParametersAsPyTorch) {
  ParameterList list;
  (void)nn::MultiheadAttention::make(list, "attn", 8, 2, {.key_width = 5}, Initializer::normal(0.1));
  EXPECT_EQ(list.at("attn.k_proj_weight").shape(), (Shape{8, 5}));
  EXPECT_EQ(list.at("attn.v_proj_weight").shape(), (Shape{8, 8}));
  EXPECT_EQ(list.at("attn.in_proj_bias").shape(), (Shape{24}));
  EXPECT_EQ(list.at("attn.out_proj.weight").shape(), (Shape{8, 8}));
}

TEST(MultiheadAttention, RefusesMasksThatDoNotFit) {
  const Layer layer;
  const Tensor x = numbers({2, 5, 12});
  EXPECT_THROW((void)layer.attend(x, x, x, {.attn_mask = Tensor::zeros({5, 4}, DType::f64)}), ShapeError);
  EXPECT_THROW((void)layer.attend(x, x, x, {.key_padding_mask = Tensor::zeros({5}, DType::boolean)}), ShapeError);
  ParameterList list;
  EXPECT_THROW((void)nn::MultiheadAttention::make(list, "", 8, 3, {}, {}), ShapeError);
  clear_tape();
}

}  // namespace
}  // namespace minnow
