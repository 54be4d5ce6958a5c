// Runs the reference cases of the folder MINNOW_GOLDEN_DIR; see README.md beside this file.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "golden/run_case.hpp"

namespace minnow::golden {
namespace {

constexpr const char* kKinds[] = {"elementwise", "reduction",     "matmul",    "shape", "loss",        "norm",
                                  "attention",   "multihead",     "position",  "block", "convolution", "audio",
                                  "ctc",         "linear_sparse", "optimiser", "clip",  "schedule",    "model"};

bool strict() {
  const char* given = std::getenv("MINNOW_GOLDEN_STRICT");
  return given != nullptr && std::string(given) == "1";
}

using Manners = std::vector<Manner>;

void run_kind(const std::string& kind, const Manners& manners) {
  int of_kind = 0;
  int ran = 0;
  for (const Case& which : list_cases()) {
    if (which.kind != kind) continue;
    ++of_kind;
    if (why_unsupported(which)) continue;
    ++ran;
    for (const Manner& manner : manners) {
      if (manner.precision == kernels::GemmPrecision::kBf16 && !bf16_bound(which)) continue;
      try {
        for (const std::string& line : run_case(which, manner)) ADD_FAILURE() << line;
      } catch (const std::exception& error) {
        ADD_FAILURE() << which.name << " (" << text_of(manner) << "): " << error.what();
      }
    }
  }
  std::cout << fmt::format("{} of {} cases of kind {} are supported and ran\n", ran, of_kind, kind);
  if (of_kind == 0) GTEST_SKIP() << "no case of kind " << kind << " in " << folder();
  if (ran == 0) GTEST_SKIP() << "no case of kind " << kind << " is supported yet; Golden.unsupported names them";
}

class KindTest : public testing::Test {
 public:
  KindTest(std::string kind, Manners manners) : kind_(std::move(kind)), manners_(std::move(manners)) {}
  void TestBody() override { run_kind(kind_, manners_); }

 private:
  std::string kind_;
  Manners manners_;
};

void add_test(const std::string& suite, const std::string& kind, const Manners& manners) {
  testing::RegisterTest(suite.c_str(), kind.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                        [=]() -> testing::Test* { return new KindTest(kind, manners); });
}

/// One entry per kind, named Golden.<kind>: in f64, and in f32 by the best backend. Then, for kinds with products of
/// matrices, GoldenF32_<backend>.<kind> for every other backend that can run here, and GoldenBf16_<backend>.<kind>.
const bool kRegistered = [] {
  constexpr const char* kWithProducts[] = {"matmul", "attention", "multihead",   "block",    "linear_sparse",
                                           "model",  "loss",      "convolution", "optimiser"};
  constexpr const char* kRounded[] = {"matmul", "attention", "multihead", "block", "linear_sparse", "model"};
  for (const char* kind : kKinds) add_test("Golden", kind, {Manner{}, Manner{.dtype = DType::f64}});
  for (const kernels::GemmBackend backend : kernels::gemm_backends()) {
    const std::string name = kernels::gemm_name(backend);
    if (backend != kernels::best_gemm_backend()) {
      for (const char* kind : kWithProducts) add_test("GoldenF32_" + name, kind, {Manner{.backend = backend}});
    }
    for (const char* kind : kRounded) {
      add_test("GoldenBf16_" + name, kind, {Manner{.backend = backend, .precision = kernels::GemmPrecision::kBf16}});
    }
  }
  return true;
}();

class UnsupportedTest : public testing::Test {
 public:
  void TestBody() override {
    EXPECT_TRUE(kRegistered);
    std::size_t count = 0;
    const std::vector<Case> cases = list_cases();
    EXPECT_FALSE(cases.empty());
    for (const Case& which : cases) {
      const auto reason = why_unsupported(which);
      if (!reason) continue;
      ++count;
      const std::string line = fmt::format("{} (kind {}, op {}): {}", which.name, which.kind, which.op, *reason);
      std::cout << "not supported: " << line << "\n";
      if (strict()) ADD_FAILURE() << line;
    }
    std::cout << fmt::format("{} of {} cases are not supported\n", count, cases.size());
  }
};

const bool kUnsupportedRegistered =
    testing::RegisterTest("Golden", "unsupported", nullptr, nullptr, __FILE__, __LINE__,
                          []() -> testing::Test* { return new UnsupportedTest; }) != nullptr;

TEST(GoldenRule, PassesAndFailsAsWritten) {
  EXPECT_TRUE(kUnsupportedRegistered);
  const auto numbers = [](const std::vector<double>& values) {
    const auto n = static_cast<Index>(values.size());
    return Tensor::from(values, {n});
  };
  const Tolerance loose{1e-2, 1e-3};
  EXPECT_FALSE(mismatch(numbers({100.0, 1.1}), numbers({100.0, 1.0}), loose));  // 1e-3 * 100 + 1e-2
  EXPECT_TRUE(mismatch(numbers({100.0, 1.2}), numbers({100.0, 1.0}), loose));
  EXPECT_FALSE(mismatch(numbers({1e-3}), numbers({0.0}), loose));  // S is 1 when everything is 0
  EXPECT_TRUE(mismatch(numbers({1.1e-3}), numbers({0.0}), loose));
  EXPECT_FALSE(mismatch(numbers({-INFINITY, 1}), numbers({-INFINITY, 1}), loose));
  EXPECT_TRUE(mismatch(numbers({INFINITY, 1}), numbers({-INFINITY, 1}), loose));
  EXPECT_TRUE(mismatch(numbers({NAN, 1}), numbers({1, 1}), loose));
  EXPECT_TRUE(mismatch(numbers({1}), numbers({1, 1}), loose));
  EXPECT_FALSE(mismatch(numbers({1, 9}), numbers({1, 2}), loose, {{1, 2}}));  // noise is skipped
  EXPECT_TRUE(mismatch(Tensor::from<std::int64_t>({3}, {1}), Tensor::from<std::int64_t>({4}, {1}), loose));
}

TEST(GoldenRule, OfBf16GoesByNorms) {
  const auto numbers = [](const std::vector<double>& values) {
    const auto n = static_cast<Index>(values.size());
    return Tensor::from(values, {n});
  };
  EXPECT_FALSE(norm_mismatch(numbers({3, 4.04}), numbers({3, 4}), 0.01, 0));  // 0.04 of 5
  EXPECT_TRUE(norm_mismatch(numbers({3, 4.06}), numbers({3, 4}), 0.01, 0));
  EXPECT_TRUE(norm_mismatch(numbers({0.01, 0}), numbers({0, 0}), 0.01, 0.5));
  EXPECT_FALSE(norm_mismatch(numbers({0.006, 0}), numbers({0, 0}), 0.01, 0.5));  // 0.01 * 0.5 * sqrt(2)
  EXPECT_FALSE(norm_mismatch(numbers({INFINITY, 1}), numbers({INFINITY, 1}), 0.01, 0));
  EXPECT_TRUE(norm_mismatch(numbers({1e30, 1}), numbers({INFINITY, 1}), 0.01, 0));
  EXPECT_TRUE(norm_mismatch(numbers({NAN, 1}), numbers({1, 1}), 0.01, 0));
  EXPECT_FALSE(norm_mismatch(numbers({3, 9}), numbers({3, 4}), 0.01, 0, {{1, 2}}));
}

}  // namespace
}  // namespace minnow::golden
