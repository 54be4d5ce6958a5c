#pragma once
/// @file
/// Looks at the machine for `minnow doctor`: collects, judges nothing.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "minnow/io/memory.hpp"
#include "minnow/kernels/instruction_sets.hpp"

namespace minnow::cli {

/// The Debian packages of one purpose.
struct PackageSection {
  std::string name;                   ///< "build", "test", ... as in scripts/packages.txt
  std::vector<std::string> packages;  ///< all
  std::vector<std::string> missing;   ///< those that are not installed; empty where there is no dpkg
};

struct MachineFacts {
  std::string processor;    ///< its name, or the kind of machine
  std::int64_t usable = 1;  ///< processors that this process may run on
  double quota = 0;         ///< processors that a control group grants; 0 = all
  std::vector<kernels::InstructionSet> instruction_sets;
  std::string blas_flavour, blas_core, blas_config;
  bool products_right = true;      ///< a product of whole numbers by OpenBLAS is exact
  bool own_products = false;       ///< minnow's own code multiplies f32 unless compute.gemm says otherwise
  bool own_products_right = true;  ///< the same by it
  std::string onednn;              ///< version and kernels; empty where compute.gemm = "onednn" cannot run
  bool onednn_right = true;        ///< the same by it
  bool native_bf16 = false;        ///< the processor has instructions for products of bf16
  std::int64_t threads = 1;
  std::vector<std::pair<std::string, std::string>> variables;  ///< set ones that matter
  std::uint64_t memory_total = 0;                              ///< bytes; 0 = unknown
  AvailableMemory memory;
  std::filesystem::path folder;  ///< where runs would be written
  std::uint64_t disk_free = 0;   ///< bytes
  bool writable = false;
  bool has_dpkg = false;
  std::vector<PackageSection> sections;
};

/// @return the sections of a text in the form of scripts/packages.txt; `missing` is what `dpkg_status` (the text of
/// /var/lib/dpkg/status) does not call installed, and empty if that text is empty.
std::vector<PackageSection> package_sections(std::string_view list, std::string_view dpkg_status);

/// Looks at this machine. @param folder where runs would be written.
MachineFacts look_at_machine(const std::filesystem::path& folder);

}  // namespace minnow::cli
