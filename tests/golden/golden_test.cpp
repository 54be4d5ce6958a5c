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

void run_kind(const std::string& kind) {
  int of_kind = 0;
  int ran = 0;
  for (const Case& which : list_cases()) {
    if (which.kind != kind) continue;
    ++of_kind;
    if (why_unsupported(which)) continue;
    ++ran;
    for (DType dtype : {DType::f32, DType::f64}) {
      try {
        for (const std::string& line : run_case(which, dtype)) ADD_FAILURE() << line;
      } catch (const std::exception& error) {
        ADD_FAILURE() << which.name << " (" << name_of(dtype) << "): " << error.what();
      }
    }
  }
  std::cout << fmt::format("{} of {} cases of kind {} are supported and ran, in f32 and f64\n", ran, of_kind, kind);
  if (of_kind == 0) GTEST_SKIP() << "no case of kind " << kind << " in " << folder();
  if (ran == 0) GTEST_SKIP() << "no case of kind " << kind << " is supported yet; Golden.unsupported names them";
}

class KindTest : public testing::Test {
 public:
  explicit KindTest(std::string kind) : kind_(std::move(kind)) {}
  void TestBody() override { run_kind(kind_); }

 private:
  std::string kind_;
};

/// One entry per kind, named Golden.<kind>.
const bool kRegistered = [] {
  for (const char* kind : kKinds) {
    testing::RegisterTest("Golden", kind, nullptr, nullptr, __FILE__, __LINE__,
                          [kind]() -> testing::Test* { return new KindTest(kind); });
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

}  // namespace
}  // namespace minnow::golden
