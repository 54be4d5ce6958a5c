// What every operation of the registry must keep, made from its samples alone: nothing here is written per operation.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "minnow/ops/registry.hpp"
#include "support/gradcheck.hpp"

namespace minnow {
namespace {

using test::Call;

class OpContract : public testing::TestWithParam<const Op*> {
 protected:
  static std::vector<Sample> valid_samples() {
    std::vector<Sample> samples = GetParam()->samples();
    std::erase_if(samples, [](const Sample& sample) { return !sample.valid; });
    return samples;
  }
};

std::vector<std::byte> bytes_of(const std::vector<Tensor>& tensors) {
  std::vector<std::byte> bytes;
  for (const Tensor& tensor : tensors) {
    if (!tensor.defined()) continue;
    const Tensor flat = tensor.contiguous();
    const auto* first = flat.raw();
    bytes.insert(bytes.end(), first, first + static_cast<std::size_t>(flat.numel()) * size_of(flat.dtype()));
  }
  return bytes;
}

TEST_P(OpContract, IsDocumentedAndHasSamples) {
  const Op& op = *GetParam();
  EXPECT_FALSE(op.doc.name.empty());
  EXPECT_EQ(op.doc.signature.rfind(op.doc.name, 0), 0U) << op.doc.signature;
  EXPECT_FALSE(op.doc.formula.empty());
  EXPECT_FALSE(op.doc.source.empty());
  EXPECT_FALSE(valid_samples().empty());
  for (const Sample& sample : valid_samples()) {
    const Call call(op, sample, DType::f64);
    EXPECT_GE(call.cost().flops, 0);
    EXPECT_GE(call.cost().bytes, 0);
  }
}

TEST_P(OpContract, GradientAgreesWithCentralDifferences) {
  const Op& op = *GetParam();
  if (!op.differentiable) GTEST_SKIP() << "has no gradient";
  int checked = 0;
  for (const Sample& sample : valid_samples()) {
    if (!sample.smooth) continue;
    const Call call(op, sample, DType::f64);
    if (call.variables() == 0) continue;
    const test::GradientError worst = test::compare_with_differences(call);
    EXPECT_LE(worst.relative, 1e-6) << sample.note << ": input " << worst.input << " element " << worst.element
                                    << ", backward " << worst.backward << ", differences " << worst.differences;
    ++checked;
  }
  EXPECT_GT(checked, 0);
}

TEST_P(OpContract, F32AgreesWithF64) {
  const Op& op = *GetParam();
  for (const Sample& sample : valid_samples()) {
    const Call exact(op, sample, DType::f64);
    const Call fast(op, sample, DType::f32);
    const auto [reference, reference_grads] = exact.forward_and_backward();
    const auto [outputs, grads] = fast.forward_and_backward();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_LE(test::difference(outputs[i], reference[i]), 2e-5) << sample.note << ": output " << i;
    }
    for (std::size_t i = 0; i < grads.size(); ++i) {
      EXPECT_LE(test::difference(grads[i], reference_grads[i]), 1e-4) << sample.note << ": gradient of input " << i;
    }
  }
}

TEST_P(OpContract, BitsDoNotDependOnThreadsNorOnTheCall) {
  const Op& op = *GetParam();
  for (const Sample& sample : valid_samples()) {
    for (DType dtype : {DType::f32, DType::f64}) {
      const Call call(op, sample, dtype);
      std::vector<std::byte> first;
      for (int threads : {1, 2, 3, 7, 2}) {
        set_threads(threads);
        auto [outputs, grads] = call.forward_and_backward();
        outputs.insert(outputs.end(), grads.begin(), grads.end());
        const std::vector<std::byte> bytes = bytes_of(outputs);
        if (first.empty()) first = bytes;
        EXPECT_EQ(bytes, first) << sample.note << " " << name_of(dtype) << " at " << threads << " threads";
      }
      set_threads(2);
    }
  }
}

TEST_P(OpContract, GradientsAddToWhatIsThere) {
  const Op& op = *GetParam();
  if (!op.differentiable) GTEST_SKIP() << "has no gradient";
  for (const Sample& sample : valid_samples()) {
    const Call call(op, sample, DType::f64);
    if (call.variables() == 0) continue;
    const std::vector<Tensor> once = call.forward_and_backward().grads;
    const std::vector<Tensor> thrice = call.gradients_added_onto(2.0);
    for (std::size_t i = 0; i < once.size(); ++i) {
      if (!once[i].defined()) continue;
      const std::vector<double> a = once[i].to_vector<double>();
      const std::vector<double> b = thrice[i].to_vector<double>();
      for (std::size_t k = 0; k < a.size(); ++k) {
        if (std::isnan(a[k]) && std::isnan(b[k])) continue;
        ASSERT_NEAR(b[k], a[k] + 2.0, 1e-12 * (1 + std::abs(a[k])))
            << sample.note << ": input " << i << " element " << k;
      }
    }
  }
}

TEST_P(OpContract, StridedInputsGiveTheSame) {
  const Op& op = *GetParam();
  for (const Sample& sample : valid_samples()) {
    const Call call(op, sample, DType::f64);
    const auto [outputs, grads] = call.forward_and_backward();
    const auto [strided, strided_grads] = call.with_strided_inputs().forward_and_backward();
    EXPECT_EQ(bytes_of(outputs), bytes_of(strided)) << sample.note;
    EXPECT_EQ(bytes_of(grads), bytes_of(strided_grads)) << sample.note;
  }
}

TEST_P(OpContract, InvalidSamplesAreRefusedByName) {
  const Op& op = *GetParam();
  for (const Sample& sample : op.samples()) {
    if (sample.valid) continue;
    try {
      (void)apply(op, sample.inputs, sample.attrs);
      ADD_FAILURE() << sample.note << " was accepted";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(fmt::format("[{}]", op.doc.name)), std::string::npos) << error.what();
    }
  }
}

TEST_P(OpContract, CoarseOperationEqualsItsComposition) {
  const Op& op = *GetParam();
  if (op.compose == nullptr) GTEST_SKIP() << "is a simple operation";
  for (const Sample& sample : valid_samples()) {
    const Call call(op, sample, DType::f64);
    const auto [outputs, grads] = call.forward_and_backward();
    const auto [reference, reference_grads] = call.composition_forward_and_backward();
    for (std::size_t i = 0; i < reference.size(); ++i) {
      EXPECT_LE(test::difference(outputs[i], reference[i]), 1e-11) << sample.note << ": output " << i;
    }
    for (std::size_t i = 0; i < grads.size(); ++i) {
      EXPECT_LE(test::difference(grads[i], reference_grads[i]), 1e-9) << sample.note << ": gradient of input " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, OpContract, testing::ValuesIn(all_ops()),
                         [](const auto& info) { return std::string(info.param->doc.name); });

}  // namespace
}  // namespace minnow
