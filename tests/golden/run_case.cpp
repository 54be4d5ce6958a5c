#include "golden/run_case.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"

namespace minnow::golden {
namespace {

constexpr const char* kExact = "f64.";

/// @return the values whose names start with `prefix`, without it.
Values with_prefix(const Values& file, const std::string& prefix) {
  Values found;
  for (auto at = file.lower_bound(prefix); at != file.end() && at->first.starts_with(prefix); ++at) {
    found.emplace(at->first.substr(prefix.size()), at->second);
  }
  return found;
}

/// @return what is stored of out.*, grad.*, steps.* and final.*: in f64 where there is that.
Values references(const Values& file) {
  Values found;
  for (const char* group : {"out.", "grad.", "steps.", "final."}) {
    for (const std::string& prefix : {std::string(group), kExact + std::string(group)}) {
      for (const auto& [name, value] : with_prefix(file, prefix)) found.insert_or_assign(group + name, value);
    }
  }
  return found;
}

/// Inputs or parameters in the type of the run; those with a stored gradient are made leaves.
Values prepare(const Values& file, const std::string& prefix, DType dtype) {
  Values made;
  for (const auto& [name, value] : with_prefix(file, prefix)) {
    Tensor tensor = is_floating(value.dtype()) ? value.to(dtype) : value.clone();
    if (file.contains("grad." + name) || file.contains(kExact + ("grad." + name))) set_requires_grad(tensor);
    made.emplace(name, std::move(tensor));
  }
  return made;
}

void run_backward(const Values& outputs, const Values& file, DType dtype) {
  for (const auto& [name, output] : outputs) {
    if (!requires_grad(output)) continue;
    const auto cotangent = file.find("cotangent." + name);
    if (cotangent == file.end()) continue;  // nothing comes in
    backward(output, {.seed = cotangent->second.to(dtype), .retain_graph = true});
  }
  clear_tape();
}

void add_gradients(const Values& leaves, Values& results) {
  for (const auto& [name, leaf] : leaves) {
    if (!requires_grad(leaf)) continue;
    const Tensor gradient = grad(leaf);
    results["grad." + name] = gradient.defined() ? gradient : Tensor::zeros(leaf.shape(), leaf.dtype());
  }
}

std::vector<std::pair<Index, Index>> noise_of(const Case& which, const std::string& name) {
  std::vector<std::pair<Index, Index>> ranges;
  const auto noise = which.config.find("noise_entries");
  if (!name.starts_with("final.") || noise == which.config.end()) return ranges;
  const auto found = noise->find(name.substr(std::string("final.").size()));
  if (found == noise->end()) return ranges;
  for (const Json& range : *found) ranges.emplace_back(range.at(0).get<Index>(), range.at(1).get<Index>());
  return ranges;
}

Tolerance tolerance_of(const Case& which, const std::string& name, DType dtype) {
  const bool later = name.starts_with("steps.") || name.starts_with("final.");
  if (dtype == DType::f32) return later ? which.steps_f32 : which.f32;
  return later ? which.steps_f64 : which.f64;
}

/// The typical size of the entries of all references of a group ("out.", "grad.", ...): of the largest of them.
double size_in_group(const Values& wanted, const std::string& name) {
  const std::string group = name.substr(0, name.find('.') + 1);
  double largest = 0;
  for (const auto& [other, reference] : with_prefix(wanted, group)) {
    if (is_floating(reference.dtype())) largest = std::max(largest, typical_size(reference));
  }
  return largest;
}

std::optional<std::string> compare(const Case& which, const Values& wanted, const std::string& name, const Tensor& got,
                                   const Manner& manner) {
  const Tensor& reference = wanted.at(name);
  const auto noise = noise_of(which, name);
  if (manner.precision == kernels::GemmPrecision::kF32 || !is_floating(reference.dtype())) {
    return mismatch(got, reference, tolerance_of(which, name, manner.dtype), noise);
  }
  // What is zero by mathematics, such as the gradient of a key's bias, has the rounding of its neighbours.
  constexpr double kNothing = 0.1;
  return norm_mismatch(got, reference, bf16_bound(which).value(), kNothing * size_in_group(wanted, name), noise);
}

std::vector<std::string> compare_all(const Case& which, const Values& wanted, const Values& results,
                                     const Manner& manner) {
  std::vector<std::string> wrong;
  for (const auto& [name, reference] : wanted) {
    const std::string where = fmt::format("{} ({}), {}", which.name, text_of(manner), name);
    const auto found = results.find(name);
    if (found == results.end()) {
      wrong.push_back(where + " was not computed");
      continue;
    }
    const auto text = compare(which, wanted, name, found->second, manner);
    if (text) wrong.push_back(where + " " + *text);
  }
  return wrong;
}

}  // namespace

std::string text_of(const Manner& manner) {
  if (manner.dtype == DType::f64) return "f64";
  const bool half = manner.precision == kernels::GemmPrecision::kBf16;
  return fmt::format("{} by {}", half ? "bf16" : "f32", kernels::gemm_name(manner.backend));
}

std::vector<std::string> run_case(const Case& which, const Manner& manner) {
  const kernels::GemmBackendScope restore;
  kernels::set_gemm_backend(manner.backend);
  const PrecisionScope precise(manner.precision);
  const DType dtype = manner.dtype;
  clear_tape();
  const Values file = load(which);
  const Values inputs = prepare(file, "in.", dtype);
  const Values params = prepare(file, "param.", dtype);
  Call call(which.config, inputs, params, file, dtype);
  const Outcome outcome = find_adapter(which)(call);
  call.finish();
  run_backward(outcome.outputs, file, dtype);
  Values results;
  for (const auto& [name, output] : outcome.outputs) results["out." + name] = output;
  add_gradients(inputs, results);
  add_gradients(params, results);
  // Training changes parameters in place: what was compared so far is kept apart.
  for (auto& [name, value] : results) value = value.clone();
  if (outcome.train) results.merge(outcome.train());
  return compare_all(which, references(file), results, manner);
}

std::optional<std::string> why_unsupported(const Case& which) {
  try {
    const Adapter adapter = find_adapter(which);
    const Values file = load(which);
    Call call(which.config, prepare(file, "in.", DType::f32), prepare(file, "param.", DType::f32), file, DType::f32);
    adapter(call);
    call.finish();
  } catch (const Unsupported& reason) {
    clear_tape();
    return reason.what();
  } catch (const std::exception&) {
    // A fault of a supported case: its kind's test shows it.
  }
  clear_tape();
  return std::nullopt;
}

}  // namespace minnow::golden
