/// Judgements of `minnow doctor` on machines that are not this one.

#include "cli/diagnosis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace minnow::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A machine with nothing in the way.
MachineFacts good_machine() {
  MachineFacts facts;
  facts.usable = 8;
  facts.threads = 8;
  facts.instruction_sets = {
      {"AVX-512", false, false}, {"AVX2", true, true}, {"SSE4", true, false}, {"scalar", true, false}};
  facts.blas_flavour = "pthread";
  facts.blas_core = "Haswell";
  facts.memory = {std::uint64_t{16} << 30U, "free memory of the machine"};
  facts.folder = "/home/anna";
  facts.disk_free = std::uint64_t{100} << 30U;
  facts.writable = true;
  return facts;
}

TEST(Diagnosis, FindsNothingOnAGoodMachine) { EXPECT_THAT(diagnose(good_machine()), IsEmpty()); }

TEST(Diagnosis, PutsProblemsBeforeAdvice) {
  MachineFacts facts = good_machine();
  facts.blas_flavour = "unknown";
  facts.memory.bytes = 1U << 20U;
  const auto found = diagnose(facts);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].code, ExitCode::kMemory);
  EXPECT_FALSE(found[1].problem());
  EXPECT_THAT(found[1].hint, HasSubstr("apt-get install libopenblas0-pthread"));
}

TEST(Diagnosis, NamesAFolderThatCannotBeWritten) {
  MachineFacts facts = good_machine();
  facts.writable = false;
  const auto found = diagnose(facts);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].code, ExitCode::kIo);
  EXPECT_THAT(found[0].text, HasSubstr("/home/anna"));
}

TEST(Diagnosis, TellsAFullDiskFromATightOne) {
  MachineFacts facts = good_machine();
  facts.disk_free = 1000;
  EXPECT_EQ(diagnose(facts).at(0).code, ExitCode::kIo);
  facts.disk_free = std::uint64_t{500} << 20U;
  EXPECT_EQ(diagnose(facts).at(0).code, ExitCode::kDone);
}

TEST(Diagnosis, WrongProductsAreAFault) {
  MachineFacts facts = good_machine();
  facts.products_right = false;
  EXPECT_EQ(diagnose(facts).at(0).code, ExitCode::kInternal);
}

TEST(Diagnosis, WrongProductsOfOurOwnAreAFaultWithAWayOut) {
  MachineFacts facts = good_machine();
  facts.own_products = true;
  facts.own_products_right = false;
  ASSERT_EQ(diagnose(facts).size(), 1U);
  EXPECT_EQ(diagnose(facts)[0].code, ExitCode::kInternal);
  EXPECT_THAT(diagnose(facts)[0].hint, HasSubstr("compute.gemm = \"openblas\""));
}

TEST(Diagnosis, WrongProductsByOnednnAreAWarningSinceNobodyTakesItUnasked) {
  MachineFacts facts = good_machine();
  facts.onednn = "2.6.3, brg:avx512_core";
  EXPECT_THAT(diagnose(facts), IsEmpty());
  facts.onednn_right = false;
  ASSERT_EQ(diagnose(facts).size(), 1U);
  EXPECT_EQ(diagnose(facts)[0].code, ExitCode::kDone);
  EXPECT_THAT(diagnose(facts)[0].text, HasSubstr("2.6.3"));
}

TEST(Diagnosis, KnowsCoresThatLeaveOutVectors) {
  MachineFacts facts = good_machine();
  facts.blas_core = "Prescott";
  ASSERT_EQ(diagnose(facts).size(), 1U);
  EXPECT_THAT(diagnose(facts)[0].hint, HasSubstr("OPENBLAS_CORETYPE=Haswell"));
  facts.own_products = true;  // then OpenBLAS multiplies f64 alone
  EXPECT_THAT(diagnose(facts), IsEmpty());
  facts.own_products = false;
  facts.instruction_sets = {{"AVX2", false, false}, {"SSE4", true, true}};  // there it is the right one
  EXPECT_THAT(diagnose(facts), IsEmpty());
}

TEST(Diagnosis, CountsThreadsAgainstWhatIsGranted) {
  MachineFacts facts = good_machine();
  facts.quota = 2.5;
  ASSERT_EQ(diagnose(facts).size(), 1U);
  EXPECT_THAT(diagnose(facts)[0].hint, HasSubstr("OMP_NUM_THREADS=2"));
  facts.threads = 3;
  EXPECT_THAT(diagnose(facts), IsEmpty());
  facts.quota = 0.5;
  facts.threads = 1;  // fewer there cannot be
  EXPECT_THAT(diagnose(facts), IsEmpty());
}

TEST(PackageSections, MissingIsWhatDpkgDoesNotCallInstalled) {
  const auto sections = package_sections(
      "# a comment\n[build]\ng++\nlibhwy-dev\n\n[test]\nstrace\n",
      "Package: g++\nStatus: install ok installed\n\nPackage: libhwy-dev\nStatus: deinstall ok config-files\n");
  ASSERT_EQ(sections.size(), 2U);
  EXPECT_EQ(sections[0].name, "build");
  EXPECT_THAT(sections[0].packages, ElementsAre("g++", "libhwy-dev"));
  EXPECT_THAT(sections[0].missing, ElementsAre("libhwy-dev"));
  EXPECT_THAT(sections[1].missing, ElementsAre("strace"));
}

TEST(PackageSections, NothingIsCalledMissingWithoutDpkg) {
  EXPECT_THAT(package_sections("[build]\ng++\n", "").at(0).missing, IsEmpty());
}

}  // namespace
}  // namespace minnow::cli
