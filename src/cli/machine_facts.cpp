#include "cli/machine_facts.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/package_list.hpp"
#include "minnow/base/parallel.hpp"
#include "minnow/io/file.hpp"
#include "minnow/kernels/gemm.hpp"
#include "minnow/ops/linear.hpp"

namespace minnow::cli {
namespace {

namespace fs = std::filesystem;

/// Files of the system may be missing: then the text is empty.
std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return text.str();
}

/// The text behind `key` and a colon where it begins a line.
std::string value_after(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':');
    if (!line.starts_with(key) || colon == std::string::npos) continue;
    const auto begin = line.find_first_not_of(" \t", colon + 1);
    if (begin != std::string::npos) return line.substr(begin);
  }
  return "";
}

std::string processor_name() {
  std::string name = value_after(text_of("/proc/cpuinfo"), "model name");
  if (!name.empty()) return name;
  utsname machine{};
  return uname(&machine) == 0 ? machine.machine : "unknown";
}

std::int64_t usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
}

/// Processors that the control group grants (version 2, then 1), 0 where nothing limits them.
double processor_quota() {
  double quota = 0, period = 0;
  std::istringstream both(text_of("/sys/fs/cgroup/cpu.max"));
  if (both >> quota >> period && period > 0) return quota / period;  // "max 100000" is no number
  std::istringstream first(text_of("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"));
  std::istringstream second(text_of("/sys/fs/cgroup/cpu/cpu.cfs_period_us"));
  return first >> quota && second >> period && quota > 0 && period > 0 ? quota / period : 0;
}

std::vector<std::pair<std::string, std::string>> set_variables() {
  std::vector<std::pair<std::string, std::string>> found;
  for (const char* name : {"OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "OPENBLAS_CORETYPE",
                           "LD_PRELOAD", "LD_LIBRARY_PATH"}) {
    if (const char* value = std::getenv(name)) found.emplace_back(name, value);
  }
  return found;
}

/// Whole numbers this small have exact products and sums in f32, in any order.
bool products_are_right(kernels::GemmBackend backend) {
  const kernels::GemmBackendScope before;
  kernels::set_gemm_backend(backend);
  constexpr Index kSize = 96;
  std::vector<float> a, b;
  for (Index i = 0; i < kSize * kSize; ++i) {
    a.push_back(static_cast<float>(i * 7 % 11 - 5));
    b.push_back(static_cast<float>(i * 5 % 13 - 6));
  }
  const auto c = matmul(Tensor::from(a, {kSize, kSize}), Tensor::from(b, {kSize, kSize})).to_vector<float>();
  for (Index row = 0; row < kSize; ++row) {
    for (Index column = 0; column < kSize; ++column) {
      double sum = 0;
      for (Index k = 0; k < kSize; ++k) {
        sum += static_cast<double>(a[static_cast<std::size_t>(row * kSize + k)]) *
               static_cast<double>(b[static_cast<std::size_t>(k * kSize + column)]);
      }
      if (static_cast<double>(c[static_cast<std::size_t>(row * kSize + column)]) != sum) return false;
    }
  }
  return true;
}

/// The names of the packages that dpkg calls installed.
std::set<std::string> installed_packages(std::string_view dpkg_status) {
  std::set<std::string> names;
  std::istringstream lines{std::string(dpkg_status)};
  std::string name;
  constexpr std::string_view kName = "Package: ", kState = "Status: ";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kName)) name = line.substr(kName.size());
    if (line.starts_with(kState) && line.ends_with(" installed")) names.insert(name);
  }
  return names;
}

}  // namespace

std::vector<PackageSection> package_sections(std::string_view list, std::string_view dpkg_status) {
  const std::set<std::string> installed = installed_packages(dpkg_status);
  std::vector<PackageSection> sections;
  std::istringstream lines{std::string(list)};
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '[') {
      sections.push_back({line.substr(1, line.find(']') - 1), {}, {}});
    } else if (!sections.empty()) {
      sections.back().packages.push_back(line);
      if (!dpkg_status.empty() && !installed.contains(line)) sections.back().missing.push_back(line);
    }
  }
  return sections;
}

MachineFacts look_at_machine(const fs::path& folder) {
  MachineFacts facts;
  facts.processor = processor_name();
  facts.usable = usable_processors();
  facts.quota = processor_quota();
  const auto sets = kernels::instruction_sets();
  facts.instruction_sets.assign(sets.begin(), sets.end());
  facts.products_right = products_are_right(kernels::GemmBackend::kOpenblas);
  facts.own_products = kernels::best_gemm_backend() == kernels::GemmBackend::kMinnow;
  facts.own_products_right = !facts.own_products || products_are_right(kernels::GemmBackend::kMinnow);
  facts.onednn = kernels::onednn_description();
  facts.onednn_right = facts.onednn.empty() || products_are_right(kernels::GemmBackend::kOnednn);
  facts.native_bf16 = kernels::has_native_bf16();
  const kernels::BlasInfo blas = kernels::blas_info();
  facts.blas_flavour = blas.flavour;
  facts.blas_core = blas.core;
  facts.blas_config = blas.config;
  facts.threads = threads();
  facts.variables = set_variables();
  constexpr std::uint64_t kKibibyte = 1024;
  facts.memory_total =
      std::strtoull(value_after(text_of("/proc/meminfo"), "MemTotal").c_str(), nullptr, 10) * kKibibyte;
  facts.memory = available_memory();
  facts.folder = folder;
  facts.disk_free = free_disk_bytes(folder);
  facts.writable = access(folder.c_str(), W_OK | X_OK) == 0;
  const std::string status = text_of("/var/lib/dpkg/status");
  facts.has_dpkg = !status.empty();
  facts.sections = package_sections(package_list(), status);
  return facts;
}

}  // namespace minnow::cli
