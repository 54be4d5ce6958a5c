#include "cli/diagnosis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/human.hpp"

namespace minnow::cli {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20U;
constexpr std::uint64_t kTooLittle = 64 * kMebibyte;  // the smallest run and its checkpoints
constexpr std::uint64_t kTight = 1024 * kMebibyte;    // a small model with its optimizer, and three checkpoints of it

using Findings = std::vector<Finding>;

void judge_disk(const MachineFacts& facts, Findings& found) {
  const std::string folder = facts.folder.string();
  if (!facts.writable) {
    found.push_back({ExitCode::kIo, fmt::format("nothing can be written in {}", folder),
                     "work in a folder of your own, or name one: --run DIR"});
  }
  const std::string free = fmt::format("{} are free on the disk of {}", human_bytes(facts.disk_free), folder);
  if (facts.disk_free < kTooLittle) {
    found.push_back({ExitCode::kIo, "only " + free, "make room, or name a folder on another disk: --run DIR"});
  } else if (facts.disk_free < kTight) {
    found.push_back({ExitCode::kDone, "only " + free, "enough for small models; every run checks before it begins"});
  }
}

void judge_memory(const MachineFacts& facts, Findings& found) {
  if (facts.memory.bytes >= kTight) return;
  const std::string text =
      fmt::format("only {} of memory may be taken ({})", human_bytes(facts.memory.bytes), facts.memory.source);
  if (facts.memory.bytes < kTooLittle) {
    found.push_back({ExitCode::kMemory, text, "end other programs, or raise the limit"});
  } else {
    found.push_back({ExitCode::kDone, text, "enough for small models; every run checks before it begins"});
  }
}

bool has_wide_vectors(const MachineFacts& facts) {
  return std::any_of(facts.instruction_sets.begin(), facts.instruction_sets.end(),
                     [](const auto& set) { return set.used && (set.name == "AVX-512" || set.name == "AVX2"); });
}

/// OpenBLAS's names of kernels without AVX2: what it falls back to on a processor that it does not know.
bool is_old_core(const std::string& core) {
  constexpr auto kOld =
      std::to_array<std::string_view>({"Generic", "Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Athlon",
                                       "Opteron", "Opteron_SSE3", "Barcelona", "Bobcat", "Atom", "Nano", "Katmai",
                                       "Coppermine", "Northwood", "Banias", "Sandybridge", "Bulldozer"});
  return std::find(kOld.begin(), kOld.end(), core) != kOld.end();
}

void judge_products(const MachineFacts& facts, Findings& found) {
  if (!facts.own_products_right) {
    found.push_back({ExitCode::kInternal, "minnow's own products of matrices are wrong on this processor",
                     "set compute.gemm = \"openblas\", and tell those who make minnow"});
  }
  if (!facts.onednn_right) {  // nobody multiplies by it unasked
    found.push_back({ExitCode::kDone, fmt::format("oneDNN ({}) gives wrong products of matrices", facts.onednn),
                     "do not set compute.gemm = \"onednn\""});
  }
  if (!facts.products_right) {
    found.push_back({ExitCode::kInternal,
                     fmt::format("OpenBLAS ({}) gives wrong products of matrices", facts.blas_core),
                     "unset OPENBLAS_CORETYPE and LD_LIBRARY_PATH; install another build: " +
                         install_line({"libopenblas0-pthread"})});
  }
  if (facts.blas_flavour == "unknown") {
    found.push_back({ExitCode::kDone, "products of matrices are computed by another BLAS than OpenBLAS, perhaps slowly",
                     install_line({"libopenblas0-pthread"})});
  } else if (!facts.own_products && has_wide_vectors(facts) && is_old_core(facts.blas_core)) {
    found.push_back(
        {ExitCode::kDone,
         fmt::format("OpenBLAS uses its kernels {}, which leave out what this processor has", facts.blas_core),
         "try the environment variable OPENBLAS_CORETYPE=Haswell (other bits, several times as fast)"});
  }
}

void judge_processors(const MachineFacts& facts, Findings& found) {
  for (const auto& set : facts.instruction_sets) {
    if (set.used && set.name == "scalar") {
      found.push_back(
          {ExitCode::kDone, "the kernels have no vector instructions to use here", "expect a slow training"});
    }
  }
  const double granted =
      facts.quota > 0 ? std::min(facts.quota, static_cast<double>(facts.usable)) : static_cast<double>(facts.usable);
  if (static_cast<double>(facts.threads) > std::max(1.0, std::ceil(granted))) {
    found.push_back({ExitCode::kDone,
                     fmt::format("{} threads share {:.3g} processors and wait for each other", facts.threads, granted),
                     fmt::format("set OMP_NUM_THREADS={:.0f}", std::max(1.0, std::floor(granted)))});
  }
}

}  // namespace

std::string install_line(const std::vector<std::string>& packages) {
  return fmt::format("apt-get install {}", fmt::join(packages, " "));
}

std::vector<Finding> diagnose(const MachineFacts& facts) {
  Findings found;
  judge_products(facts, found);
  judge_disk(facts, found);
  judge_memory(facts, found);
  judge_processors(facts, found);
  std::stable_partition(found.begin(), found.end(), [](const Finding& finding) { return finding.problem(); });
  return found;
}

}  // namespace minnow::cli
