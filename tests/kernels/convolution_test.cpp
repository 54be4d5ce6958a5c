#include "minnow/kernels/convolution.hpp"

#include "kernels/reference/convolution.hpp"
#include "kernels/targets.hpp"

namespace minnow {
namespace {

using kernels::ConvSizes;

template <class T>
struct Convolved {
  std::vector<T> y, dx, dweight;
};

template <class T>
struct Given {
  std::vector<T> x, weight, bias, dy;
  explicit Given(const ConvSizes& s) {
    x = test::Numbers(1).array<T>(s.batch * s.image(), -1, 1);
    weight = test::Numbers(2).array<T>(s.out_channels * s.depth(), -1, 1);
    bias = test::Numbers(3).array<T>(s.out_channels, -1, 1);
    dy = test::Numbers(4).array<T>(s.batch * s.out_channels * s.positions(), -1, 1);
  }
};

template <class T>
Convolved<T> convolve(const ConvSizes& s, const Given<T>& in) {
  // What was in the results before must not matter.
  Convolved<T> out{std::vector<T>(in.dy.size(), NAN), std::vector<T>(in.x.size(), NAN),
                   std::vector<T>(in.weight.size(), NAN)};
  std::vector<T> scratch(static_cast<size_t>(kernels::conv_scratch_size(s)), NAN);
  std::vector<T> partial(static_cast<size_t>(kernels::conv_partial_size(s)), NAN);
  kernels::conv_forward(out.y.data(), in.x.data(), in.weight.data(), in.bias.data(), s, scratch.data());
  kernels::conv_backward_input(out.dx.data(), in.dy.data(), in.weight.data(), s, scratch.data());
  kernels::conv_backward_weight(out.dweight.data(), in.dy.data(), in.x.data(), s, scratch.data(), partial.data());
  return out;
}

Convolved<double> convolve_plainly(const ConvSizes& s, const Given<double>& in) {
  Convolved<double> out{std::vector<double>(in.dy.size()), std::vector<double>(in.x.size()),
                        std::vector<double>(in.weight.size())};
  for (size_t i = 0; i < out.y.size(); ++i) {
    out.y[i] = in.bias[i / static_cast<size_t>(s.positions()) % static_cast<size_t>(s.out_channels)];
  }
  kernels::reference::conv_forward(out.y.data(), in.x.data(), in.weight.data(), s);
  kernels::reference::conv_backward(out.dx.data(), out.dweight.data(), in.dy.data(), in.x.data(), in.weight.data(), s);
  return out;
}

void expect_near(const std::vector<double>& got, const std::vector<double>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], want[i], 1e-11) << "element " << i;
}

const std::vector<ConvSizes>& awkward_sizes() {
  static const std::vector<ConvSizes> all = {
      {2, 3, 5, 1, {1, 9}, {1, 3}, {1, 1}, {0, 1}},
      {2, 3, 5, 1, {1, 9}, {1, 5}, {1, 2}, {0, 2}},
      {1, 2, 4, 1, {6, 7}, {3, 2}, {2, 3}, {2, 1}, {2, 3}},
      {3, 6, 4, 2, {5, 5}, {3, 3}, {1, 1}, {1, 1}},
      {2, 8, 8, 8, {4, 6}, {2, 2}, {1, 1}, {0, 0}},
      {3, 5, 5, 5, {7, 9}, {3, 2}, {2, 1}, {1, 2}, {1, 2}},  // each channel alone, with strides
      {2, 3, 6, 1, {8, 12}, {4, 4}, {4, 4}},
      {2, 5, 7, 1, {6, 5}, {1, 1}},                  // the image serves as columns
      {2, 5, 7, 1, {6, 5}, {1, 1}, {2, 2}},          // but not with a stride
      {1, 1, 1, 1, {1, 2}, {1, 2}, {1, 1}, {0, 6}},  // runs that lie outside as a whole
      {1, 1, 2, 1, {3, 3}, {1, 3}, {1, 2}, {2, 3}, {1, 2}},
      {1, 90, 3, 1, {20, 31}, {3, 3}, {1, 1}, {1, 1}},  // several chunks of channels
      {4, 2, 3, 1, {40, 61}, {3, 3}, {1, 1}, {1, 1}},   // several blocks and slabs
      {0, 2, 3, 1, {5, 5}, {3, 3}},
  };
  return all;
}

TEST(Convolution, AgreesWithPlainLoops) {
  for (const ConvSizes& s : awkward_sizes()) {
    SCOPED_TRACE(testing::Message() << s.channels << " to " << s.out_channels << " channels, " << s.in[0] << " * "
                                    << s.in[1] << ", kernel " << s.kernel[0] << " * " << s.kernel[1]);
    const Given<double> in(s);
    const Convolved<double> got = convolve(s, in);
    const Convolved<double> want = convolve_plainly(s, in);
    expect_near(got.y, want.y);
    expect_near(got.dx, want.dx);
    expect_near(got.dweight, want.dweight);
  }
}

TEST(Convolution, HasTheSameBitsAtAnyThreadCount) {
  for (const ConvSizes& s : awkward_sizes()) {
    const Given<float> in(s);
    test::expect_same_bits_at_any_thread_count([&] {
      Convolved<float> out = convolve(s, in);
      out.y.insert(out.y.end(), out.dx.begin(), out.dx.end());
      out.y.insert(out.y.end(), out.dweight.begin(), out.dweight.end());
      return out.y;
    });
  }
}

TEST(Convolution, CountsItsPositions) {
  const ConvSizes s{1, 1, 1, 1, {1, 10}, {1, 3}, {1, 2}, {0, 1}};
  EXPECT_EQ(s.out(1), 5);
  const ConvSizes none{1, 1, 1, 1, {1, 2}, {1, 3}};
  EXPECT_EQ(none.out(1), 0);
}

}  // namespace
}  // namespace minnow
