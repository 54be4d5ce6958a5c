// What a careless or hostile caller may hand to any operation of the registry: empty handles, other element types,
// sizes of 0, scalars, tensors of the largest rank. Either the result is right, or an error of minnow names the
// operation.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "minnow/ops/registry.hpp"

namespace minnow {
namespace {

class HostileInputs : public testing::TestWithParam<const Op*> {
 protected:
  static const Op& op() { return *GetParam(); }

  static std::vector<Sample> valid_samples() {
    std::vector<Sample> samples = op().samples();
    std::erase_if(samples, [](const Sample& sample) { return !sample.valid; });
    return samples;
  }

  static void expect_numbers(const Tensor& x, const std::string& what) {
    if (!is_floating(x.dtype())) return;
    for (const double value : x.to_vector<double>()) ASSERT_FALSE(std::isnan(value)) << what;
  }

  /// Runs the operation forward and, where it has a gradient, backward. @return whether it took the inputs.
  static bool takes(std::vector<Tensor> inputs, const AttrBox& attrs, const std::string& what,
                    bool numbers_only = false) {
    try {
      for (Tensor& input : inputs) {
        if (!input.defined()) continue;
        input = input.clone();
        if (op().differentiable && (input.dtype() == DType::f32 || input.dtype() == DType::f64))
          set_requires_grad(input);
      }
      const std::vector<Tensor> outputs = apply(op(), inputs, attrs);
      for (const Tensor& output : outputs) {
        if (numbers_only) expect_numbers(output, what);
        if (requires_grad(output)) {
          backward(output, {.seed = Tensor::full(output.shape(), 1, output.dtype()), .retain_graph = true});
        }
      }
      clear_tape();
      for (const Tensor& input : inputs) {
        if (numbers_only && grad(input).defined()) expect_numbers(grad(input), what + ", a gradient");
      }
      return true;
    } catch (const Error& error) {
      clear_tape();
      const std::string text = error.what();
      EXPECT_NE(text.find(fmt::format("[{}]", op().doc.name)), std::string::npos) << what << ": " << text;
    } catch (const std::exception& error) {
      clear_tape();
      ADD_FAILURE() << what << ": not an error of minnow: " << error.what();
    }
    return false;
  }
};

/// @return the same numbers in another type.
Tensor converted(const Tensor& x, DType dtype) { return x.to(dtype); }

TEST_P(HostileInputs, AnEmptyHandleIsAnErrorOrAnAbsentOption) {
  for (const Sample& sample : valid_samples()) {
    for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
      std::vector<Tensor> inputs = sample.inputs;
      inputs[i] = Tensor();
      takes(inputs, sample.attrs, fmt::format("{}: input {} empty", sample.note, i));
    }
    takes(std::vector<Tensor>(sample.inputs.size()), sample.attrs, sample.note + ": all empty");
  }
}

TEST_P(HostileInputs, AnyElementTypeIsTakenOrRefused) {
  for (const Sample& sample : valid_samples()) {
    for (DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i32, DType::i64, DType::boolean}) {
      std::vector<Tensor> all = sample.inputs;
      for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
        if (!sample.inputs[i].defined()) continue;
        all[i] = converted(sample.inputs[i], dtype);
        std::vector<Tensor> inputs = sample.inputs;
        inputs[i] = all[i];
        takes(inputs, sample.attrs, fmt::format("{}: input {} as {}", sample.note, i, name_of(dtype)));
      }
      takes(all, sample.attrs, fmt::format("{}: all as {}", sample.note, name_of(dtype)));
    }
  }
}

/// The mean of nothing is no number, in every framework; all else has a neutral element or is refused.
bool is_a_mean(const Op& op) {
  constexpr std::array kMeans = {
      "mean", "var", "std_dev", "mse_loss", "bce_with_logits", "kl_div", "cross_entropy_soft"};
  return std::find(kMeans.begin(), kMeans.end(), op.doc.name) != kMeans.end();
}

TEST_P(HostileInputs, SizesOfZeroAreTakenOrRefused) {
  for (const Sample& sample : valid_samples()) {
    std::set<Index> sizes;
    for (const Tensor& input : sample.inputs) {
      if (input.defined()) sizes.insert(input.shape().begin(), input.shape().end());
    }
    for (Index size : sizes) {  // every axis of this size shrinks to nothing, in all inputs: it may be one letter
      std::vector<Tensor> inputs = sample.inputs;
      for (Tensor& input : inputs) {
        if (!input.defined()) continue;
        Shape shape = input.shape();
        for (Index axis = 0; axis < shape.rank(); ++axis) {
          if (shape[axis] == size) shape[axis] = 0;
        }
        if (shape != input.shape()) input = Tensor::empty(shape, input.dtype());
      }
      takes(inputs, sample.attrs, fmt::format("{}: size {} is 0", sample.note, size), !is_a_mean(op()));
    }
    for (std::size_t i = 0; i < sample.inputs.size(); ++i) {  // and each axis of each input alone
      if (!sample.inputs[i].defined()) continue;
      for (Index axis = 0; axis < sample.inputs[i].rank(); ++axis) {
        std::vector<Tensor> inputs = sample.inputs;
        Shape shape = inputs[i].shape();
        shape[axis] = 0;
        inputs[i] = Tensor::empty(shape, inputs[i].dtype());
        takes(inputs, sample.attrs, fmt::format("{}: input {} with axis {} of 0", sample.note, i, axis));
      }
    }
  }
}

TEST_P(HostileInputs, AnyRankIsTakenOrRefused) {
  for (const Sample& sample : valid_samples()) {
    for (Index rank = 0; rank <= Shape::kMaxRank; ++rank) {
      const Shape shape(std::vector<Index>(static_cast<std::size_t>(rank), rank < 5 ? 2 : 1));
      std::vector<Tensor> all = sample.inputs;
      for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
        if (!sample.inputs[i].defined()) continue;
        all[i] = Tensor::zeros(shape, sample.inputs[i].dtype());
        std::vector<Tensor> inputs = sample.inputs;
        inputs[i] = all[i];
        takes(inputs, sample.attrs, fmt::format("{}: input {} with {} axes", sample.note, i, rank));
      }
      takes(all, sample.attrs, fmt::format("{}: all with {} axes", sample.note, rank));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, HostileInputs, testing::ValuesIn(all_ops()),
                         [](const auto& info) { return std::string(info.param->doc.name); });

}  // namespace
}  // namespace minnow
