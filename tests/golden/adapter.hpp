#pragma once
/// @file
/// What connects a case's `op` to minnow: a table of adapters, one per op, one file per kind.
///
/// To add a kind: write tests/golden/KIND.cpp with `AdapterTable KIND_adapters()`, declare it below and add a line to
/// the table in adapter.cpp.

#include <functional>
#include <map>
#include <set>
#include <string>

#include "golden/golden_case.hpp"

namespace minnow::golden {

/// Everything one run of a case gives to its adapter. Floating tensors are of type `dtype`.
class Call {
 public:
  Call(const Json& config, Values inputs, Values params, const Values& file, DType dtype)
      : options(config), dtype_(dtype), inputs_(std::move(inputs)), params_(std::move(params)), file_(file) {}

  Options options;

  /// @return in.NAME, param.NAME. Throws: Unsupported when the case has none.
  const Tensor& in(const std::string& name);
  const Tensor& param(const std::string& name);
  /// @return in.NAME, or an undefined tensor.
  Tensor optional_in(const std::string& name);
  [[nodiscard]] bool has_in(const std::string& name) const { return inputs_.contains(name); }
  [[nodiscard]] bool has_param(const std::string& name) const { return params_.contains(name); }
  /// @return all inputs, all parameters: counts as having asked for each.
  const Values& all_in();
  const Values& all_params();
  [[nodiscard]] DType dtype() const { return dtype_; }
  /// @return the closest stored truth of a result (f64.NAME, else NAME), in dtype(): where an optimiser's path begins.
  [[nodiscard]] Tensor stored(const std::string& name) const;

  /// Throws: Unsupported naming an option, input or parameter that the adapter did not ask for.
  void finish() const;

 private:
  const Tensor& pick(Values& from, const char* prefix, const std::string& name);

  DType dtype_;
  Values inputs_, params_;
  const Values& file_;
  std::set<std::string> asked_;
};

/// What an adapter computed: `outputs` by the names behind "out."; for models also a function that trains on and
/// returns "steps.*" and "final.*", called after the gradients were read.
struct Outcome {
  Values outputs = {};
  std::function<Values()> train = nullptr;
};

using Adapter = Outcome (*)(Call&);
using AdapterTable = std::map<std::string, Adapter>;

AdapterTable elementwise_adapters();
AdapterTable reduction_adapters();
AdapterTable matmul_adapters();
AdapterTable norm_adapters();
AdapterTable attention_adapters();
AdapterTable clip_adapters();
AdapterTable schedule_adapters();
AdapterTable optimiser_adapters();
AdapterTable block_adapters();
AdapterTable loss_adapters();
AdapterTable shape_adapters();
AdapterTable position_adapters();
AdapterTable ctc_adapters();
AdapterTable linear_sparse_adapters();
AdapterTable audio_adapters();
AdapterTable multihead_adapters();
AdapterTable convolution_adapters();
AdapterTable model_adapters();

/// @return the adapter of a case. Throws: Unsupported when its kind or op has none.
Adapter find_adapter(const Case& which);

}  // namespace minnow::golden
